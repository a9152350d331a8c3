// SPDX-License-Identifier: Apache-2.0
// No macro shows what a pragma does to the arithmetic behind it.
#if defined(__clang__)
#pragma float_control(precise, off)
#else
#pragma GCC optimize("finite-math-only")
#endif
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <revode/solve/solve.hpp>
#include <revode/solvers/euler.hpp>

int main() {
  const auto still = [](auto, const auto& y, const auto&, auto& dy) { dy[0] = 0 * y[0]; };
  try {
    solve(revode::problem{still, revode::vec{1.0}, 0.0, 1.0}, revode::euler{}, {.fixed_step = 0.5});
  } catch (const std::invalid_argument& refusal) {
    std::puts(refusal.what());
    return std::strcmp(
               refusal.what(),
               "a solve in code that takes every number for finite (-ffinite-math-only, by a "
               "pragma perhaps: NaN would pass for a solution) compile with "
               "-fno-finite-math-only?") != 0;
  }
  return 1;
}
