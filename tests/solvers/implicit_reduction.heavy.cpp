// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/implicit/implicit.hpp>

#include "order_reduction.hpp"

namespace revode {
namespace {

// The stage order, 2 and 3, is what is left on the first.
TEST_CASE("order of implicit methods on Prothero and Robinson's problem and on moving boundaries") {
  check_reduction(implicit_euler{}, 1, 1);
  check_reduction(trapezoid{}, 2, 2);
  check_reduction(tr_bdf2{}, 2, 2);
  check_reduction(kvaerno3{}, 2, 3);
  check_reduction(kencarp3{}, 2, 3);
  check_reduction(esdirk325{}, 2, 2.8);
  check_reduction(kvaerno4{}, 2, 3);
  check_reduction(kencarp4{}, 2, 3.2);
  check_reduction(esdirk436{}, 2, 3.2);
  check_reduction(kvaerno5{}, 2, 3.3);
  check_reduction(kencarp5{}, 2, 3.5);
  check_reduction(esdirk547{}, 2, 3.4);
  check_reduction(esdirk54i8{}, 2, 3.2);
  check_reduction(radau_iia5{}, 3, 4.1);
}

}  // namespace
}  // namespace revode
