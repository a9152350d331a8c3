// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/adjoint/error/checked_gradient.hpp>
#include <revode/adjoint/error/tell_error.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>

namespace revode {

template <class A, class M, class F, class Y, class P, class Events>
class solution_with_error;

/// Any adjoint, whose gradients then know how far they are from the differential equation's: half of
/// the difference to the gradient by the same adjoint at three times the tolerances (of equal or given
/// steps, those twice as long). Where that is more than a tenth of `unresolved`, 3/2 of the difference to
/// the gradient at a third of the tolerances takes its place. What it sees, other estimates miss: the
/// error of y in the linearisation, of reconstructed and interpolated states, of Newton's iteration, of
/// the times of events.
///   auto r = value_and_gradient(q, tsit5{}, o, loss, with_error{});
///   r.gradient->error->relative       // and y0, p, t0, t1, ts, stops, events, times, loss
///   auto s = solve(q, tsit5{}, o, with_error{gauss{}});
///   s.pullback(w).error->p
///   with_error<>{.unresolved = 0.01}
/// The gradient has the same bits without it.
///   unresolved  status gradient_not_resolved where the error is more than this share of the gradient, or
///               where the other solves have other events, or no gradient
/// cost    a second solve and gradient, of fewer steps: 3^(−1/order) of the first's; where they tell a
///         large error a third, of 3^(1/order). A budget is divided by two: no more are held at once
/// errors  std::invalid_argument: save.every (the second solve has other steps), and the adjoint's
/// accuracy  docs/gradient_honesty.md: within a factor of ten in 95 rows of a hundred. 0 where both solves
///         take the same steps, between stops closer than the tolerances ask for
template <class A = recursive_checkpoint>
struct with_error {
  A adjoint{};
  double unresolved = 0.1;

  static constexpr const char* name = "with_error";
  static constexpr bool exact = A::exact;

  template <class M, class F, class Y, class P, class Events = no_events>
  using solution_of = solution_with_error<A, M, F, Y, P, Events>;

  void check(const options& o) const {
    refuse_every(name, o);
    if (!(unresolved >= 0))
      throw std::invalid_argument("with_error with unresolved = " + std::to_string(unresolved) +
                                  " (a share of the gradient's norm) give one >= 0?");
    if constexpr (requires { adjoint.check(o); }) adjoint.check(o);
  }
  /// The adjoint of each of the two solves.
  A of_each() const {
    A half = adjoint;
    if constexpr (requires { half.budget; })
      if (half.budget) *half.budget /= 2;
    return half;
  }
};
template <class A>
with_error(A) -> with_error<A>;
template <class A>
with_error(A, double) -> with_error<A>;

/// What an adjoint makes of a problem.
template <class M, class F, class Y, class P, class Events, class A>
auto solve_by(const problem<F, Y, P>& q, const M& m, const options& o, const Events& events,
              const A& adjoint) {
  if constexpr (std::is_same_v<Events, no_events>)
    return solve(q, m, o, adjoint);
  else
    return solve(q, m, o, events, adjoint);
}
template <class A, class M, class F, class Y, class P, class Events>
using solution_by =
    decltype(solve_by(std::declval<const problem<F, Y, P>&>(), std::declval<const M&>(), options{},
                      std::declval<const Events&>(), std::declval<const A&>()));

template <class A, class M, class F, class Y, class P, class Events>
class solution_with_error : public solution_by<A, M, F, Y, P, Events> {
  static_assert(state_in_one_place<Y>::there);

 public:
  using one = solution_by<A, M, F, Y, P, Events>;
  static_assert(
      requires(one & s, const cotangents<Y>& w) { s.pullback(w); },
      "with_error of an adjoint whose solution is not pulled back (the steps of "
      "control_gradient_error are for its directions, not for tolerances alone) take "
      "value_and_gradient, or another adjoint?");

  template <class Field>
  solution_with_error(const problem<Field, Y, P>& q, const M& m, const options& o,
                      const with_error<A>& a, std::shared_ptr<const problem<Field, Y, P>> own = {},
                      const Events& events = {})
      : one(solve_by(q, m, o, events, a.of_each())),
        o_(o),
        unresolved_(a.unresolved),
        solve_([&q, own, m, events, adjoint = a.of_each()](const options& other) {
          return std::make_unique<one>(solve_by(q, m, other, events, adjoint));
        }) {}

  /// As that of the adjoint, with gradient::error of the loss that these cotangents stand for.
  auto pullback(const cotangents<Y>& w) {
    return pullback(w, [&](const one& other, cotangents<Y>& bar) {
      bar = w;
      return difference(w, other);
    });
  }
  template <std::convertible_to<Y> W = braced_state<Y>>
  auto pullback(const W& y_bar) {
    return pullback(cotangents<Y>{.y = y_bar});
  }
  /// The same for a loss of which w are the cotangents: weigh(other, bar) sets those of another
  /// solution, and returns by how much its loss is larger.
  template <class W, class Weigh>
  auto pullback(const W& w, const Weigh& weigh) {
    auto g = one::pullback(w);
    if constexpr (requires { w.add_to(g); }) w.add_to(g);
    if (g.status != status::success) return g;
    tell_error_by_others(o_, M::order, this->stats.accepted, unresolved_, g,
                         [&](const other_solve& how) { return gradient_of(how, weigh, W{}); });
    return g;
  }

 private:
  /// Of one other solution at a time, kept for the next pullback. bar: cotangents to be set
  template <class Weigh, class W>
  other_gradient<Y, P> gradient_of(const other_solve& how, const Weigh& weigh, W bar) {
    if (!other_ || by_ != how.by) {
      other_.reset();
      other_ = solve_(how.o);
      by_ = how.by;
    }
    other_gradient<Y, P> r{.stats = other_->stats};
    if (!is_comparable<Y>(*other_, *this)) return r;
    r.more = weigh(std::as_const(*other_), bar);
    r.bar = other_->pullback(bar);
    if constexpr (requires { bar.add_to(*r.bar); }) bar.add_to(*r.bar);
    return r;
  }
  double difference(const cotangents<Y>& w, const solution<Y>& other) const {
    const auto along = [](const Y& bar, const Y& to, const Y& from) {
      double sum = 0;
      for (int i = 0, n = length(bar); i < n; ++i)
        sum += static_cast<double>(bar.data()[i]) *
               (static_cast<double>(to.data()[i]) - static_cast<double>(from.data()[i]));
      return sum;
    };
    double sum = w.y ? along(*w.y, other.y, this->y) : 0;
    for (std::size_t k = 0; k < w.ys.size(); ++k) sum += along(w.ys[k], other.ys[k], this->ys[k]);
    for (std::size_t k = 0; k < w.events.size(); ++k)
      sum += w.events[k] * (other.events[k].t - this->events[k].t);
    return sum;
  }

  options o_;
  double unresolved_;
  std::function<std::unique_ptr<one>(const options&)> solve_;
  std::unique_ptr<one> other_;
  double by_ = 0;  ///< of other_
};

}  // namespace revode
