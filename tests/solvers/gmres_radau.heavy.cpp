// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/linalg/gmres.hpp>
#include <revode/solvers/radau_iia5.hpp>

#include "algebra_laws.hpp"

namespace revode {
namespace {

TEST_CASE("matrix-free algebra: Radau IIA takes the dense steps, and its gradient is as exact") {
  check_algebra(radau_iia5{}, gmres<>{{}, {.restart = 50}}, false);
}

}  // namespace
}  // namespace revode
