// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/problems/decay.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

const problem<decay, vec<double, 1>, vec<double, 1>> q{decay{}, {1.5}, 0, 2, {0.5}};
const options tight{.rtol = 1e-11, .atol = 1e-12};

struct square_with_pull {
  int* pulls;
  template <class Y>
  auto operator()(const Y& y) const {
    return y[0] * y[0];
  }
  void pull(const vec<double, 1>& y, vec<double, 1>& y_bar) const {
    ++*pulls;
    y_bar[0] += 2 * y[0];
  }
};

}  // namespace

TEST_CASE("a loss of the final state: y(2)^2 of a decay") {
  const auto r = value_and_gradient(q, tsit5{}, tight, [](const auto& y) { return y[0] * y[0]; });

  const double y = 1.5 * std::exp(-1.0);
  REQUIRE(r.value);
  REQUIRE(r.gradient);
  CHECK(std::abs(*r.value - y * y) < 1e-9);
  CHECK(std::abs(r.gradient->y0[0] - 2 * y * y / 1.5) < 1e-9);
  CHECK(std::abs(r.gradient->p[0] - 2 * y * -2 * y) < 1e-9);
  CHECK(std::abs(r.gradient->t1 - 2 * y * -0.5 * y) < 1e-6);
  CHECK(r.solution.status == status::success);
}

TEST_CASE("a loss that brings its own pull is not recorded, and gives the same bits") {
  int pulls = 0;
  const auto own = value_and_gradient(q, tsit5{}, tight, square_with_pull{&pulls});
  const auto recorded =
      value_and_gradient(q, tsit5{}, tight, [](const auto& y) { return y[0] * y[0]; });
  CHECK(pulls == 1);
  CHECK(*own.value == *recorded.value);
  CHECK(own.gradient->p == recorded.gradient->p);
}

TEST_CASE("a loss of the save points: squared distances to data") {
  options o = tight;
  o.save = {.ts = {0.5, 1, 1.5}};
  const std::vector<double> data{1.0, 0.9, 0.8};
  const auto distance = [&](const auto& y, const auto& ys) {
    auto sum = 0.0 * y[0];
    for (std::size_t k = 0; k < ys.size(); ++k) {
      const auto miss = ys[k][0] - data[k];
      sum += miss * miss;
    }
    return sum;
  };
  const auto r = value_and_gradient(q, tsit5{}, o, distance, {.slots = 3});

  double value = 0, rate = 0, y0 = 0;
  for (std::size_t k = 0; k < data.size(); ++k) {
    const double t = o.save.ts[k], y = 1.5 * std::exp(-0.5 * t), miss = y - data[k];
    value += miss * miss;
    rate += 2 * miss * -t * y;
    y0 += 2 * miss * y / 1.5;
  }
  CHECK(std::abs(*r.value - value) < 1e-9);
  CHECK(std::abs(r.gradient->p[0] - rate) < 1e-9);
  CHECK(std::abs(r.gradient->y0[0] - y0) < 1e-9);
  CHECK(r.gradient->ts.size() == 3);
  CHECK(r.solution.ys.size() == 3);
}

TEST_CASE("a loss that does not depend on the state has a gradient of zero") {
  const auto r = value_and_gradient(q, tsit5{}, {}, [](const auto&) { return 7.0; });
  CHECK(*r.value == 7);
  CHECK(r.gradient->y0[0] == 0);
  CHECK(r.gradient->p[0] == 0);
}

TEST_CASE("a solve that fails gives its status and no value") {
  const auto loss = [](const auto& y) { return y[0]; };
  const auto r = value_and_gradient(q, tsit5{}, {.max_steps = 3}, loss);
  CHECK(r.solution.status == status::max_steps);
  CHECK(r.solution.stats.accepted + r.solution.stats.rejected == 3);
  CHECK_FALSE(r.value);
  CHECK_FALSE(r.gradient);

  const loss_with_running_cost running{
      loss, [](const auto&, const auto& y, const auto&) { return y[0]; }};
  const auto s = value_and_gradient(q, tsit5{}, {.max_steps = 3}, running);
  CHECK(s.solution.status == status::max_steps);
  CHECK_FALSE(s.value);
  CHECK_FALSE(s.gradient);
}

}  // namespace revode
