// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "bdf12.hpp"

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

using contract::bdf12;

/// A stiff, driven, nonlinear pair.
struct relaxation {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = -p[0] * (y[0] - cos(p[1] * t)) + y[1] * y[1];
    dy[1] = y[0] * y[1] * cos(t) - p[1] * y[1];
  }
};

TEST_CASE("BDF: history, reused Jacobian and recorded decisions replay and pull like one step") {
  problem q{relaxation{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  for (const double fixed : {0.0, 0.02}) {
    options o{.rtol = 1e-4, .atol = 1e-6, .fixed_step = fixed};
    o.save.ts = {0.213, 0.2131, 1.413};
    const recursive_checkpoint adjoint{.slots = 3};

    CHECK(replay_law(q, bdf12{}, o).what == "");
    CHECK(dot_product_law(q, bdf12{}, o, adjoint, 1).worst < 1e-12);
    CHECK(frozen_grid_law(q, bdf12{}, o, adjoint).worst < 1e-10);
    CHECK(finite_difference_check(q, bdf12{}, o, adjoint).worst < 1e-6);
    CHECK(
        equal_gradients_law(q, bdf12{}, o, adjoint, {.schedule = schedule_kind::store_all}).what ==
        "");
    CHECK(equal_gradients_law(q, bdf12{}, o, adjoint, {.slots = 1}).what == "");
  }
}

TEST_CASE("BDF: the derivatives by t0 and t1 move along the solution, and the order is 2") {
  problem q{relaxation{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  auto s = solve(q, bdf12{}, {}, recursive_checkpoint{});
  const auto g = s.pullback(vec{1.0, -2.0});
  vec<double, 2> f0{}, f1{};
  q.f(q.t0, q.y0, q.p, f0);
  q.f(q.t1, s.y, q.p, f1);

  CHECK(g.t0 == -dot(f0, g.y0));
  CHECK(g.t1 == dot(f1, vec{1.0, -2.0}));
  CHECK(order_law(bdf12{}, driven_pair).holds);
  CHECK(order_law(bdf12{}, pendulum).holds);
  CHECK(dense_order_law(bdf12{}, driven_pair).holds);
  CHECK(
      equivariance_law(q, bdf12{}, {.fixed_step = 0.01}, change_of_variables::shear, 1e-12).holds);
}

}  // namespace
}  // namespace revode
