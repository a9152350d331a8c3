// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/adjoint/error/checked_gradient.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>

namespace revode {

/// o with tolerances that are `factor` times as large.
inline options with_tolerances(options o, double factor) {
  for (double* tolerance : {&o.rtol, &o.atol}) *tolerance *= factor;
  for (auto each : {&error_norm::rtol, &error_norm::atol})
    for (double& own : o.norm.*each) own *= factor;
  return o;
}

/// A second solve with about `by` times the error of the first: tolerances by times as large, lengths
/// that options give by^(1/order) times as long. Steps that are given are doubled instead.
struct looser_solve {
  static constexpr double by = 3;
  options o;
  int order;
  bool given;  ///< are the steps?

  looser_solve(const options& from, int order_)
      : o(from),
        order(order_),
        given(o.fixed_step > 0 || !o.grid.empty()) {
    if (given) {
      o.fixed_step *= 2;
      std::vector<double> every_second;
      for (std::size_t i = 0; i < o.grid.size(); i += 2) every_second.push_back(o.grid[i]);
      if (!o.grid.empty() && o.grid.size() % 2 == 0) every_second.push_back(o.grid.back());
      o.grid = std::move(every_second);
      return;
    }
    o = with_tolerances(std::move(o), by);
    for (double* length : {&o.first_step, &o.max_step, &o.min_step})
      *length *= std::pow(by, 1.0 / order);
  }

  /// (looser − x) times this is the error of x, in solves of so many steps; infinite where both took
  /// the same given steps.
  double share(index steps, index of_looser) const {
    if (!given) return 1 / (by - 1);
    const double longer = static_cast<double>(steps) / static_cast<double>(of_looser);
    return longer > 1 ? 1 / (std::pow(longer, order) - 1) : std::numeric_limits<double>::infinity();
  }
};

/// The error of a gradient by that of a looser solve.
template <class Y, class P>
class error_estimate {
 public:
  error_estimate(const gradient<Y, P>& g, const gradient<Y, P>& looser, double share)
      : share_(share),
        known_(looser.status == status::success) {
    error_.y0 = each(g.y0, looser.y0);
    error_.p = each(g.p, looser.p);
    error_.t0 = beside(g.t0, looser.t0);
    error_.t1 = beside(g.t1, looser.t1);
    error_.ts = each(g.ts, looser.ts);
    error_.stops = each(g.stops, looser.stops);
    error_.events = each(g.events, looser.events);
    for (std::size_t k = 0; k < g.times.size(); ++k)
      error_.times.push_back(each(g.times[k], looser.times[k]));
    const double infinity = std::numeric_limits<double>::infinity();
    error_.relative = known_ ? std::fmax(part(error_.y0, g.y0), part(error_.p, g.p)) : infinity;
    error_.reverse = looser.reverse;
  }
  const gradient_error<Y, P>& error() const { return error_; }
  double beside(double x, double looser) const { return x == looser ? 0 : share_ * (looser - x); }

 private:
  template <class X>
  X each(const X& x, const X& looser) {
    X error = x;
    known_ = known_ && length(x) == length(looser);
    for (int i = 0, n = length(x); known_ && i < n; ++i)
      error.data()[i] = static_cast<scalar_t<X>>(
          beside(static_cast<double>(x.data()[i]), static_cast<double>(looser.data()[i])));
    return error;
  }
  template <class X>
  static double part(const X& error, const X& of) {
    double errors = 0, sizes = 0;
    for (int i = 0, n = length(of); i < n; ++i) {
      errors = std::hypot(errors, static_cast<double>(error.data()[i]));
      sizes = std::hypot(sizes, static_cast<double>(of.data()[i]));
    }
    return errors == 0 ? 0 : errors / sizes;
  }

