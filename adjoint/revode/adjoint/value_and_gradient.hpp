// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include <revode/adjoint/loss.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/adjoint/running_cost.hpp>

namespace revode {

/// The value of a loss, its gradient, and the solution it belongs to. Where the solve has no success
/// there is neither value nor gradient; a gradient that failed says so in its status.
template <class Y, class P, class Gradient = revode::gradient<Y, P>>
struct value_and_gradient_result {
  std::optional<double> value{};
  std::optional<Gradient> gradient{};
  revode::solution<Y> solution;
};

/// The same for a solution at hand, of q.
template <class F, class Y, class P, class Solution, class Loss>
auto value_and_gradient_of(const problem<F, Y, P>& q, Solution& s, const Loss& loss) {
  static_assert(state_in_one_place<Y>::there);
  using gradient_type = decltype(s.pullback(cotangents<Y>{}));
  value_and_gradient_result<Y, P, gradient_type> r{.solution = static_cast<const solution<Y>&>(s)};
  if (!is_complete(s.status)) return r;
  loss_cotangents<Y, P> bar;
  r.value = pull_loss(loss, q, s, bar);
  const auto weigh = [&](const auto& other, loss_cotangents<Y, P>& of_other) {
    return pull_loss(loss, q, other, of_other) - *r.value;
  };
  if constexpr (requires { s.pullback(bar, weigh); }) {
    r.gradient.emplace(s.pullback(bar, weigh));
  } else {
    r.gradient.emplace(s.pullback(bar));
    bar.add_to(*r.gradient);
  }
  return r;
}

/// L(y(t1)), L(y(t1), ys) or a loss_of_solution, which sees y0, p, t0 and the end's time too, and its gradient
/// with respect to y0, p, t0, t1 and the save times.
///
///   auto r = value_and_gradient(q, tsit5{}, {}, [](const auto& y) { return y[0] * y[0]; });
///   *r.value, r.gradient->p
///
/// With a running cost: loss_with_running_cost{terminal, running}, running(t, y, p) a scalar; with
/// events as well.
/// cost    one solve, the schedule's replays, one VJP per stage and step
template <method M, class F, class Y, class P, class Loss>
value_and_gradient_result<Y, P> value_and_gradient(const problem<F, Y, P>& q, const M& m,
                                                   const options& o, const Loss& loss,
                                                   const recursive_checkpoint& adjoint = {}) {
  auto s = solve(q, m, o, adjoint);
  return value_and_gradient_of(q, s, loss);
}

/// The same with events; L(y, ys, times) sees the times of solution::events as well.
template <method M, class F, class Y, class P, class... E, class Loss>
value_and_gradient_result<Y, P> value_and_gradient(const problem<F, Y, P>& q, const M& m,
                                                   const options& o, const event_list<E...>& events,
                                                   const Loss& loss,
                                                   const recursive_checkpoint& adjoint = {}) {
  auto s = solve(q, m, o, events, adjoint);
  return value_and_gradient_of(q, s, loss);
}

/// The loss with a running cost by any adjoint.
template <method M, class F, class Y, class P, class... E, class Terminal, class Running, class A>
auto with_running_cost(const problem<F, Y, P>& q, const M& m, const options& o,
                       const event_list<E...>& events,
                       const loss_with_running_cost<Terminal, Running>& loss, const A& adjoint) {
  auto full = ask_beside_cost(
      q, o, events, loss, [&](const auto& longer, const options& with_cost, const auto&... more) {
        return value_and_gradient(longer, m, with_cost, more..., adjoint);
      });
  using gradient_type = decltype(shorten(*full.gradient, q.y0));
  value_and_gradient_result<Y, P, gradient_type> r{.value = full.value,
                                                   .solution = shorten(full.solution, q.y0)};
  if (full.gradient) r.gradient.emplace(shorten(*full.gradient, q.y0));
  return r;
}
/// With a running cost and events, which see y alone.
template <method M, class F, class Y, class P, class... E, class Terminal, class Running>
value_and_gradient_result<Y, P> value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
    const loss_with_running_cost<Terminal, Running>& loss,
    const recursive_checkpoint& adjoint = {}) {
  return with_running_cost(q, m, o, events, loss, adjoint);
}
template <method M, class F, class Y, class P, class Terminal, class Running>
value_and_gradient_result<Y, P> value_and_gradient(
    const problem<F, Y, P>& q, const M& m, const options& o,
    const loss_with_running_cost<Terminal, Running>& loss,
    const recursive_checkpoint& adjoint = {}) {
  return with_running_cost(q, m, o, no_events{}, loss, adjoint);
}

}  // namespace revode
