// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/partitioned/partitioned.hpp>

namespace revode {

/// Störmer–Verlet steps of lengths γ_1 h, γ_2 h, … with γ_i = γ_{S+1−i}; `gamma` is the first half,
/// the middle one included. Kicks that meet are one.
/// source  Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), V.3.2
template <int N>
constexpr splitting<2 * N> composed_verlet(const double (&gamma)[N]) {
  constexpr int steps = 2 * N - 1;
  splitting<2 * N> s{};
  for (int i = 0; i < steps; ++i) {
    const double length = gamma[i < N ? i : steps - 1 - i];
    s.kick[i] += length / 2;
    s.kick[i + 1] += length / 2;
    s.drift[i] = length;
  }
  return s;
}

/// Kahan and Li's symmetric composition of order 6, nine Störmer–Verlet steps.
struct kahan_li6 {
  static constexpr const char* name = "kahan_li6";
  static constexpr const char* source = "Kahan & Li, Math. Comp. 66 (1997) 1089-1099, s9odr6a";
  static constexpr int order = 6, dense_order = 3;
  static constexpr bool hermite = true;
  static constexpr splitting<10> substeps = composed_verlet<5>(
      {0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
       0.08221359629355080023149045, 0.79854399093482996339895035});
};

/// Kahan and Li's symmetric composition of order 8, seventeen Störmer–Verlet steps.
struct kahan_li8 {
  static constexpr const char* name = "kahan_li8";
  static constexpr const char* source = "Kahan & Li, Math. Comp. 66 (1997) 1089-1099, s17odr8a";
  static constexpr int order = 8, dense_order = 3;
  static constexpr bool hermite = true;
  static constexpr splitting<18> substeps = composed_verlet<9>(
      {0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
       0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
       0.25837438768632204729397911, 0.29501172360931029887096624, -0.60550853383003451169892108});
};

}  // namespace revode
