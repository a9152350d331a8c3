// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
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
/// cost    a second ensemble with three times the tolerances, and a third with a third of them where one
///         lane asks for it
template <method M, class F, class Y, class P, class Loss, class Place = on_device>
checked_lanes<Y, P> value_and_checked_gradient(const ensemble<F, Y, P>& e, const M& m,
                                               const options& o, const Loss& loss,
                                               const lane_memory& memory = {},
                                               double unresolved = 0.1, Place = {}) {
  using solver = ensemble_solver<M, F, Y, P, Place>;
  with_error<>{.unresolved = unresolved}.check(o);
  struct solved_lanes {
    ensemble_gradient<Y, P> g;
    std::vector<lane_statistics> stats;
  };
  const auto solve_at = [&](const options& at, double by) {
    auto lanes_at = e;
    for (auto* own : {&lanes_at.rtol, &lanes_at.atol})
      for (double& tolerance : *own) tolerance *= by;
    solver lanes(lanes_at, m, at);
    auto g = lanes.gradient(loss, memory);
    return solved_lanes{std::move(g), lanes.result().stats};
  };
  solved_lanes first = solve_at(o, 1);
  checked_lanes<Y, P> g{std::move(first.g)};
  std::optional<solved_lanes> looser, tighter;
  for (std::size_t l = 0; l < g.status.size(); ++l) {
    gradient<Y, P> one{.y0 = g.y0[l], .p = g.p[l], .status = g.status[l]};
    const auto find = [&](const other_solve& how) {
      auto& other = how.by > 1 ? looser : tighter;
      if (!other) other = solve_at(how.o, how.by);
      const auto& all = other->g;
      return other_gradient<Y, P>{
          .bar = gradient<Y, P>{.y0 = all.y0[l], .p = all.p[l], .status = all.status[l]},
          .more = static_cast<double>(all.loss[l]) - static_cast<double>(g.loss[l]),
          .stats = {.accepted = other->stats[l].accepted, .rejected = other->stats[l].rejected}};
    };
    if (one.status == status::success)
      tell_error_by_others(o, M::order, first.stats[l].accepted, unresolved, one, find);
    g.error.push_back(one.error.value_or(gradient_error<Y, P>{}));
    g.status[l] = one.status;
  }
  return g;
}

}  // namespace revode
