// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/adjoint/with_error.hpp>

namespace revode {

/// As value_and_gradient with recursive_checkpoint:
///   auto r = value_and_gradient(q, tsit5{}, {}, loss, gauss{});
///   if (r.gradient && r.gradient->status == status::success) …
template <method M, class F, class Y, class P, class Loss, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto value_and_gradient(const problem<F, Y, P>& q, const M& m, const options& o, const Loss& loss,
                        const A& adjoint) {
  auto s = solve(q, m, o, adjoint);
  return value_and_gradient_of(q, s, loss);
}
/// With events.
template <method M, class F, class Y, class P, class... E, class Loss, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto value_and_gradient(const problem<F, Y, P>& q, const M& m, const options& o,
                        const event_list<E...>& events, const Loss& loss, const A& adjoint) {
  auto s = solve(q, m, o, events, adjoint);
  return value_and_gradient_of(q, s, loss);
}

/// The same with a running cost.
template <method M, class F, class Y, class P, class... E, class Terminal, class Running>
value_and_gradient_result<Y, P> value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
    const loss_with_running_cost<Terminal, Running>& loss,
    const with_error<recursive_checkpoint>& adjoint) {
  return with_running_cost(q, m, o, events, loss, adjoint);
}
template <method M, class F, class Y, class P, class Terminal, class Running>
value_and_gradient_result<Y, P> value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o,
    const loss_with_running_cost<Terminal, Running>& loss,
    const with_error<recursive_checkpoint>& adjoint) {
  return with_running_cost(q, m, o, no_events{}, loss, adjoint);
}

/// A value and a gradient that knows its error, with_error{adjoint}:
///   auto r = value_and_checked_gradient(q, tsit5{}, {}, loss);
///   if (r.gradient && r.gradient->status == status::success) …    // resolved to a tenth
template <method M, class F, class Y, class P, class Loss, class A = recursive_checkpoint>
auto value_and_checked_gradient(const problem<F, Y, P>& q, const M& m, const options& o,
                                const Loss& loss, const A& adjoint = {}) {
  return value_and_gradient(q, m, o, loss, with_error<A>{adjoint});
}
template <method M, class F, class Y, class P, class... E, class Loss,
          class A = recursive_checkpoint>
auto value_and_checked_gradient(const problem<F, Y, P>& q, const M& m, const options& o,
                                const event_list<E...>& events, const Loss& loss,
                                const A& adjoint = {}) {
  return value_and_gradient(q, m, o, events, loss, with_error<A>{adjoint});
}

}  // namespace revode
