// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/banded.hpp>
#include <revode/solvers/esdirk436.hpp>
#include <revode/solvers/implicit/esdirk.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

TEST_CASE("banded algebra: ESDIRK takes the dense steps, and its gradient is as exact") {
  check_algebra(esdirk436{}, banded{1, 1, true}, true);
}

}  // namespace
}  // namespace revode
