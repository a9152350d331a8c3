// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

#include "measure.hpp"

namespace revode::lanes {

/// Lorenz's ring of N, its forcing from f on.
template <int N>
ensemble<lorenz96, vec<double, N>, vec<double, 1>> rings(double f, double t1, index lanes) {
  ensemble<lorenz96, vec<double, N>, vec<double, 1>> e{.f = {.n = N}, .t1 = {t1}, .p = {}};
  vec<double, N> y;
  for (double& x : y) x = 8;
  y[N / 2 - 1] = 8.008;
  e.y0 = {y};
  for (index l = 0; l < lanes; ++l) e.p.push_back({f + 0.5 * part(l, lanes)});
  return e;
}

template <int N>
measured ring(const request& r) {
  const plan how{.o = {.rtol = 1e-8, .atol = 1e-8},
                 .tight = {.rtol = 1e-13, .atol = 1e-13},
                 .alone = 64,
                 .odeint = true};
  return measure<tsit5, vern7, true>(rings<N>(8, 3, r.lanes), how, r);
}

}  // namespace revode::lanes
