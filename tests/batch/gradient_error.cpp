// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// y' = −p y²: y(t) = y0 / (1 + p y0 t).
struct decline {
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -(p[0] * y[0] * y[0]);
  }
};
struct last {
  template <class T>
  REVODE_HD T operator()(index, const vec<T, 1>& y) const {
    return y[0];
  }
};

}  // namespace

TEST_CASE("every lane's gradient knows its error, lane by lane: the guide's lines") {
  ensemble<decline, vec<double, 1>, vec<double, 1>> e{.t1 = {2.0}, .p = {}};
  for (int l = 0; l < 9; ++l) {
    e.y0.push_back({1 + 0.5 * l});
    e.p.push_back({0.5 + 0.25 * l});
  }
  const options o{.rtol = 1e-4, .atol = 1e-4};
  ensemble_solver<tsit5, decline, vec<double, 1>, vec<double, 1>, on_host> solver(e, tsit5{}, o);
  const auto lanes = solver.gradient(last{});

  std::vector<gradient<vec<double, 1>, vec<double, 1>>> alone(e.y0.size());
  for_each_lane_alone(e, o, [&](index l, const auto& q, const options& of) {
    const auto loss = [](const auto& y) { return y[0]; };
    alone[std::size_t(l)] =
        *value_and_gradient(q, tsit5{}, of, loss, {.estimate_error = true}).gradient;
  });
  for (std::size_t l = 0; l < alone.size(); ++l) {
    CHECK(alone[l].p == lanes.p[l]);
    CHECK(alone[l].y0 == lanes.y0[l]);
    const double y0 = e.y0[l][0], p = e.p[l][0], shrunk = 1 + 2 * p * y0;
    const double exact = -2 * y0 * y0 / (shrunk * shrunk);
    const double error = alone[l].p[0] - exact, estimate = alone[l].error->p[0];
    CAPTURE(error);
    CAPTURE(estimate);
    CHECK(std::abs(estimate) > 0.1 * std::abs(error));
    CHECK(std::abs(estimate) < 10 * std::abs(error));
  }
}

}  // namespace revode
