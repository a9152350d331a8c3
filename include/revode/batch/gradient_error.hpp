// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/adjoint/with_error.hpp>
#include <revode/batch/ensemble_solver.hpp>

namespace revode {

/// The gradient of every lane, and its error. A lane whose error is too large is gradient_not_resolved.
template <class Y, class P>
struct checked_lanes : ensemble_gradient<Y, P> {
  std::vector<gradient_error<Y, P>> error{};  ///< nothing where a lane has no gradient
};

/// Loss and gradient of all lanes side by side, as ensemble_solver::gradient, with errors:
///   auto g = value_and_checked_gradient(e, tsit5{}, o, loss);   // g.p[l], g.error[l].relative
/// Each lane has the numbers of with_error for it alone.
/// cost    a second ensemble with three times the tolerances
template <method M, class F, class Y, class P, class Loss, class Place = on_device>
checked_lanes<Y, P> value_and_checked_gradient(const ensemble<F, Y, P>& e, const M& m,
                                               const options& o, const Loss& loss,
                                               const lane_memory& memory = {},
                                               double unresolved = 0.1, Place = {}) {
  using solver = ensemble_solver<M, F, Y, P, Place>;
  with_error<>{.unresolved = unresolved}.check(o);
  const looser_solve how(o, M::order);
  solver lanes(e, m, o), looser_lanes(e, m, how.o);
  checked_lanes<Y, P> g{lanes.gradient(loss, memory)};
  const auto looser = looser_lanes.gradient(loss, memory);
  const auto steps = lanes.result().stats, of_looser = looser_lanes.result().stats;
  for (std::size_t l = 0; l < g.status.size(); ++l) {
    gradient<Y, P> one{.y0 = g.y0[l], .p = g.p[l], .status = g.status[l]};
    const gradient<Y, P> other{.y0 = looser.y0[l], .p = looser.p[l], .status = looser.status[l]};
    if (one.status == status::success)
      tell_error(&other, static_cast<double>(looser.loss[l]) - static_cast<double>(g.loss[l]),
                 how.share(steps[l].accepted, of_looser[l].accepted), unresolved, one);
    g.error.push_back(one.error.value_or(gradient_error<Y, P>{}));
    g.status[l] = one.status;
  }
  return g;
}

}  // namespace revode
