// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <revode/adjoint/pull_save_values.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using state = vec<double, 2>;

const problem turning{[](auto, const auto& y, const auto& p, auto& dy) {
                        dy[0] = p[0] * y[1];
                        dy[1] = -p[0] * y[0];
                      },
                      state{1.0, 0.0}, 0.0, 1.0, vec{2.0}};

/// (t y0, y0 y1)
constexpr auto products = [](auto t, const auto& y) {
  return std::remove_cvref_t<decltype(y)>{t * y[0], y[0] * y[1]};
};

const options precise{
    .rtol = 1e-11, .atol = 1e-13, .save = {.t0 = true, .ts = {0.2, 0.25, 0.9}, .t1 = true}};

}  // namespace

TEST_CASE("values of (t, y) are kept in place of the states at the same points") {
  const auto whole = solve(turning, tsit5{}, precise);
  const auto s = solve(turning, tsit5{}, precise, save_values{products});
  CHECK(s.ts == whole.ts);
  CHECK(s.ys.empty());
  REQUIRE(s.values.size() == 5);
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(s.values[k][0] == s.ts[k] * whole.ys[k][0]);
    CHECK(s.values[k][1] == whole.ys[k][0] * whole.ys[k][1]);
  }
  const auto first = solve(turning, tsit5{}, options{.save = {.every = 2}},
                           save_values{[](double, const auto& y) { return y[0]; }});
  CHECK(first.values.size() == first.ts.size());
  CHECK(static_cast<index>(first.values.size()) == first.stats.accepted / 2);
  CHECK(first.values.back() == doctest::Approx(std::cos(2 * first.ts.back())).epsilon(1e-5));
}

TEST_CASE("the gradient goes through the values: closed forms in y0, p, ts, t0 and t1") {
  // values: (t cos(pt), −sin(pt) cos(pt)); L = Σ a_k value_k0 + b_k value_k1
  auto s =
      solve(turning, tsit5{}, precise, save_values{products}, recursive_checkpoint{.slots = 4});
  value_cotangents<state, state> w;
  double of_p = 0, of_t1 = 0, of_first = 0;
  std::vector<double> of_ts;
  for (std::size_t k = 0; k < 5; ++k) {
    const double a = 1 + 0.5 * double(k), b = double(k) - 2, t = s.ts[k];
    w.values.push_back({a, b});
    of_p += -a * t * t * std::sin(2 * t) - b * t * std::cos(4 * t);
    const double slope = a * (std::cos(2 * t) - 2 * t * std::sin(2 * t)) - 2 * b * std::cos(4 * t);
    if (k > 0 && k < 4) of_ts.push_back(slope);
    if (k == 4) of_t1 = slope;
    of_first += a * t * std::cos(2 * t) - 2 * b * std::sin(2 * t) * std::cos(2 * t);
  }
  const auto g = s.pullback(w);
  CHECK(g.p[0] == doctest::Approx(of_p).epsilon(1e-9));
  CHECK(g.y0[0] == doctest::Approx(of_first).epsilon(1e-9));
  CHECK(g.t1 == doctest::Approx(of_t1).epsilon(1e-8));
  REQUIRE(g.ts.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) CHECK(g.ts[k] == doctest::Approx(of_ts[k]).epsilon(1e-8));
  w.values.pop_back();
  try {
    s.pullback(w);
    CHECK(false);
  } catch (const std::invalid_argument& wrong) {
    CHECK(std::string(wrong.what()) ==
          "4 cotangents for 5 saved values (each has one) give as many?");
  }
}

}  // namespace revode
