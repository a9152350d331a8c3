// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solvers/stabilized/stabilized.hpp>

namespace revode {

/// Runge–Kutta–Legendre of order 2, odd s: stable for h ρ up to (s² + s − 2)/2, where it damps without
/// a parameter and keeps monotone.
struct rkl2 {
  static constexpr const char* name = "rkl2";
  static constexpr const char* source =
      "Meyer, Balsara & Aslam, J. Comput. Phys. 257 (2014) 594-626, section 2.2";
  static constexpr int order = 2, embedded_order = 1, estimate_order = 2, dense_order = 2;
  static constexpr bool hermite = true;
  static constexpr int max_stages = 199;
  double spectral_radius = 0;  ///< of ∂f/∂y, an upper bound; 0: estimated

  static int stages_for(double z) {
    const double s = std::ceil((std::sqrt(9 + 8 * z) - 1) / 2);
    if (!(s < 1e6)) return 1'000'001;
    return s < 3 ? 3 : static_cast<int>(s) / 2 * 2 + 1;
  }
  static stabilized_scheme scheme(int s) {
    stabilized_scheme scheme;
    scheme.m = s;
    const double w1 = 4. / (s * s + s - 2);
    const auto b = [](int j) { return j < 2 ? 1. / 3 : (j * j + j - 2.) / (2. * j * (j + 1)); };
    scheme.rows[1] = {1, 0, b(1) * w1, 0};
    for (int j = 2; j <= s; ++j) {
      const double mu = (2. * j - 1) / j * b(j) / b(j - 1);
      scheme.rows[j] = {mu, -(j - 1.) / j * b(j) / b(j - 2), mu * w1, -(1 - b(j - 1)) * mu * w1};
    }
    scheme.set_nodes();
    return scheme;
  }
};

}  // namespace revode
