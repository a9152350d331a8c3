// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solvers/stabilized/stabilized.hpp>

namespace revode {

/// Runge–Kutta–Chebyshev of order 2, damped by ε = 2/13: stable for h ρ up to 0.653 (s + 1)².
struct rkc {
  static constexpr const char* name = "rkc";
  static constexpr const char* source =
      "Sommeijer, Shampine & Verwer, J. Comput. Appl. Math. 88 (1998) 315-326, section 2";
  static constexpr int order = 2, embedded_order = 1, estimate_order = 2, dense_order = 2;
  static constexpr bool hermite = true;
  static constexpr int max_stages = 200;
  double spectral_radius = 0;  ///< of ∂f/∂y, an upper bound; 0: estimated

  static int stages_for(double z) {
    const double s = std::sqrt(1 + 1.54 * z);
    return s < 1e6 ? 1 + static_cast<int>(s) : 1'000'000;
  }
  static stabilized_scheme scheme(int s) {
    if (s < 2) s = 2;
    stabilized_scheme scheme;
    scheme.m = s;
    const double w0 = 1 + 2. / 13 / (s * s);
    // T_j(w0), its derivatives and b_j
    constexpr int places = stabilized_scheme::longest + 1;
    double t[places] = {1, w0}, first[places] = {0, 1}, second[places] = {0, 0}, b[places];
    for (int j = 2; j <= s; ++j) {
      t[j] = 2 * w0 * t[j - 1] - t[j - 2];
      first[j] = 2 * (t[j - 1] + w0 * first[j - 1]) - first[j - 2];
      second[j] = 2 * (2 * first[j - 1] + w0 * second[j - 1]) - second[j - 2];
      b[j] = second[j] / (first[j] * first[j]);
    }
    b[0] = b[1] = b[2];
    const double w1 = first[s] / second[s];
    const auto a = [&](int j) { return 1 - b[j] * t[j]; };
    scheme.rows[1] = {1, 0, b[1] * w1, 0};
    for (int j = 2; j <= s; ++j) {
      const double mu_tilde = 2 * b[j] * w1 / b[j - 1];
      scheme.rows[j] = {2 * b[j] * w0 / b[j - 1], -b[j] / b[j - 2], mu_tilde, -a(j - 1) * mu_tilde};
    }
    scheme.set_nodes();
    return scheme;
  }
};

}  // namespace revode
