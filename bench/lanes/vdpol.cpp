// SPDX-License-Identifier: Apache-2.0
// Van der Pol's oscillators whose mu is scattered from 1 to 100: attempts differ by much.
#include <revode/problems/vdpol.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

#include "measure.hpp"

namespace revode::lanes {

measured oscillators(const request& r) {
  ensemble<vdpol, vec<double, 2>, vec<double, 1>> e{.y0 = {{2, 0}}, .t1 = {20}, .p = {}};
  for (index l = 0; l < r.lanes; ++l) e.p.push_back({std::pow(100.0, scattered(l))});
  const plan how{.o = {.rtol = 1e-6, .atol = 1e-6},
                 .tight = {.rtol = 1e-13, .atol = 1e-13},
                 .odeint = true,
                 .sorted = true};
  return measure<tsit5, vern7, true>(e, how, r);
}

}  // namespace revode::lanes
