// SPDX-License-Identifier: Apache-2.0
// Robertson's reaction, each rate scattered over a factor of 100.
#include <revode/problems/rober.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "measure.hpp"

namespace revode::lanes {

measured robertson(const request& r) {
  ensemble<rober, vec<double, 3>, vec<double, 3>> e{.y0 = {{1, 0, 0}}, .t1 = {1e5}, .p = {}};
  const auto usual = rober{}.parameters();
  for (index l = 0; l < r.lanes; ++l) {
    vec<double, 3> p = usual;
    for (int i = 0; i < 3; ++i) p[i] *= std::pow(10.0, 2 * scattered(l, i + 1) - 1);
    e.p.push_back(p);
  }
  const plan how{.o = {.rtol = 1e-6, .atol = 1e-10}, .tight = {.rtol = 1e-11, .atol = 1e-17}};
  return measure<rodas5p, rodas5p, true>(e, how, r);
}

}  // namespace revode::lanes
