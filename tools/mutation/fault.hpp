// SPDX-License-Identifier: Apache-2.0
// Read before every source file of the tree with faults in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <Eigen/Dense>

namespace revode_fault {

inline constexpr int most = 2048;
inline unsigned char reached[most];

inline int active() {
  static const int number = [] {
    const char* text = std::getenv("REVODE_FAULT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return number;
}

inline bool reach(int number) {
  reached[number] = 1;
  return number == active();
}

/// Is this fault the one of this run? Never while the compiler evaluates.
constexpr bool on(int number) { return !__builtin_is_constant_evaluated() && reach(number); }

}  // namespace revode_fault
