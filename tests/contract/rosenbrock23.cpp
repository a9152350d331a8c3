// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

#include "rosenbrock23_dense.hpp"

namespace revode {
namespace {

using contract::rosenbrock23;

/// A stiff, driven, nonlinear pair.
struct stiff_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = -p[0] * (y[0] - cos(p[1] * t)) + y[1] * y[1];
    dy[1] = y[0] * y[1] * cos(t) - p[1] * y[1];
  }
};

TEST_CASE("a Rosenbrock method obeys every law, with exact second derivatives") {
  problem q{stiff_field{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  for (const double fixed : {0.0, 0.02}) {
    options o{.rtol = 1e-4, .atol = 1e-6, .fixed_step = fixed};
    o.save.ts = {0.213, 0.2131, 1.413};
    const recursive_checkpoint adjoint{.slots = 3};

    CHECK(replay_law(q, rosenbrock23{}, o).holds);
    CHECK(dot_product_law(q, rosenbrock23{}, o, adjoint, 1).worst < 1e-14);
    CHECK(frozen_grid_law(q, rosenbrock23{}, o, adjoint).worst < 1e-12);
    CHECK(finite_difference_check(q, rosenbrock23{}, o, adjoint).worst < 1e-7);
    CHECK(equal_gradients_law(q, rosenbrock23{}, o, adjoint, {.schedule = schedule_kind::store_all})
              .holds);
  }
}

TEST_CASE("a Rosenbrock method: order 2 at the end and inside, and linear maps commute with it") {
  problem q{stiff_field{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};

  CHECK(order_law(rosenbrock23{}, driven_pair).holds);
  CHECK(order_law(rosenbrock23{}, pendulum).holds);
  CHECK(dense_order_law(rosenbrock23{}, driven_pair).holds);
  CHECK(equivariance_law(q, rosenbrock23{}, {.fixed_step = 0.01}, change_of_variables::shear, 1e-13)
            .holds);
}

}  // namespace
}  // namespace revode
