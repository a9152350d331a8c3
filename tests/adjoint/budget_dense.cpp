// SPDX-License-Identifier: Apache-2.0
#include "budget_check.hpp"

#include <revode/solvers/bdf.hpp>
#include <revode/solvers/kvaerno5.hpp>
#include <revode/solvers/radau.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/switching.hpp>

namespace revode {

TEST_CASE("a budget counts the dense matrices of states whose size is known at run time") {
  constexpr int n = 60;
  check_budget(n, 100, [] { return radau_iia5{}; });
  check_budget(n, 100, [] { return bdf5{}; });
  check_budget(n, 100, [] { return kvaerno5{}; });
  check_budget(n, 100, [] { return rodas5p{}; });
}

TEST_CASE("a budget counts what steps of more stages take, and the method that waits") {
  constexpr int n = 60;
  check_budget(n, 100, [] { return radau{}; });
  check_budget(n, 10, [] { return tsit5_rodas5p{}; });   // explicit throughout
  check_budget(n, 1e4, [] { return tsit5_rodas5p{}; });  // of both
}

}  // namespace revode
