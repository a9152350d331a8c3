// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/problems/vdpol_stiff.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/implicit/esdirk.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/rosenbrock.hpp>

namespace revode {
namespace {

using two = vec<double, 2>;
using one = vec<double, 1>;

template <class Run>
std::string refusal(Run&& run) {
  try {
    run();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no refusal";
}

}  // namespace

TEST_CASE("control_gradient_error: a relaxation oscillation's derivative, right to the tolerance") {
  const problem<vdpol_stiff, two, one> q{vdpol_stiff{}, {2, 0}, 0, 2, {1e-6}};
  const options o{.rtol = 1e-4, .atol = 1e-4};
  const tangents<two, one> along{.y0 = {}, .p = {1}};
  const auto sum = [](const auto& y) { return y[0] + y[1]; };
  const double right = 855.5667;
  const auto compare = [&](const auto& m, double off, index fewest, index most) {
    const auto plain = solve(q, m, o, along);
    CHECK(std::abs(sum(plain.y_dot) / right - 1) > off);
    const auto s = solve(q, m, o, control_gradient_error{along});
    REQUIRE(s.status == status::success);
    CHECK(std::abs(sum(s.y_dot) / right - 1) < 10 * o.rtol);
    CHECK(std::abs(sum(s.y) - 0.8133583) < 100 * o.rtol);
    CHECK(s.stats.accepted >= fewest);
    CHECK(s.stats.accepted <= most);
    CHECK(s.solves <= 4);
    const auto r = value_and_gradient(q, m, o, sum, control_gradient_error{along});
    CHECK(*r.value == sum(s.y));
    CHECK(std::abs(r.gradient->p[0] / right - 1) < 10 * o.rtol);
    CHECK(std::abs(r.gradient->p[0] / sum(s.y_dot) - 1) < 1e-3);
  };
  compare(rodas5p{}, 50, 2500, 4500);     // plain: 211 steps, a derivative of 49,195
  compare(esdirk547{}, 400, 2000, 3800);  // 180 steps, 412,361
  const auto any =
      value_and_gradient(q, rodas5p{}, o, sum, control_gradient_error{random_directions{}});
  CHECK(std::abs(any.gradient->p[0] / right - 1) < 100 * o.rtol);
  CHECK(std::abs(any.gradient->y0[0] / 2.7734 - 1) < 100 * o.rtol);
}

TEST_CASE("control_gradient_error: its reverse pass pulls one cotangent") {
  const problem<vdpol_stiff, two, one> q{vdpol_stiff{}, {2, 0}, 0, 0.5, {1e-3}};
  const options o{.rtol = 1e-5, .atol = 1e-5};
  const auto sum = [](const auto& y) { return y[0] + y[1]; };
  const auto plain = value_and_gradient(q, rodas5p{}, o, sum);
  const auto all =
      value_and_gradient(q, rodas5p{}, o, sum, control_gradient_error{random_directions{}});
  CHECK(all.gradient->reverse.vjp_evaluations * plain.solution.stats.accepted ==
        plain.gradient->reverse.vjp_evaluations * all.solution.stats.accepted);
}

TEST_CASE("control_gradient_error: several directions at once, each as by itself") {
  const problem<vdpol_stiff, two, one> q{vdpol_stiff{}, {2, 0}, 0, 0.5, {1e-3}};
  const options o{.rtol = 1e-6, .atol = 1e-6, .save = {.ts = {0.3}, .t1 = true}};
  const std::array ways{tangents<two, one>{.y0 = {1, 0}, .p = {0}},
                        tangents<two, one>{.y0 = {0, 0}, .p = {1}}};
  const auto both = solve(q, rodas5p{}, o, control_gradient_error{ways});
  REQUIRE(both.status == status::success);
  REQUIRE(both.sizes.size() == 2);
  REQUIRE(both.ys_dot.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto alone = solve(q, rodas5p{}, o, control_gradient_error{ways[k]});
    CHECK(both.sizes[k] == alone.sizes[0]);
    for (int i = 0; i < 2; ++i)
      CHECK(std::abs(both.y_dot[k][i] - alone.y_dot[i]) < 1e-4 * alone.sizes[0]);
    CHECK(both.ys_dot[1][k] == both.y_dot[k]);
    CHECK(std::abs(both.ys_dot[0][k][0] - alone.ys_dot[0][0]) < 1e-4 * alone.sizes[0]);
  }
}

TEST_CASE("random directions: by seed, element by element within half and all of its size") {
  const vec<double, 3> y0{2, 0, -30};
  const vec<double, 2> p{1e-6, 0};
  const auto ways = random_directions<2, 1>{.seed = 7}(y0, p);
  REQUIRE(ways.size() == 3);
  const auto within = [](double x, double size) {
    CHECK(std::abs(x) >= 0.5 * size);
    CHECK(std::abs(x) <= size);
  };
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(ways[k].y0 == vec{0.0, 0.0, 0.0});
    within(ways[k].p[0], 1e-6);
    within(ways[k].p[1], 1e-6);  // an element at 0 has the size of the largest
  }
  CHECK(ways[2].p == vec{0.0, 0.0});
  within(ways[2].y0[0], 2);
  within(ways[2].y0[1], 30);
  within(ways[2].y0[2], 30);
  CHECK(ways[0].p[0] != ways[1].p[0]);
  CHECK(random_directions<2, 1>{.seed = 7}(y0, p)[2].y0 == ways[2].y0);
  CHECK_FALSE(random_directions<2, 1>{.seed = 8}(y0, p)[2].y0 == ways[2].y0);
  const auto of_state =
      random_directions{}(y0, vec<double, 0>{});  // without parameters both are its
  within(of_state[0].y0[0], 2);
  CHECK_FALSE(of_state[0].y0 == of_state[1].y0);
  within(random_directions<0, 1>{}(vec{0.0}, vec<double, 0>{})[0].y0[0], 1);
}

TEST_CASE("control_gradient_error: a size that is given, and what has no effect") {
  const problem<vdpol_stiff, two, one> q{vdpol_stiff{}, {2, 0}, 0, 0.5, {1e-3}};
  const options o{.rtol = 1e-5, .atol = 1e-5};
  const tangents<two, one> along{.y0 = {}, .p = {1}}, still{.y0 = {}, .p = {0}};
  const auto given = solve(q, rodas5p{}, o, control_gradient_error{along, 0.25});
  CHECK(given.solves == 1);
  CHECK(given.sizes[0] == 0.25);
  const auto finer = solve(q, rodas5p{}, o, control_gradient_error{along, 0.25 / 1024});
  CHECK(finer.stats.accepted > given.stats.accepted);
  const auto none = solve(q, rodas5p{}, o, control_gradient_error{still});
  CHECK(none.status == status::success);
  CHECK(none.y_dot == vec{0.0, 0.0});
  const auto plain = solve(q, rodas5p{}, o);
  CHECK(none.stats.accepted < 2 * plain.stats.accepted);
}

TEST_CASE("misuse of control_gradient_error, word by word") {
  const problem<vdpol_stiff, two, one> q{vdpol_stiff{}, {2, 0}, 0, 0.5, {1e-3}};
  const tangents<two, one> along{.y0 = {}, .p = {1}};
  const auto refused = [&](const options& o, const auto& controlled) {
    return refusal([&] { solve(q, rodas5p{}, o, controlled); });
  };
  CHECK(
      refused({.fixed_step = 0.5}, control_gradient_error{along}) ==
      "control_gradient_error with fixed_step = 0.500000 (steps that are given have no error norm "
      "for a tangent to join) leave it out, or push the tangents alone?");
  CHECK(
      refused({.grid = {0, 0.25, 0.5}}, control_gradient_error{along}) ==
      "control_gradient_error with a grid of 3 times (steps that are given have no error norm for "
      "a tangent to join) leave it out, or push the tangents alone?");
  CHECK(refused({}, control_gradient_error{along, -1.0}) ==
        "control_gradient_error with size = -1.000000 (errors of tangents are measured against it) "
        "give a positive number, or 0 to have it found?");
  CHECK(refused({.stops = {0.25}},
                control_gradient_error{tangents<two, one>{.y0 = {}, .p = {1}, .stops = {1}}}) ==
        "control_gradient_error with a stop or discontinuity that moves (they stand still for it) "
        "leave tangents::stops at 0, or push the tangents alone?");
}

TEST_CASE("control_gradient_error: a field whose derivative is infinite at the start is told") {
  const problem q{[](const auto&, const auto& y, const auto& p, auto& dy) {
                    using std::sqrt;
                    dy[0] = p[0] * sqrt(y[0]);
                  },
                  vec{0.0}, 0.0, 1.0, vec{1.0}};
  const auto r = value_and_gradient(
      q, rodas5p{}, {}, [](const auto& y) { return y[0]; },
      control_gradient_error{random_directions{}});
  CHECK(r.solution.status == status::non_finite_field);
  CHECK(!r.gradient);
}

}  // namespace revode
