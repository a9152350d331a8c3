// SPDX-License-Identifier: Apache-2.0
#include <revode/state/vec.hpp>

#include <cstdio>

int main() {
  const revode::vec<double, 2> y{1.0, 2.0};
  std::printf("%g %g\n", y[0], y[1]);
  return y.size() == 2 && !revode::fuses_products() ? 0 : 1;
}
