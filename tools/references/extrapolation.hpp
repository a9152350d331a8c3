// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace revode::references {

/// Gragg's method with n = 2, 4, … substeps and Neville's table; returns its last difference,
/// relative.
template <class G, class real>
real extrapolated(const G& g, const real& t, std::vector<real>& y, const std::vector<real>& p,
                  const real& h, int columns) {
  using vector = std::vector<real>;
  const auto as = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<vector> table;
  real difference = 0;
  vector dy(y.size());
  for (int j = 0; j < columns; ++j) {
    const int n = 2 * (j + 1);
    const real k = h / n;
    vector before = y, now(y.size());
    g(t, before, p, dy);
    for (std::size_t i = 0; i < y.size(); ++i) now[i] = before[i] + k * dy[i];
    for (int m = 1; m < n; ++m) {
      g(t + m * k, now, p, dy);
      for (std::size_t i = 0; i < y.size(); ++i) before[i] += 2 * k * dy[i];
      std::swap(before, now);
    }
    table.push_back(now);
    for (int c = j - 1; c >= 0; --c) {
      const real ratio = real(j + 1) / (c + 1);
      difference = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        real& entry = table[as(c)][i];
        const real& finer = table[as(c) + 1][i];
        const real change = (finer - entry) / (ratio * ratio - 1);
        difference = std::max<real>(difference, abs(change) / (real(1e-3) + abs(finer)));
        entry = finer + change;
      }
    }
  }
  y = table.front();
  return difference;
}

/// y' = g(t, y, p) from t to t1 by it, each step within the tolerance; the first is a 10⁻⁵th of the way.
struct extrapolation_counts {
  long steps = 0, rejected = 0;
};
template <class G, class real>
extrapolation_counts extrapolate(const G& g, real t, const real& t1, std::vector<real>& y,
                                 const std::vector<real>& p, const real& tolerance, int columns) {
  real h = (t1 - t) * real(1e-5);
  extrapolation_counts counts;
  while (t < t1) {
    const bool last = t + h >= t1;
    if (last) h = t1 - t;
    std::vector<real> trial = y;
    const real difference = extrapolated(g, t, trial, p, h, columns);
    const bool finite = difference < 1e10;  // false of a NaN
    if (finite && difference <= tolerance) {
      t = last ? t1 : real(t + h), y = trial, ++counts.steps;
    } else {
      ++counts.rejected;
    }
    const real least = tolerance * real(1e-9);
    const real ratio = finite ? real(tolerance / std::max(difference, least)) : real(0);
    const real factor = real(0.8) * pow(ratio, real(1) / (2 * columns - 1));
    h *= std::clamp<real>(factor, real(0.1), real(3));
  }
  return counts;
}

}  // namespace revode::references
