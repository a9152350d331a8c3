// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "order_reduction.hpp"
#include "rosenbrock_methods.hpp"

namespace revode {
namespace {

TEST_CASE("order on Prothero and Robinson's problem and on moving boundary values") {
  check_reduction(rosenbrock23{}, 2, 2);
  check_reduction(ros3p{}, 2, 2.8);
  check_reduction(rodas3{}, 1, 2);
  check_reduction(rodas3p{}, 2, 2.9);
  check_reduction(rodas4{}, 0.9, 2.3);
  check_reduction(rodas4p{}, 3, 4);
  check_reduction(rodas4p2{}, 3, 4);
  check_reduction(rodas5{}, 1.1, 2.4);
  check_reduction(rodas5p{}, 3, 4);
  check_reduction(ros34pw2{}, 2, 2.9);
}

}  // namespace
}  // namespace revode
