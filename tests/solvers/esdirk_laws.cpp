// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/implicit/implicit.hpp>

#include "implicit_fields.hpp"

namespace revode {
namespace {

TEST_CASE("ESDIRK: replays, products and duals agree, mild and stiff") {
  for (const double stiffness : {40.0, 4e4}) {
    const vec y0{0.5, 1.0}, p{stiffness, 1.3};
    check_implicit_laws(implicit_euler{}, y0, p);
    check_implicit_laws(tr_bdf2{}, y0, p);
    check_implicit_laws(kencarp4{}, y0, p);
    check_implicit_laws(esdirk547{}, y0, p);
  }
}

}  // namespace
}  // namespace revode
