// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/implicit/implicit.hpp>

#include <vector>

#include "implicit_fields.hpp"

namespace revode {
namespace {

TEST_CASE("ESDIRK laws: kencarp5, esdirk325, esdirk436, esdirk54i8") {
  for (const double stiffness : {40.0, 4e4}) {
    const vec y0{0.5, 1.0}, p{stiffness, 1.3};
    check_implicit_laws(kencarp5{}, y0, p);
    check_implicit_laws(esdirk325{}, y0, p);
    check_implicit_laws(esdirk436{}, y0, p);
    check_implicit_laws(esdirk54i8{}, y0, p);
  }
}

TEST_CASE("ESDIRK: and for states of a size known at run time only") {
  check_implicit_laws(esdirk436{}, std::vector{0.5, 1.0}, std::vector{4e4, 1.3});
}

}  // namespace
}  // namespace revode
