// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>

namespace revode {

/// How far apart two times must be to be two, around those of a step.
REVODE_HD double time_resolution(double t, double t_new) {
  return 4 * 0x1p-52 * std::fmax(std::abs(t), std::abs(t_new));
}

/// The right end of a bracket of a root, no wider than 2 resolution: g(a) > 0 ≥ g(b), and the result
/// b keeps g(b) ≤ 0. NaN where g is NaN.
/// cost    at most one evaluation more than bisection, about ten for a smooth g
/// source  the method ITP of Oliveira & Takahashi, ACM TOMS 47 (2021) 5:1–24, with κ₁ = 0.2/(b − a),
///         κ₂ = 2, n₀ = 1
template <class G>
REVODE_HD double bracketed_root(const G& g, double a, double b, double ga, double gb,
                                double resolution) {
  const double scale = 0.2 / (b - a);
  double most = resolution * std::exp2(1 + std::ceil(std::log2((b - a) / (2 * resolution))));
  for (int round = 0; b - a > 2 * resolution && round < 1100; ++round, most /= 2) {
    const double half = 0.5 * (b - a), middle = a + half;
    const double secant = (gb * a - ga * b) / (gb - ga);
    const double inward = std::copysign(1.0, middle - secant), shift = scale * (b - a) * (b - a);
    const double truncated = shift <= std::abs(middle - secant) ? secant + inward * shift : middle;
    const double radius = most - half;
    double x = std::abs(truncated - middle) <= radius ? truncated : middle - inward * radius;
    if (!(a < x && x < b)) x = middle;
    if (!(a < x && x < b)) return b;
    const double gx = g(x);
    if (gx != gx) return gx;
    (gx > 0 ? a : b) = x;
    (gx > 0 ? ga : gb) = gx;
  }
  return b;
}

/// A root of g between two values of θ, g > 0 before it and g_to = g(to) ≤ 0. At the start of a
/// stretch the surface may still be too near to see its side: then the bracket begins where that can
/// be seen.
template <class G>
REVODE_HD double root_between(const G& g, double from, double to, double g_to, double resolution) {
  double g_from = g(from);
  while (!(g_from > 0)) {
    if (g_from != g_from) return g_from;
    const double middle = from + 0.5 * (to - from);
    if (to - from <= 2 * resolution || middle == from) return to;
    const double g_middle = g(middle);
    if (g_middle > 0 || g_middle != g_middle) {
      from = middle;
      g_from = g_middle;
    } else {
      to = middle;
      g_to = g_middle;
    }
  }
  return bracketed_root(g, from, to, g_from, g_to, resolution);
}

}  // namespace revode
