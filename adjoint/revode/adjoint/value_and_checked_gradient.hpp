// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <type_traits>

#include <revode/adjoint/checked_gradient.hpp>
#include <revode/adjoint/loss.hpp>

namespace revode {

/// The value of a loss, its gradient by an adjoint of one's choice, and the solution. Without a
/// solution there is neither value nor gradient; a gradient that failed says so in its status.
template <class Y, class Gradient>
struct value_and_checked_gradient {
  std::optional<double> value{};
  std::optional<Gradient> gradient{};
  revode::solution<Y> solution;
};

/// The same for a solution at hand.
template <class Y, class Solution, class Loss>
auto value_and_checked_gradient_of(Solution& s, const Loss& loss) {
  using gradient_type = decltype(s.pullback(cotangents<Y>{}));
  value_and_checked_gradient<Y, gradient_type> r{.solution = static_cast<const solution<Y>&>(s)};
  if (!is_complete(s.status)) return r;
  cotangents<Y> bar;
  r.value = loss_evaluation<Loss, Y>(loss)(s, bar);
  r.gradient = s.pullback(bar);
  return r;
}

/// As value_and_gradient with recursive_checkpoint:
///   auto r = value_and_gradient(q, tsit5{}, {}, loss, gauss{});
///   if (r.gradient && r.gradient->status == status::success) …
template <method M, class F, class Y, class P, class Loss, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto value_and_gradient(const problem<F, Y, P>& q, const M& m, const options& o, const Loss& loss,
                        const A& adjoint) {
  auto s = solve(q, m, o, adjoint);
  return value_and_checked_gradient_of<Y>(s, loss);
}
/// With events.
template <method M, class F, class Y, class P, class... E, class Loss, class A>
requires adjoint_with_status<A, M, F, Y, P>
auto value_and_gradient(const problem<F, Y, P>& q, const M& m, const options& o,
                        const event_list<E...>& events, const Loss& loss, const A& adjoint) {
  auto s = solve(q, m, o, events, adjoint);
  return value_and_checked_gradient_of<Y>(s, loss);
}

}  // namespace revode
