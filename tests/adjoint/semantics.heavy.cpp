// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "semantics_laws.hpp"

#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {

TEST_CASE("duals on the frozen grid through events: explicit methods, a Rosenbrock method") {
  semantics::by_duals(bosh3{}, 1e-12);
  semantics::by_duals(dop853{}, 1e-12);
  semantics::by_duals(rodas5p{}, 1e-11);
}

}  // namespace revode
