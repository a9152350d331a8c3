// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

#include "stormer_verlet.hpp"

namespace revode {
namespace {

using contract::stormer_verlet;

/// Two bodies, driven through time when p[1] is not 0.
struct driven_kepler {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sqrt;
    const auto r2 = y[0] * y[0] + y[1] * y[1];
    const auto pull = p[0] / (r2 * sqrt(r2));
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -(pull * y[0]) + p[1] * cos(t);
    dy[3] = -(pull * y[1]);
  }
};

double energy(const vec<double, 4>& y) {
  return (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / std::sqrt(y[0] * y[0] + y[1] * y[1]);
}

TEST_CASE("Störmer–Verlet: one evaluation a step, the laws, and no estimate or dense output") {
  problem q{driven_kepler{}, vec{1.0, 0.0, 0.0, 1.1}, 0.0, 5.0, vec{1.0, 0.1}};
  const options o{.fixed_step = 0.03};
  const recursive_checkpoint adjoint{.slots = 3};

  CHECK(solve(q, stormer_verlet{}, o).stats.field_evaluations == 2 * 167 + 1);
  CHECK(replay_law(q, stormer_verlet{}, o).holds);
  CHECK(dot_product_law(q, stormer_verlet{}, o, adjoint, 1).holds);
  CHECK(frozen_grid_law(q, stormer_verlet{}, o, adjoint).holds);
  CHECK(finite_difference_check(q, stormer_verlet{}, o, adjoint).worst < 1e-8);
  CHECK(equal_gradients_law(q, stormer_verlet{}, o, adjoint, {.schedule = schedule_kind::store_all})
            .holds);
  CHECK(order_law(stormer_verlet{}, pendulum).holds);
  CHECK_THROWS_WITH_AS(solve(q, stormer_verlet{}), doctest::Contains("no error estimate"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(solve(q, stormer_verlet{}, {.fixed_step = 0.1, .save = {.ts = {0.5}}}),
                       doctest::Contains("no dense output"), std::invalid_argument);
}

TEST_CASE("Störmer–Verlet: the energy error stays below its first swing for a hundred orbits") {
  problem q{driven_kepler{}, vec{1.0, 0.0, 0.0, 1.1}, 0.0, 628.0, vec{1.0, 0.0}};
  double first = 0, later = 0;
  for (const double t1 : {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 628.0, 629.0, 630.0, 631.0}) {
    q.t1 = t1;
    const double drift =
        std::abs(energy(solve(q, stormer_verlet{}, {.fixed_step = 0.02}).y) - energy(q.y0));
    (t1 < 10 ? first : later) = std::fmax(t1 < 10 ? first : later, drift);
  }
  CHECK(first < 2e-4);
  CHECK(later < 1.1 * first);
}

}  // namespace
}  // namespace revode
