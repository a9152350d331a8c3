// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/references.hpp>

#include "mass_problems.hpp"

namespace revode {

/// Dot products, replays, budgets, duals on the frozen grid and differences, adaptive and in equal steps.
template <class M, class F>
void check_mass_laws(const M& m, const F& f) {
  const problem q{f, f.start(), 0.0, 1.5, vec{0.7, 1.3}};
  for (const double fixed : {0.0, 0.05}) {
    CAPTURE(std::string(M::name));
    CAPTURE(fixed);
    options o{.rtol = 1e-5, .atol = 1e-7, .fixed_step = fixed};
    o.save.ts = {0.21, 0.98, 1.4};
    const law_result product = dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1);
    CHECK_MESSAGE(product.holds, product.worst);
    const law_result again = replay_law(q, m, o);
    CHECK_MESSAGE(again.holds, again.what);
    const law_result same = equal_gradients_law(q, m, o, recursive_checkpoint{.slots = 1},
                                                recursive_checkpoint{.slots = 1000});
    CHECK_MESSAGE(same.holds, same.what);
    const law_result frozen = frozen_grid_law(q, m, o, recursive_checkpoint{}, 1e-10);
    CHECK_MESSAGE(frozen.holds, frozen.worst);
  }
  const law_result differences =
      finite_difference_check(q, m, {.fixed_step = 0.05}, recursive_checkpoint{}, 1e-6);
  CHECK_MESSAGE(differences.holds, differences.worst);
}

}  // namespace revode
