// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include "cell.hpp"

namespace revode::combinations {

/// The choice of a draw: neighbours differ on most axes, and product_size draws one after the other are
/// the whole product, since the factor, about the golden ratio of its size, has no divisor with it in common.
constexpr choice drawn(int draw) {
  constexpr long factor = 22427;
  static_assert(std::gcd(factor, long{product_size}) == 1);
  int rest = static_cast<int>(draw * factor % product_size);
  choice c{};
  for (std::size_t i = 0; i < axes; ++i) {
    c[i] = rest % sizes[i];
    rest /= sizes[i];
  }
  return c;
}

/// The cells of the draws from First to before Past, those that are not refused.
template <int First, int Past>
void run_drawn() {
  if constexpr (First < Past) {
    constexpr choice c = drawn(First);
    if constexpr (refusal(c).empty()) run_cell_of<c>();
    run_drawn<First + 1, Past>();
  }
}

}  // namespace revode::combinations
