// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/implicit/implicit.hpp>

#include "implicit_fields.hpp"

namespace revode {
namespace {

TEST_CASE("ESDIRK laws: trapezoid, kvaerno3, kvaerno4, kvaerno5, kencarp3") {
  for (const double stiffness : {40.0, 4e4}) {
    const vec y0{0.5, 1.0}, p{stiffness, 1.3};
    check_implicit_laws(trapezoid{}, y0, p);
    check_implicit_laws(kvaerno3{}, y0, p);
    check_implicit_laws(kvaerno4{}, y0, p);
    check_implicit_laws(kvaerno5{}, y0, p);
    check_implicit_laws(kencarp3{}, y0, p);
  }
}

}  // namespace
}  // namespace revode
