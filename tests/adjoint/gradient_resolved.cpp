// SPDX-License-Identifier: Apache-2.0
#include <adjoint/gradient_resolved.hpp>

#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/rodas5p.hpp>

using namespace revode;

TEST_CASE("a gradient that its steps do not resolve never ends with success") {
  check_resolution(rodas5p{});
  check_resolution(esdirk547{});
}
