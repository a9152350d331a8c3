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

/// A checked gradient with respect to a state and its running cost as that of the state.
template <class Z, class P, class Y>
checked_gradient<Y, P> shorten(checked_gradient<Z, P>& g, const Y& like) {
  return {shorten(static_cast<gradient<Z, P>&>(g), like), g.reconstruction_error,
          g.quadrature_error, g.backward};
}
/// The same with a running cost. With backsolve the integral has to come back to 0 as the states do to
/// theirs, within backsolve::limit times atol.
template <method M, class F, class Y, class P, class... E, class Terminal, class Running, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto value_and_gradient(const problem<F, Y, P>& q, const M& m, const options& o,
                        const event_list<E...>& events,
                        const loss_with_running_cost<Terminal, Running>& loss, const A& adjoint) {
  return with_running_cost(q, m, o, events, loss, adjoint);
}
template <method M, class F, class Y, class P, class Terminal, class Running, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto value_and_gradient(const problem<F, Y, P>& q, const M& m, const options& o,
                        const loss_with_running_cost<Terminal, Running>& loss, const A& adjoint) {
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
