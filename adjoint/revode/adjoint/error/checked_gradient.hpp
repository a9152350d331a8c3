// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <revode/adjoint/course/settle.hpp>
#include <revode/problem.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// A gradient by an adjoint that reconstructs states or solves backwards, and how well it did.
template <class Y, class P>
struct checked_gradient : gradient<Y, P> {
  /// How many tolerances the state at t0 (at save points, at ends of segments), reached backwards,
  /// is away from the one that the solve had there: the largest. 0 where nothing is reconstructed.
  double reconstruction_error = 0;
  double quadrature_error = 0;  ///< where it is estimated: of p, in tolerances
  statistics backward{};        ///< of the solves backwards in time
};

/// √(mean of ((aᵢ − bᵢ) / (atol + rtol |bᵢ|))²); infinite where an element of a is not finite.
template <class Y>
double tolerances_apart(const Y& a, const Y& b, const tolerance& tol) {
  double sum = 0;
  const int n = length(b);
  for (int i = 0; i < n; ++i) {
    const double at = static_cast<double>(b.data()[i]);
    const double off = static_cast<double>(a.data()[i]) - at;
    if (off == 0) continue;
    const double scaled = off / (tol.atol + tol.rtol * std::abs(at));
    sum += scaled * scaled;
  }
  if (!(sum < std::numeric_limits<double>::infinity()))
    return std::numeric_limits<double>::infinity();
  return n > 0 ? std::sqrt(sum / n) : 0;
}

/// Throws where options ask for stops and the adjoint does not follow them.
template <class Options>
void refuse_stops(const char* adjoint, const Options& o) {
  if constexpr (requires { o.stops.empty() && o.discontinuities.empty(); }) {
    if (!o.stops.empty() || !o.discontinuities.empty())
      throw std::invalid_argument(std::string(adjoint) +
                                  " with stops or discontinuities (it does not restart its steps "
                                  "there) leave them out, or use recursive_checkpoint?");
  }
}
/// The same for a save point every so many steps.
template <class Options>
void refuse_every(const char* adjoint, const Options& o) {
  if constexpr (requires { o.save.every > 0; }) {
    if (o.save.every > 0)
      throw std::invalid_argument(std::string(adjoint) +
                                  " with save.every = " + std::to_string(o.save.every) +
                                  " (it knows listed times only) give save.ts, or use "
                                  "recursive_checkpoint?");
  }
}

/// Throws for cotangents that are not this solution's, and for a solve that did not succeed.
template <class Y>
void check_cotangents(const solution<Y>& s, const cotangents<Y>& w) {
  if (!is_complete(s.status))
    throw std::invalid_argument(std::string("no gradient of a solve that ended with status ") +
                                name(s.status) + " (" + explain(s.status) +
                                ") look at solution::status first?");
  if (!w.ys.empty() && w.ys.size() != s.ys.size())
    throw std::invalid_argument(std::to_string(w.ys.size()) + " cotangents for " +
                                std::to_string(s.ys.size()) +
                                " save points (one belongs to each) give as many, or none?");
  if (!w.events.empty() && w.events.size() != s.events.size())
    throw std::invalid_argument(std::to_string(w.events.size()) + " cotangents for " +
                                std::to_string(s.events.size()) +
                                " events (one belongs to each) give as many, or none?");
  const auto same = [&](const Y& y) { return length(y) == length(s.y); };
  bool fits = !w.y || same(*w.y);
  for (const Y& y : w.ys) fits = fits && same(y);
  if (!fits)
    throw std::invalid_argument("a cotangent whose size is not " + std::to_string(length(s.y)) +
                                " (it has the shape of the state) resize it?");
}

/// Integrates q and keeps what an adjoint of this kind needs, A::solution_of<M, F, Y, P>:
///   auto s = solve(q, tsit5{}, {}, backsolve{});
///   auto g = s.pullback(y_bar);        // g.status, g.y0, g.p, g.t0, g.t1, g.ts
/// A named problem is referred to and must outlive the result; a temporary is moved in.
template <class A, class M, class F, class Y, class P>
concept adjoint_with_status = requires(const A& a, const options& o) {
  typename A::template solution_of<M, std::remove_cvref_t<F>, Y, P>;
  a.check(o);
};
template <method M, class F, class Y, class P, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const A& adjoint) {
  validate(q, m, o);
  adjoint.check(o);
  return typename A::template solution_of<M, std::remove_cvref_t<F>, Y, P>(q, m, o, adjoint);
}
template <method M, class F, class Y, class P, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto solve(problem<F, Y, P>&& q, const M& m, const options& o, const A& adjoint) {
  validate(q, m, o);
  adjoint.check(o);
  const auto own = std::make_shared<const problem<F, Y, P>>(std::move(q));
  return
      typename A::template solution_of<M, std::remove_cvref_t<F>, Y, P>(*own, m, o, adjoint, own);
}

/// The same with events, for the adjoints that follow them: A::solution_of<M, F, Y, P, Events>.
template <class A, class M, class F, class Y, class P, class Events>
concept adjoint_through_events = requires {
  typename A::template solution_of<M, std::remove_cvref_t<F>, Y, P, Events>;
};
template <method M, class F, class Y, class P, class... E, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
           const A& adjoint) {
  static_assert(adjoint_through_events<A, M, F, Y, P, event_list<E...>>,
                "this adjoint does not follow events; choose one such as recursive_checkpoint");
  validate(q, m, o, events);
  adjoint.check(o);
  return typename A::template solution_of<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>(
      q, m, o, adjoint, std::shared_ptr<const problem<F, Y, P>>{}, events);
}
template <method M, class F, class Y, class P, class... E, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto solve(problem<F, Y, P>&& q, const M& m, const options& o, const event_list<E...>& events,
           const A& adjoint) {
  static_assert(adjoint_through_events<A, M, F, Y, P, event_list<E...>>,
                "this adjoint does not follow events; choose one such as recursive_checkpoint");
  validate(q, m, o, events);
  adjoint.check(o);
  const auto own = std::make_shared<const problem<F, Y, P>>(std::move(q));
  return typename A::template solution_of<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>(
      *own, m, o, adjoint, own, events);
}

}  // namespace revode
