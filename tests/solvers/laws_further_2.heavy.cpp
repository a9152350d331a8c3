// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "laws.hpp"

namespace revode {

TEST_CASE(
    "laws, last third of the further methods: replay, dot products, duals on the frozen grid") {
  check_laws_of_part<2>(further_methods{});
}

}  // namespace revode
