// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/value_and_checked_gradient.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/batch/gradient_error.hpp>
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

TEST_CASE("every lane's gradient knows its error, in the bits of the lane alone") {
  ensemble<decline, vec<double, 1>, vec<double, 1>> e{.t1 = {2.0}, .p = {}};
  for (int l = 0; l < 9; ++l) {
    e.y0.push_back({1 + 0.5 * l});
    e.p.push_back({0.5 + 0.25 * l});
  }
  e.rtol.assign(9, 1e-4);
  e.atol = {1e-4};
  const options o{.rtol = 1e-2, .atol = 1e-7};
  const auto lanes = value_and_checked_gradient(e, tsit5{}, o, last{}, {}, 0.1, on_host{});
  REQUIRE(lanes.error.size() == 9);
  for_each_lane_alone(e, o, [&](index lane, const auto& q, const options& of) {
    const auto l = static_cast<std::size_t>(lane);
    const auto loss = [](const auto& y) { return y[0]; };
    const auto alone = value_and_checked_gradient(q, tsit5{}, of, loss);
    CHECK(alone.gradient->p == lanes.p[l]);
    CHECK(alone.gradient->error->p == lanes.error[l].p);
    CHECK(alone.gradient->error->y0 == lanes.error[l].y0);
    CHECK(alone.gradient->error->loss == lanes.error[l].loss);
    CHECK(alone.gradient->error->relative == lanes.error[l].relative);
    const double y0 = e.y0[l][0], p = e.p[l][0], shrunk = 1 + 2 * p * y0;
    const double exact = -2 * y0 * y0 / (shrunk * shrunk);
    const double error = lanes.p[l][0] - exact, estimate = lanes.error[l].p[0];
    CAPTURE(error);
    CAPTURE(estimate);
    CHECK(std::abs(estimate) > 0.1 * std::abs(error));
    CHECK(std::abs(estimate) < 10 * std::abs(error));
  });
  e.rtol.clear(), e.atol.clear();
  int told_by_tighter = 0;
  const options loose{.rtol = 1e-3, .atol = 1e-3};
  const auto g = value_and_checked_gradient(e, tsit5{}, loose, last{}, {}, 0.1, on_host{});
  for_each_lane_alone(e, loose, [&](index lane, const auto& q, const options& of) {
    const auto& error = g.error[static_cast<std::size_t>(lane)];
    const auto alone =
        value_and_checked_gradient(q, tsit5{}, of, [](const auto& y) { return y[0]; });
    CHECK(alone.gradient->error->p == error.p);
    CHECK(alone.gradient->error->tighter.accepted == error.tighter.accepted);
    told_by_tighter += error.tighter.accepted > 0 ? 1 : 0;
  });
  CHECK(told_by_tighter > 0);
  CHECK(told_by_tighter < 9);
}

TEST_CASE("a lane whose error is too large says so, and one without a gradient has none") {
  ensemble<decline, vec<double, 1>, vec<double, 1>> e{
      .y0 = {{1.0}, {-1.0}}, .t1 = {2.0}, .p = {{1.0}}};  // the second one ends at infinity
  const options o{.rtol = 1e-4, .atol = 1e-4, .max_steps = 200};
  const auto all = value_and_checked_gradient(e, tsit5{}, o, last{}, {}, 0.0, on_host{});
  CHECK(all.status[0] == status::gradient_not_resolved);
  CHECK(std::isfinite(all.p[0][0]));
  CHECK(all.status[1] != status::success);
  CHECK(all.status[1] != status::gradient_not_resolved);
  CHECK(all.error[1].relative == 0);
}

}  // namespace revode
