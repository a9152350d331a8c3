// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <revode/ad/functions.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

/// Solves for parts x₁ … x_K by iterative refinement from where they are: residual() puts what is
/// left into `rest`, correct() turns that into a correction. Ends when corrections fall no longer
/// and are down to rounding; false when that takes more than `most` sweeps or does not come about.
/// source  Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. (2002), chapter 12
template <class Y, int K, class Residual, class Correct>
bool refine(Y (&x)[K], Y (&rest)[K], const Residual& residual, const Correct& correct,
            int most = 12) {
  using T = scalar_t<Y>;
  const double eps = static_cast<double>(std::numeric_limits<decltype(value_of(T{}))>::epsilon());
  double before = 0;
  for (int sweep = 0; sweep < most; ++sweep) {
    residual();
    correct();
    double change = 0, size = 0;
    for (int k = 0; k < K; ++k) {
      add(rest[k], x[k]);
      for (int i = 0, n = length(x[k]); i < n; ++i) {
        change = std::fmax(change, std::abs(static_cast<double>(value_of(rest[k].data()[i]))));
        size = std::fmax(size, std::abs(static_cast<double>(value_of(x[k].data()[i]))));
      }
    }
    if (!(size - size == 0)) return false;
    if (change <= eps * size) return true;
    if (sweep > 0 && change > 0.25 * before) return change <= 64 * eps * size;
    before = change;
  }
  return false;
}

}  // namespace revode
