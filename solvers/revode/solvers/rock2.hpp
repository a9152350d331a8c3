// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <mutex>

#include <revode/solvers/stabilized/rock2_table.hpp>
#include <revode/solvers/stabilized/stabilized.hpp>

namespace revode {

/// ROCK2: stable for h ρ up to 0.8 s². The numbers of its polynomials are our own, of the kind and
/// damping that the source describes; the finish realises w by two stages.
struct rock2 {
  static constexpr const char* name = "rock2";
  static constexpr const char* source = "Abdulle & Medovikov, Numer. Math. 90 (2001) 1-18";
  static constexpr int order = 2, embedded_order = 1, dense_order = 2;
  static constexpr bool hermite = true;
  static constexpr int degrees = sizeof(rock2_table) / sizeof(rock2_table[0]);
  static constexpr int max_stages = rock2_table[degrees - 1].stages;
  double spectral_radius = 0;  ///< of ∂f/∂y, an upper bound; 0: estimated

  static int stages_for(double z) {
    for (const auto& entry : rock2_table)
      if (entry.stable_to() >= z) return entry.stages;
    const int others = z < 1e12 ? static_cast<int>(std::sqrt(z / 0.8)) : 2'000'000;
    return others > max_stages ? others : max_stages + 1;
  }
  static const stabilized_scheme& scheme(int stages) {
    struct place {
      std::once_flag once;
      stabilized_scheme scheme;
    };
    static place places[degrees];
    int i = 0;
    while (i < degrees - 1 && rock2_table[i].stages < stages) ++i;
    std::call_once(places[i].once, [i] { make(rock2_table[i], places[i].scheme); });
    return places[i].scheme;
  }

 private:
  /// w = 1 + 2σ z + τ z²: y_m + h σ k_1, then y_m + h ((2σ − τ/σ) k_1 + τ/σ k_2); the estimate is
  /// the difference to y_m + h σ (k_1 + k_2).
  static void make(const rock_polynomial<2>& of, stabilized_scheme& scheme) {
    set_rock_rows(of, scheme);
    double w[3];
    rock_factor(of, w);
    const double sigma = w[1] / 2, tau = w[2];
    scheme.finish = 2;
    scheme.a[1][0] = sigma;
    scheme.b[0] = 2 * sigma - tau / sigma;
    scheme.b[1] = tau / sigma;
    scheme.e[0] = sigma - tau / sigma;
    scheme.e[1] = tau / sigma - sigma;
    scheme.set_nodes();
  }
};

}  // namespace revode
