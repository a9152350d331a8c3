// SPDX-License-Identifier: Apache-2.0
// What a user's own flags become: KEEPS_BITS says what is expected of them.
#include <revode/state/vec.hpp>

#include <cstdio>

int main() {
  const revode::vec<double, 2> y{1.0, 2.0};
  std::printf("%g %g, bits are %s\n", y[0], y[1], revode::keeps_bits() ? "kept" : "not kept");
#if defined(EIGEN_DONT_PARALLELIZE)
  return 1;  // Eigen's threads are the user's own choice
#endif
  return revode::keeps_bits() == KEEPS_BITS && revode::tells_finite() ? 0 : 1;
}
