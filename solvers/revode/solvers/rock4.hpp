// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <mutex>

#include <revode/solvers/stabilized/rock4_table.hpp>
#include <revode/solvers/stabilized/stabilized.hpp>

namespace revode {

/// ROCK4: order 4, stable for h ρ up to 0.35 s². The numbers are our own, of the kind that the source
/// describes: four finishing stages realise w and meet the conditions of order 4 together with the
/// recurrence; of two free parameters the least sum of squares disposes. The finish multiplies what
/// rounding leaves in the stiffest components by w(h ρ) ≈ 0.01 (h ρ)⁴. The source has it at the end of the
/// recurrence; from 33 stages on it stands within, behind 21 + 0.12 s rows, on two values (four more
/// evaluations), and the rows behind it damp what it has made of rounding: at h ρ = 5,500 to less than
/// 1e-7 of y instead of 1e-3. The estimate, of order 3, and from 33 stages on the slopes of the dense
/// output are combinations of stages, since h f would magnify the rest by h ρ (up to 12 stages the
/// estimate is one of the finish and the field at the new point).
struct rock4 {
  static constexpr const char* name = "rock4";
  static constexpr const char* source = "Abdulle, SIAM J. Sci. Comput. 23 (2002) 2041-2054";
  static constexpr int order = 4, embedded_order = 3, dense_order = 3;
  static constexpr bool hermite = true;
  static constexpr int degrees = sizeof(rock4_table) / sizeof(rock4_table[0]);
  static constexpr int max_stages = rock4_table[degrees - 1].polynomial.stages;
  double spectral_radius = 0;  ///< of ∂f/∂y, an upper bound; 0: estimated

  static int stages_for(double z) {
    for (const auto& entry : rock4_table)
      if (entry.polynomial.stable_to() >= z) return entry.polynomial.stages;
    const int others = z < 1e12 ? static_cast<int>(std::sqrt(z / 0.35)) : 2'000'000;
    return others > max_stages ? others : max_stages + 1;
  }
  static const stabilized_scheme& scheme(int stages) {
    struct place {
      std::once_flag once;
      stabilized_scheme scheme;
    };
    static place places[degrees];
    int i = 0;
    while (i < degrees - 1 && rock4_table[i].polynomial.stages < stages) ++i;
    std::call_once(places[i].once, [i] { make(rock4_table[i], places[i].scheme); });
    return places[i].scheme;
  }

 private:
  static void make(const rock4_entry& of, stabilized_scheme& scheme) {
    set_rock_rows(of.polynomial, scheme);
    scheme.finish = 4;
    for (int i = 1, k = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) scheme.a[i][j] = of.a[k++];
    for (int i = 0; i < 4; ++i) scheme.b[i] = of.b[i];
    for (int i = 0; i < 5; ++i) scheme.e[i] = of.e[i];
    if (of.split > 0) scheme.split = of.split;
    scheme.smooth = scheme.split < scheme.m;
    for (const auto& look : of.looks)
      if (look.weights[0] != 0) scheme.looks[scheme.look_count++] = look;
    scheme.set_nodes();
  }
};

}  // namespace revode
