// SPDX-License-Identifier: Apache-2.0
#include "rosenbrock_laws.hpp"

namespace revode {
namespace {

TEST_CASE(
    "Rosenbrock methods of each kind: replay, dot products, duals on the frozen grid, "
    "differences") {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  for_some_rosenbrock([&](const auto& m) { check_laws(m, q); });
}

}  // namespace
}  // namespace revode
