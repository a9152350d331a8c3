// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
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
    o.save = {.t0 = true, .ts = {0.0, 0.21, 0.98, 1.4}};
    const law_result product = dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1);
    CHECK_MESSAGE(product.holds, product.worst);
    const law_result again = replay_law(q, m, o);
    CHECK_MESSAGE(again.holds, again.what);
    const law_result same = equal_gradients_law(q, m, o, recursive_checkpoint{.slots = 1},
                                                recursive_checkpoint{.slots = 1000});
    CHECK_MESSAGE(same.holds, same.what);
    o.save.t0 = false;  // as the law asks
    const law_result frozen = frozen_grid_law(q, m, o, recursive_checkpoint{}, 1e-10);
    CHECK_MESSAGE(frozen.holds, frozen.worst);
  }
  const law_result differences =
      finite_difference_check(q, m, {.fixed_step = 0.05}, recursive_checkpoint{}, 1e-6);
  CHECK_MESSAGE(differences.holds, differences.worst);
}

/// A Hessian product beside the difference of two gradients.
template <class M>
void check_mass_hessian(const M& m) {
  CAPTURE(std::string(M::name));
  const problem z{blended{}, blended::start(), 0.0, 1.5, vec{0.7, 1.3}};
  const options o{.fixed_step = 0.05, .save = {.t0 = true, .ts = {0.0, 0.7}}};
  const auto loss = [](const auto& y, const auto& ys) {
    return y[0] * y[0] * y[2] + y[1] * y[2] + ys[0][1] * ys[1][2] + ys[2][0] * ys[0][2];
  };
  const tangents<vec<double, 3>, vec<double, 2>> v{.y0 = {0.3, -0.2, 0.5}, .p = {0.4, 0.7}};
  const auto h = hessian_vector_product(z, m, o, loss, v);
  constexpr double step = 1e-5;
  auto above = z, below = z;
  axpy(step, v.y0, above.y0), axpy(-step, v.y0, below.y0);
  axpy(step, v.p, above.p), axpy(-step, v.p, below.p);
  const auto a = *value_and_gradient(above, m, o, loss).gradient;
  const auto b = *value_and_gradient(below, m, o, loss).gradient;
  for (int i = 0; i < 3; ++i)
    CHECK(h.product->y0[i] == doctest::Approx((a.y0[i] - b.y0[i]) / (2 * step)).epsilon(1e-6));
  for (int i = 0; i < 2; ++i)
    CHECK(h.product->p[i] == doctest::Approx((a.p[i] - b.p[i]) / (2 * step)).epsilon(1e-6));
}

}  // namespace revode
