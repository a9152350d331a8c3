// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

namespace revode {

/// Reaction and diffusion on n points, y' = p₀ n² Δy + p₁ y (1 − y) + p₂ sin t, closed ends.
struct driven_fisher {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    const int n = length(y);
    for (int i = 0; i < n; ++i) {
      const auto& here = y.data()[i];
      const auto& left = y.data()[i > 0 ? i - 1 : i];
      const auto& right = y.data()[i + 1 < n ? i + 1 : i];
      dy.data()[i] =
          p[0] * T(n * n) * (left - 2 * here + right) + p[1] * here * (1 - here) + p[2] * sin(t);
    }
  }
};

/// rounding  how much more than one it is magnified: the finish of a ROCK method multiplies that of the
///           stiffest components by w(h ρ)
template <class M>
void check_stabilized_laws(const M& m, double diffusion = 0.5, double rounding = 1) {
  CAPTURE(std::string(M::name));
  vec<double, 12> y0{};
  for (int i = 0; i < 12; ++i) y0[i] = i < 4 ? 1.0 : 0.1 * i;
  problem q{driven_fisher{}, y0, 0.0, 1.0, vec{diffusion, 3.0, 0.3}};
  options o{.rtol = 1e-4, .atol = 1e-5};
  const recursive_checkpoint adjoint{.slots = 3};
  for (const double step : {0.0, 0.125, 1.0}) {  // 1: more than 16 stages
    CAPTURE(step);
    o.fixed_step = step;
    o.save.ts = {0.0, 0.312, 0.333, 0.91, 1.0};
    const law_result replayed = replay_law(q, m, o);
    CHECK_MESSAGE(replayed.holds, replayed.what);
    const law_result product = dot_product_law(q, m, o, adjoint, 1, 2e-13 * rounding);
    CHECK_MESSAGE(product.holds, product.worst);
    const law_result frozen = frozen_grid_law(q, m, o, adjoint, 1e-12 * rounding);
    CHECK_MESSAGE(frozen.holds, frozen.what, frozen.worst);
    CHECK(equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all}).holds);
  }
  o.fixed_step = 0.125;
  q.p[0] = 0.05;
  o.save.ts = {0.312, 0.91};
  CHECK(finite_difference_check(q, m, o, adjoint).worst < 1e-7);
}

template <class M>
void check_stabilized_order(const M& m) {
  const law_result order = order_law(m, driven_pair);
  CHECK_MESSAGE(order.holds, order.what);
  const law_result dense = dense_order_law(m, driven_pair, M::dense_order);
  CHECK_MESSAGE(dense.holds, dense.what);
}

}  // namespace revode
