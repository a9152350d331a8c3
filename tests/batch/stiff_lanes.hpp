// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <revode/problems/rober.hpp>

#include "ensemble_checks.hpp"
#include "lane_gradients.hpp"

namespace revode {

/// Robertson's reaction with other rates, spans, tolerances and step caps; a lane that goes nowhere
/// and one with a rate that is not a number.
inline ensemble<rober, state, state> reactions(index lanes) {
  ensemble<rober, state, state> e;
  e.t0.clear(), e.t1.clear(), e.p.clear();
  for (index l = 0; l < lanes; ++l) {
    const double x = static_cast<double>(l % 37) / 37;
    e.y0.push_back({1, 0, 0});
    e.t0.push_back(0);
    e.t1.push_back(l % 13 == 5 ? 0 : 1e4 * (1 + x));
    e.p.push_back({0.04 * (1 + x), 3e7, 1e4});
    e.rtol.push_back(l % 3 == 0 ? 1e-4 : 1e-6);
    e.atol.push_back(1e-10);
    e.max_steps.push_back(l % 17 == 4 ? 9 : 100000);
  }
  e.p[7][1] = std::numeric_limits<double>::quiet_NaN();
  return e;
}

/// Forward and reverse, with and without save points, beside single solves.
template <int W, class E, class M>
void check_stiff_lanes(E e, const M& m) {
  check_against_single_solves(e, m, {}, solve_by<W>(e, m, {}));
  add_save_points(e);
  check_against_single_solves(e, m, {}, solve_by<W>(e, m, {}));
  for (const auto plan :
       {lane_memory_plan::states, lane_memory_plan::log, lane_memory_plan::controller}) {
    const lane_memory memory{.plan = plan, .slots = 5};
    check_against_pullbacks(e, m, {}, true, gradient_by<W>(e, m, {}, points_loss{}, memory));
  }
}

}  // namespace revode
