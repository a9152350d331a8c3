// SPDX-License-Identifier: Apache-2.0
#pragma once

// Relaxation oscillations: gradients that are exact for steps too long for them.
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/error/resolved_gradient.hpp>
#include <revode/problems/vdpol_stiff.hpp>

namespace revode {

inline constexpr double right_slope = 855.57;  // dL/dε, L = y1 + y2

/// Never success where the error is a tenth; resolved where that is asked for.
template <class M>
void check_resolution(const M& m) {
  CAPTURE(M::name);
  const vdpol_stiff f;
  problem q{f, f.y0(), vdpol_stiff::t0, vdpol_stiff::t1, f.parameters()};
  const auto loss = [](const auto& y) { return y[0] + y[1]; };
  for (const double tol : {1e-4, 1e-6}) {
    CAPTURE(tol);
    const auto r = value_and_checked_gradient(q, m, {.rtol = tol, .atol = tol}, loss);
    REQUIRE(r.gradient);
    const double error = std::abs(r.gradient->p[0] - right_slope);
    const double estimate = std::abs(r.gradient->error->p[0]);
    CHECK(estimate >= 0.05 * error);
    if (error > 0.1 * right_slope) CHECK(r.gradient->status == status::gradient_not_resolved);
  }
  const auto r = resolved_value_and_gradient(q, m, {.rtol = 1e-4, .atol = 1e-4}, loss, 1e-3);
  REQUIRE(r.gradient);
  CHECK(r.gradient->status == status::success);
  CHECK(std::abs(r.gradient->p[0] - right_slope) <= 2e-3 * right_slope);
}

}  // namespace revode
