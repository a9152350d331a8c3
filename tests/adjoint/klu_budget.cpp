// SPDX-License-Identifier: Apache-2.0
#include "budget_check.hpp"

#include <revode/interop/klu.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {

TEST_CASE("a budget counts what KLU makes of patterns") {
  constexpr int n = 300;
  for (const int apart : {1, 17, 60}) {
    CAPTURE(apart);
    const auto on_pattern = [apart] { return klu{pattern_of_rod(n, apart)}; };
    check_budget(n, 100, [&] { return with_algebra<rodas5p, klu>{{}, on_pattern()}; });
    check_budget(n, 100, [&] { return with_algebra<esdirk547, klu>{{}, on_pattern()}; });
    check_budget(n, 100, [&] { return with_algebra<bdf5, klu>{{}, on_pattern()}; });
    check_budget(n, 100, [&] { return with_algebra<radau_iia5, klu>{{}, on_pattern()}; });
  }
}

}  // namespace revode
