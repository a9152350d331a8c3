// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "semantics_laws.hpp"

#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/radau_iia5.hpp>

namespace revode {

// Stages solved to rounding: what Newton leaves is no part of the implicit function theorem.
TEST_CASE("duals on the frozen grid through events: implicit methods") {
  semantics::by_duals(kvaerno3{.newton = 1e-8}, 1e-10);
  semantics::by_duals(radau_iia5{.newton = 1e-8}, 1e-10);
}

}  // namespace revode
