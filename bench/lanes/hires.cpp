// SPDX-License-Identifier: Apache-2.0
// Eight proteins, a sweep of the first one's start. One stiff method a file: with a second one g++ 12
// stops inlining, and with that vectorising.
#include <revode/problems/hires.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "measure.hpp"

namespace revode::lanes {

measured proteins(const request& r) {
  const hires f;
  ensemble<hires, vec<double, 8>, vec<double, 10>> e{.t1 = {f.t1}, .p = {f.parameters()}};
  for (index l = 0; l < r.lanes; ++l) {
    e.y0.push_back(f.y0());
    e.y0.back()[0] *= 1 + part(l, r.lanes);
  }
  const plan how{.o = {.rtol = 1e-6, .atol = 1e-10}, .tight = {.rtol = 1e-11, .atol = 1e-15}};
  return measure<rodas5p, rodas5p, true>(e, how, r);
}

}  // namespace revode::lanes
