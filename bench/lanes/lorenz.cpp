// SPDX-License-Identifier: Apache-2.0
// Lorenz attractors, a sweep of rho.
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

#include "measure.hpp"

namespace revode::lanes {
namespace {

ensemble<lorenz, vec<double, 3>, vec<double, 3>> sweep(double from, double to, double t1,
                                                       index lanes) {
  ensemble<lorenz, vec<double, 3>, vec<double, 3>> e{.y0 = {{1, 0, 0}}, .t1 = {t1}, .p = {}};
  for (index l = 0; l < lanes; ++l)
    e.p.push_back({10, from + (to - from) * part(l, lanes), 8.0 / 3});
  return e;
}

const options tight{.rtol = 1e-13, .atol = 1e-13};

}  // namespace

measured lorenz_sweep(const request& r) {
  const plan how{.o = {.rtol = 1e-8, .atol = 1e-8}, .tight = tight, .odeint = true};
  return measure<tsit5, vern7, true>(sweep(20, 30, 10, r.lanes), how, r);
}

measured lorenz_fixed(const request& r) {
  const plan how{.o = {.fixed_step = 1e-3}, .tight = tight};
  return measure<tsit5, vern7, true>(sweep(0, 21, 1, r.lanes), how, r);
}

}  // namespace revode::lanes
