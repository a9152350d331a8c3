// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>

#include "every_way.hpp"

#include <revode/interop/eigen.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {

using every_way_of::check;

TEST_CASE("the same bits for every schedule, budget, tier and log: Lorenz by other methods") {
  const lorenz field;
  const problem chaotic{field, field.y0(), 0., 4., field.parameters()};
  SUBCASE("dop853") { check<dop853>(chaotic, {.rtol = 1e-7, .atol = 1e-7}, vec{1., 2., 3.}); }
  SUBCASE("rk4") { check<rk4>(chaotic, {.fixed_step = 0.03}, vec{1., 2., 3.}); }
}

TEST_CASE("the same bits for every schedule, budget, tier and log: an Eigen state, recorded") {
  const auto ring = [](const auto& t, const auto& y, const auto& p, auto& dy) {
    using std::sin;
    for (int i = 0, n = static_cast<int>(y.size()); i < n; ++i)
      dy[i] = p[0] * y[(i + 1) % n] * sin(t * t) - y[i] * t;
  };
  const Eigen::VectorXd y0 = Eigen::VectorXd::LinSpaced(5, 0.2, 1.1);
  const problem q{ring, y0, 0., 2., Eigen::VectorXd(Eigen::VectorXd::Constant(1, 1.3))};
  check<tsit5>(q, {.rtol = 1e-7, .max_step = 0.05, .save = {.ts = {0.3, 1.9}}}, y0);
}

}  // namespace revode
