// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <revode/adjoint/course/push_course.hpp>
#include <revode/adjoint/tangent/check_tangents.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

// Forward mode: the derivatives of the computed solution along directions of its inputs, carried along with
// the solve. The same grid semantics as the discrete adjoint.

/// A solution and its derivative in one direction. The derivative has a status of its own; without
/// success every number of it is NaN.
template <class Y>
struct pushed_solution : solution<Y> {
  Y y_dot;
  std::vector<Y> ys_dot{};
  std::vector<double> events_dot{};  ///< of the times in solution::events
  /// As gradient::status.
  revode::status tangent_status = revode::status::success;
};

/// Looks whether a derivative is finite.
template <class Y>
void settle_tangents(pushed_solution<Y>& s) {
  bool finite = all_finite(s.y_dot) && all_finite(s.events_dot);
  for (const Y& y_dot : s.ys_dot) finite = finite && all_finite(y_dot);
  if (finite) return;
  s.tangent_status = status::non_finite_gradient;
  spoil_tangents(static_cast<const solution<Y>&>(s), s.y_dot, s.ys_dot, s.events_dot);
}

/// One direction's result.
template <class Mode>
auto pushed(Mode&& mode) {
  auto s = mode.run();
  auto& d = mode.ways().front();
  return pushed_solution<std::remove_cvref_t<decltype(s.y)>>{
      {std::move(s)}, std::move(d.y_dot), std::move(d.ys_dot), std::move(d.events_dot), d.ended};
}

/// Integrates q together with its derivative along a direction:
///   auto s = solve(q, tsit5{}, {}, tangents{v, u});  // s.y, s.y_dot, s.ys_dot
/// errors  std::invalid_argument for misuse, tangents of another size included
template <method M, class F, class Y, class P>
pushed_solution<Y> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                         const tangents<Y, P>& along) {
  validate(q, m, o);
  validate_cuts<M, system<std::remove_cvref_t<F>, Y, P>, Y>(m, o, false);
  check(q, o, along);
  return pushed(push_course<M, std::remove_cvref_t<F>, Y, P>(q, m, o, &along, &along + 1));
}

/// The same with events: s.events_dot is the derivative of their times.
template <method M, class F, class Y, class P, class... E>
pushed_solution<Y> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                         const event_list<E...>& events, const tangents<Y, P>& along) {
  validate(q, m, o, events);
  validate_cuts<M, system<std::remove_cvref_t<F>, Y, P>, Y>(m, o, true);
  check(q, o, events, along);
  return pushed(push_course<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>(q, m, o, &along,
                                                                               &along + 1, events));
}

}  // namespace revode
