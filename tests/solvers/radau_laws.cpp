// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "radau_stages.hpp"

namespace revode {
namespace {

TEST_CASE("radau: replays, products and duals agree, mild and stiff") {
  for (const double stiffness : {40.0, 4e4})
    check_implicit_laws(radau{}, vec{0.5, 1.0}, vec{stiffness, 1.3});
}

TEST_CASE("radau: replays, products, duals and budgets across eleven changes of order") {
  const options o = with_points(flips, {.rtol = 1e-6, .atol = 1e-6});
  check_bits_of_changes(flips, o, 11);
  const recursive_checkpoint adjoint{.slots = 3};
  CHECK(dot_product_law(flips, radau{}, o, adjoint, 1).worst < 1e-12);
  CHECK(frozen_grid_law(flips, radau{}, o, adjoint).worst < 1e-11);
}

TEST_CASE("radau: from every snapshot the rest of the solve has the same bits, whatever the log") {
  check_every_snapshot(flips, {.rtol = 1e-6, .atol = 1e-6, .stops = {3.3}}, 3);
  options o{.rtol = 1e-6, .atol = 1e-6};
  o.discontinuities = {7.7};
  check_every_snapshot(flips, o, 5);
}

}  // namespace
}  // namespace revode
