// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/references.hpp>

namespace revode {

template <class F>
auto problem_of(const F& f, double t1 = F::t1) {
  return problem{f, f.y0(), F::t0, t1, f.parameters()};
}

/// Dot products, replays, budgets, duals on the frozen grid; differences would leave the constraints.
template <class M, class F>
void check_index_laws(const M& m, const F& f, const options& o, double t1, double per) {
  CAPTURE(std::string(F::name));
  CAPTURE(std::string(M::name));
  CAPTURE(o.fixed_step);
  const auto q = problem_of(f, t1);
  const law_result product = dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1, per);
  CHECK_MESSAGE(product.holds, product.worst);
  // What a solve keeps of Newton's rates decides whether hard steps converge: replays of a solve's own steps.
  const law_result again = o.fixed_step > 0 ? replay_law(q, m, o) : replay_law_of_solve(q, m, o);
  CHECK_MESSAGE(again.holds, again.what);
  const law_result same = equal_gradients_law(q, m, o, recursive_checkpoint{.slots = 1},
                                              recursive_checkpoint{.slots = 1000});
  CHECK_MESSAGE(same.holds, same.what);
  const law_result frozen = frozen_grid_law(q, m, o, recursive_checkpoint{}, 1e-10);
  CHECK_MESSAGE(frozen.holds, frozen.worst);
}

}  // namespace revode
