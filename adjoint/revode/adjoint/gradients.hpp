// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>

namespace revode {

/// The gradients of several losses in one reverse pass: see differentiable_solution::gradients.
///   auto g = gradients(q, tsit5{}, o, {w1, w2, w3}, recursive_checkpoint{.slots = 20});
///   auto g = gradients(q, tsit5{}, o, events(bounce{}), {w1, w2}, recursive_checkpoint{});
/// cost    one solve, the schedule's replays, and one VJP a stage, step and loss
/// errors  std::invalid_argument: the solve did not succeed, or cotangents of another size
template <method M, class F, class Y, class P>
std::vector<gradient<Y, P>> gradients(const problem<F, Y, P>& q, const M& m, const options& o,
                                      const std::vector<cotangents<Y>>& losses,
                                      const recursive_checkpoint& adjoint = {}) {
  return solve(q, m, o, adjoint).gradients(losses);
}
template <method M, class F, class Y, class P, class... E>
std::vector<gradient<Y, P>> gradients(const problem<F, Y, P>& q, const M& m, const options& o,
                                      const event_list<E...>& events,
                                      const std::vector<cotangents<Y>>& losses,
                                      const recursive_checkpoint& adjoint = {}) {
  return solve(q, m, o, events, adjoint).gradients(losses);
}

}  // namespace revode
