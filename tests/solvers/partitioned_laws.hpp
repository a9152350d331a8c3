// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

namespace revode {

/// Two bodies, driven through time when p[1] is not 0: separable, and not autonomous.
struct driven_kepler {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sqrt;
    const auto r2 = y[0] * y[0] + y[1] * y[1];
    const auto pull = p[0] / (r2 * sqrt(r2));
    dy[0] = y[2] + p[1] * t;
    dy[1] = y[3];
    dy[2] = -(pull * y[0]) + p[1] * cos(t);
    dy[3] = -(pull * y[1]);
  }
};

template <class M>
void check_symplectic(const M& m, int evaluations) {
  CAPTURE(std::string(M::name));
  problem q{driven_kepler{}, vec{1.0, 0.0, 0.0, 1.1}, 0.0, 5.0, vec{1.0, 0.1}};
  options o{.fixed_step = 0.05};
  const recursive_checkpoint adjoint{.slots = 3};

  CHECK(solve(q, m, o).stats.field_evaluations == evaluations);
  o.save.ts = {0.0, 0.312, 0.333, 4.1, 5.0};
  CHECK(replay_law(q, m, o).holds);
  CHECK(dot_product_law(q, m, o, adjoint, 1).holds);
  CHECK(frozen_grid_law(q, m, o, adjoint).holds);
  CHECK(equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all}).holds);
  o.save.ts = {0.312, 4.11};
  CHECK(finite_difference_check(q, m, o, adjoint).worst < 1e-7);
  const law_result order = order_law(m, pendulum);
  CHECK_MESSAGE(order.holds, order.what);
  const law_result dense = dense_order_law(m, pendulum, M::order < 4 ? M::order : 4);
  CHECK_MESSAGE(dense.holds, dense.what);
}

}  // namespace revode