  double share_;
  bool known_;
  gradient_error<Y, P> error_{};
};

/// Ends where the other one does, with as many save points and events: their gradients can be compared.
template <class Y>
bool is_comparable(const solution<Y>& looser, const solution<Y>& s) {
  return looser.status == s.status && looser.ys.size() == s.ys.size() &&
         looser.events.size() == s.events.size();
}

/// g.error, by this gradient of a looser solve and how much its loss is larger; null: there is none to
/// compare with. A status says where it is more than `unresolved` of the gradient.
template <class Y, class P>
void tell_error(const gradient<Y, P>* looser, double more, double share, double unresolved,
                gradient<Y, P>& g) {
  if (looser && std::isfinite(share)) {
    const error_estimate<Y, P> estimate(g, *looser, share);
    g.error = estimate.error();
    g.error->loss = estimate.beside(0, more);
  } else {
    g.error = gradient_error<Y, P>{.y0 = g.y0, .p = g.p};
    g.error->relative = std::numeric_limits<double>::infinity();
  }
  if (!(g.error->relative <= unresolved)) g.status = status::gradient_not_resolved;
}

template <class A, class M, class F, class Y, class P, class Events>
class solution_with_error;

/// Any adjoint, whose gradients then know how far they are from the differential equation's: half of
/// the difference to the gradient by the same adjoint at three times the tolerances (of equal or given
/// steps, those twice as long). What it sees, other estimates miss: the error of y in the
/// linearisation, of reconstructed and interpolated states, of Newton's iteration, of the times of events.
///   auto r = value_and_gradient(q, tsit5{}, o, loss, with_error{});
///   r.gradient->error->relative       // and y0, p, t0, t1, ts, stops, events, times, loss
///   auto s = solve(q, tsit5{}, o, with_error{gauss{}});
///   s.pullback(w).error->p
/// The gradient has the same bits without it.
///   unresolved  status gradient_not_resolved where the error is more than this share of the gradient, or
///               where the second solve has other events, or no gradient
/// cost    a second solve and gradient, of fewer steps: 3^(−1/order) of the first's. A budget is
///         divided by two, a half for each
/// errors  std::invalid_argument: save.every (the second solve has other steps), and the adjoint's
/// accuracy  docs/gradient_honesty.md: within a factor of ten in 93 rows of a hundred. 0 where both solves
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

  template <class Field>
  solution_with_error(const problem<Field, Y, P>& q, const M& m, const options& o,
                      const with_error<A>& a, std::shared_ptr<const problem<Field, Y, P>> own = {},
                      const Events& events = {})
      : one(solve_by(q, m, o, events, a.of_each())),
        how_(o, M::order),
        unresolved_(a.unresolved),
        solve_looser_([&q, own, m, events, adjoint = a.of_each(), o = how_.o] {
          return std::make_unique<one>(solve_by(q, m, o, events, adjoint));
        }) {}

  /// As that of the adjoint, with gradient::error of the loss that these cotangents stand for.
  auto pullback(const cotangents<Y>& w) {
    return pullback(w, [&](const one& looser, cotangents<Y>& bar) {
      bar = w;
      return difference(w, looser);
    });
  }
  template <std::convertible_to<Y> W = braced_state<Y>>
  auto pullback(const W& y_bar) {
    return pullback(cotangents<Y>{.y = y_bar});
  }
  /// The same for a loss of which w are the cotangents: weigh(looser, bar) sets those of the other
  /// solution, and returns by how much its loss is larger.
  template <class W, class Weigh>
  auto pullback(const W& w, const Weigh& weigh) {
    auto g = one::pullback(w);
    if constexpr (requires { w.add_to(g); }) w.add_to(g);
    if (g.status != status::success) return g;
    if (!looser_) looser_ = solve_looser_();
    const double share = how_.share(this->stats.accepted, looser_->stats.accepted);
    std::optional<gradient<Y, P>> of_looser;
    double more = 0;
    if (is_comparable<Y>(*looser_, *this)) {
      W bar;
      more = weigh(std::as_const(*looser_), bar);
      of_looser = looser_->pullback(bar);
      if constexpr (requires { bar.add_to(*of_looser); }) bar.add_to(*of_looser);
    }
    tell_error<Y, P>(of_looser ? &*of_looser : nullptr, more, share, unresolved_, g);
    g.error->looser = looser_->stats;
    return g;
  }

 private:
  double difference(const cotangents<Y>& w, const solution<Y>& looser) const {
    const auto along = [](const Y& bar, const Y& to, const Y& from) {
      double sum = 0;
      for (int i = 0, n = length(bar); i < n; ++i)
        sum += static_cast<double>(bar.data()[i]) *
               (static_cast<double>(to.data()[i]) - static_cast<double>(from.data()[i]));
      return sum;
    };
    double sum = w.y ? along(*w.y, looser.y, this->y) : 0;
    for (std::size_t k = 0; k < w.ys.size(); ++k) sum += along(w.ys[k], looser.ys[k], this->ys[k]);
    for (std::size_t k = 0; k < w.events.size(); ++k)
      sum += w.events[k] * (looser.events[k].t - this->events[k].t);
    return sum;
  }

  looser_solve how_;
  double unresolved_;
  std::function<std::unique_ptr<one>()> solve_looser_;
  std::unique_ptr<one> looser_;
};

}  // namespace revode
