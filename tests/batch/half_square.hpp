// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// A loss of lanes: half the square of the end state's norm.
struct half_square {
  template <class Y>
  REVODE_HD auto operator()(index, const Y& y) const {
    auto sum = 0.5 * (y[0] * y[0]);
    for (int i = 1; i < static_size_v<Y>; ++i) sum += 0.5 * (y[i] * y[i]);
    return sum;
  }
};

/// |a − b| / |b|
template <class V>
double distance(const V& a, const V& b) {
  double apart = 0, size = 0;
  for (int i = 0; i < length(b); ++i) {
    apart = std::hypot(apart, a[i] - b[i]);
    size = std::hypot(size, b[i]);
  }
  return apart / size;
}

}  // namespace revode
