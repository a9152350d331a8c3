// SPDX-License-Identifier: Apache-2.0
#include <adjoint/gradient_resolved.hpp>

#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>

using namespace revode;

TEST_CASE("a gradient that its steps do not resolve never ends with success") {
  check_resolution(kencarp4{});
  check_resolution(radau_iia5{});
  check_resolution(radau_iia9{});
}
