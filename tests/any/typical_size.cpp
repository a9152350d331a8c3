// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <any/same_bits.hpp>
#include <revode/problems/erased_field.hpp>

namespace revode {
namespace {

/// Michaelis and Menten's decay with a source, in whatever unit of concentration: powers of two leave the digits as
/// they are.
const double units[] = {0x1p-30, 1, 0x1p30};

double fed_decay(double t, double y, double rate, double half) {
  return rate * (0.25 * std::sin(3 * t) - y / (half + y));
}

any_callbacks decay(double typical_size) {
  return {.f = [](double t, auto y, auto p, auto dy) { dy[0] = fed_decay(t, y[0], p[0], p[1]); },
          .by_finite_differences = true,
          .typical_size = typical_size};
}
any_callbacks decay_with_vjp(double typical_size) {
  any_callbacks c = decay(typical_size);
  c.vjp = [](double t, auto y, auto p, auto w, double& gt, auto gy, auto gp) {
    const double sum = p[1] + y[0];
    gt += w[0] * p[0] * 0.75 * std::cos(3 * t);
    gy[0] -= w[0] * p[0] * p[1] / (sum * sum);
    gp[0] += w[0] * fed_decay(t, y[0], 1, p[1]);
    gp[1] += w[0] * p[0] * y[0] / (sum * sum);
  };
  return c;
}
any_problem in_units(double unit, any_callbacks c) {
  return {.f = std::move(c), .y0 = {2 * unit}, .t1 = 2, .p = {unit, unit}};
}
options tolerances(double unit) { return {.rtol = 1e-8, .atol = 1e-8 * unit}; }

const char* const methods[] = {"tsit5", "radau_iia5", "rodas5p", "bdf5", "kvaerno5"};

any_gradient gradient_of(double unit, const char* method, any_callbacks c) {
  const auto s = solve(in_units(unit, std::move(c)), method, tolerances(unit),
                       recursive_checkpoint{.slots = 5});
  REQUIRE(s.status == status::success);
  auto g = s.pullback({.y = any_state{1}});
  REQUIRE(g.status == status::success);
  return g;
}

TEST_CASE("by differences, gradients have the same bits in every unit, second derivatives too") {
  for (const char* method : methods) {
    CAPTURE(std::string(method));
    const any_gradient differences = gradient_of(1, method, decay(1));
    const any_gradient exact = gradient_of(1, method, decay_with_vjp(1));
    CHECK(differences.y0[0] == doctest::Approx(exact.y0[0]).epsilon(1e-6));
    CHECK(differences.p[0] == doctest::Approx(exact.p[0]).epsilon(1e-6));
    CHECK(differences.p[1] == doctest::Approx(exact.p[1]).epsilon(1e-6));
    CHECK(differences.t0 == doctest::Approx(exact.t0).epsilon(1e-6));
    for (const double unit : units) {
      CAPTURE(unit);
      const any_gradient g = gradient_of(unit, method, decay(unit));
      CHECK(same_bits(g.y0, differences.y0));
      CHECK(same_bits(g.p, differences.p));
      CHECK(g.t0 / unit == differences.t0);
      const any_gradient pulled = gradient_of(unit, method, decay_with_vjp(unit));
      CHECK(same_bits(pulled.y0, exact.y0));
      CHECK(same_bits(pulled.p, exact.p));
    }
  }
}

TEST_CASE("by differences, tangents have the same bits in every unit") {
  for (const char* method : methods) {
    CAPTURE(std::string(method));
    const auto along = [&](double unit) {
      return solve(in_units(unit, decay(unit)), method, tolerances(unit),
                   any_tangents{.y0 = any_state{1}, .p = any_state{0.5, -0.25}})
          .y_dot;
    };
    for (const double unit : units) CHECK(same_bits(along(unit), along(1)));
    const any_gradient g = gradient_of(1, method, decay_with_vjp(1));
    CHECK(along(1)[0] == doctest::Approx(g.y0[0] + 0.5 * g.p[0] - 0.25 * g.p[1]).epsilon(1e-6));
  }
}

TEST_CASE(
    "by differences, products and Jacobians have the same digits in every unit and at any time") {
  for (const double unit : units)
    for (const double t : {0.0, 2.0, 1e6}) {
      CAPTURE(unit);
      CAPTURE(t);
      const any_field f = decay(unit), exact = decay_with_vjp(unit);
      const Eigen::VectorXd y{{2 * unit}}, p{{unit, unit}}, one{{1}}, none = 0 * p;
      Eigen::VectorXd out(1), known(1), gy(1), gp(2), gy_known(1), gp_known(2);
      f.erased()->jvp(t, y, p, 0.0, one, none, out);
      exact.erased()->jvp(t, y, p, 0.0, one, none, known);
      CHECK(out[0] == doctest::Approx(known[0]).epsilon(1e-9));
      f.erased()->jvp(t, y, p, 0.0, one, Eigen::VectorXd{{0.5, -1}}, out);
      exact.erased()->jvp(t, y, p, 0.0, one, Eigen::VectorXd{{0.5, -1}}, known);
      CHECK(out[0] == doctest::Approx(known[0]).epsilon(1e-9));
      double gt = 0, gt_known = 0;
      gy.setZero(), gp.setZero(), gy_known.setZero(), gp_known.setZero();
      f.erased()->vjp(t, y, p, one, gt, gy, gp);
      exact.erased()->vjp(t, y, p, one, gt_known, gy_known, gp_known);
      if (t < 1e6)
        CHECK(gt / unit == doctest::Approx(gt_known / unit).epsilon(1e-9));  // t moves by 6 there
      CHECK(gy[0] == doctest::Approx(gy_known[0]).epsilon(1e-9));
      CHECK(gp[0] == doctest::Approx(gp_known[0]).epsilon(1e-9));
      CHECK(gp[1] == doctest::Approx(gp_known[1]).epsilon(1e-9));
    }
}

std::string refusal(const auto& act) {
  try {
    act();
  } catch (const std::invalid_argument& misuse) {
    return misuse.what();
  }
  return "accepted";
}
std::string refused(const std::string& number) {
  return "typical_size = " + number +
         " (differences take steps for numbers of this size) give a positive one, or leave it at "
         "1?";
}

TEST_CASE("a typical size that is none is refused, of parts and integrands as well") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(refusal([] { any_field{decay(0)}; }) == refused("0"));
  CHECK(refusal([] { any_field{decay(-1e-9)}; }) == refused("-1e-09"));
  CHECK(refusal([] { any_field{decay(std::nan(""))}; }) == refused("nan"));
  CHECK(refusal([=] { any_field{decay(infinity)}; }) == refused("inf"));
  any_callbacks timeless = decay(1);
  timeless.typical_time = -2;
  CHECK(refusal([&] { any_field{timeless}; }) == "typical_time" + refused("-2").substr(12));
  CHECK(refusal([] { any_field(decay(1), decay(0)); }) == refused("0"));
  CHECK(refusal([] { with_quadrature(in_units(1, decay(1)), decay_with_vjp(0)); }) == refused("0"));
}

TEST_CASE("parts and integrands take differences in their own units") {
  const auto of_all = [](double unit) {
    any_problem q = in_units(unit, decay(unit));
    q.f = {decay(unit), decay(unit)};
    q = with_quadrature(q, decay_with_vjp(unit));
    const auto s = solve(q, "kencarp5_imex", tolerances(unit), recursive_checkpoint{.slots = 5});
    REQUIRE(s.status == status::success);
    return s.pullback({.y = any_state{1, 0.5}});
  };
  for (const double unit : units) {
    CHECK(same_bits(of_all(unit).y0, of_all(1).y0));
    CHECK(same_bits(of_all(unit).p, of_all(1).p));
  }
}

int decay_of_c(double t, const double* y, const double* p, double* dy, void*) {
  dy[0] = fed_decay(t, y[0], p[0], p[1]);
  return 0;
}
int vjp_of_c(double t, const double* y, const double* p, const double* w, double* gt, double* gy,
             double* gp, void*) {
  decay_with_vjp(1).vjp(t, {y, 1}, {p, 2}, {w, 1}, *gt, {gy, 1}, {gp, 2});
  return 0;
}

TEST_CASE("C tells the typical size, for parts and integrals too") {
  const double unit = 0x1p-30, y0 = 2 * unit, p[] = {unit, unit}, w[] = {1, 0.5};
  revode_problem* q = nullptr;
  REQUIRE(revode_problem_new(1, &y0, 2, p, 0, 2, decay_of_c, nullptr, &q) == REVODE_OK);
  CHECK(revode_problem_set_typical_size(q, 0) == REVODE_MISUSE);
  CHECK(revode_last_error() == refused("0"));
  CHECK(revode_problem_set_typical_size(q, std::nan("")) == REVODE_MISUSE);
  CHECK(revode_problem_set_typical_time(q, -1) == REVODE_MISUSE);
  REQUIRE(revode_problem_use_finite_differences(q) == REVODE_OK);
  REQUIRE(revode_problem_set_explicit_part(q, decay_of_c, nullptr, nullptr, nullptr) == REVODE_OK);
  REQUIRE(revode_problem_set_quadrature(q, 1, nullptr, decay_of_c, vjp_of_c, nullptr) == REVODE_OK);
  REQUIRE(revode_problem_set_typical_size(q, unit) == REVODE_OK);
  any_problem same = in_units(unit, decay(unit));
  same.f = {decay(unit), decay(unit)};
  same = with_quadrature(same, decay_with_vjp(unit));
  revode_options o = REVODE_OPTIONS;
  o.rtol = 1e-8;
  o.atol = 1e-8 * unit;
  for (const char* method : {"tsit5", "rodas5p", "kencarp5_imex"}) {
    CAPTURE(std::string(method));
    const auto g = solve(same, method, tolerances(unit), recursive_checkpoint{})
                       .pullback({.y = any_state{1, 0.5}});
    revode_solution* s = nullptr;
    REQUIRE(revode_solve_differentiable(q, method, &o, nullptr, &s) == REVODE_OK);
    any_state of_y0(2), of_p(2);
    revode_gradient mine = REVODE_GRADIENT;
    mine.y0 = of_y0.data();
    mine.p = of_p.data();
    REQUIRE(revode_solution_pullback(s, w, nullptr, nullptr, &mine) == REVODE_OK);
    CHECK(same_bits(of_y0, g.y0));
    CHECK(same_bits(of_p, g.p));
    revode_solution_free(s);
  }
  revode_problem_free(q);
  REQUIRE(revode_problem_named("lorenz", &q) == REVODE_OK);
  CHECK(revode_problem_set_typical_size(q, 1e-9) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "the typical size of a named problem (it has its own derivatives) set none?");
  revode_problem_free(q);
}

TEST_CASE("differences in t are of typical_time: of what happens in nanoseconds") {
  const auto gradient_in = [](double second) {
    any_callbacks c{.f = [=](double t, auto y, auto p,
                             auto dy) { dy[0] = fed_decay(t / second, y[0], p[0], p[1]) / second; },
                    .by_finite_differences = true,
                    .typical_time = second};
    const auto s = solve({.f = std::move(c), .y0 = {2}, .t1 = 2 * second, .p = {1, 1}}, "rodas5p",
                         tolerances(1), recursive_checkpoint{});
    REQUIRE(s.status == status::success);
    return s.pullback({.y = any_state{1}});
  };
  const any_gradient in_seconds = gradient_in(1), in_nanoseconds = gradient_in(0x1p-30);
  CHECK(in_nanoseconds.y0[0] == doctest::Approx(in_seconds.y0[0]).epsilon(1e-6));
  CHECK(in_nanoseconds.p[1] == doctest::Approx(in_seconds.p[1]).epsilon(1e-6));
  CHECK(in_nanoseconds.t0 * 0x1p-30 == doctest::Approx(in_seconds.t0).epsilon(1e-6));
}

/// A ball of this size, whose condition tells where it touches the ground.
any_problem ball(double size, double (*touches)(double height_in_sizes)) {
  any_event_callbacks ground{
      .condition = [=](double, auto y, auto) { return touches(y[0] / size); },
      .jump = [](double, auto y, auto, auto y_new) { y_new[1] = -0.8 * y[1]; },
      .direction = crossing::falling};
  return {.f = any_callbacks{.f =
                                 [](double, auto y, auto p, auto dy) {
                                   dy[0] = y[1];
                                   dy[1] = -p[0];
                                 }},
          .y0 = {size, 0},
          .t1 = 2,
          .p = {9.81 * size},
          .events = {std::move(ground)}};
}

TEST_CASE("a condition without its gradient is resolved in whatever units") {
  double (*const conditions[])(double) = {
      [](double x) { return std::sin(x); },
      [](double x) { return x; },
      [](double x) { return std::tanh(x); },
      [](double x) { return std::sqrt(1 + x) - 1; },  // no number where differences go too far
      [](double x) { return (x + 1e4) - 1e4; },       // at its rounding in short steps
      [](double x) { return std::expm1(30 * x); }};
  for (const auto& touches : conditions)
    for (double size = 1e-12; size < 1e10; size *= 10) {
      CAPTURE(&touches - conditions);
      CAPTURE(size);
      const any_solution s = solve(ball(size, touches), "tsit5",
                                   options{.rtol = 1e-9, .atol = 1e-9 * size, .max_step = 0.05});
      CHECK(s.status == status::success);
      CHECK(s.events.size() == 3);
      CHECK(s.y[0] / size == doctest::Approx(0.260741728).epsilon(1e-6));
    }
}

TEST_CASE("solves that begin on an event's surface tell its sides in whatever units") {
  for (double size = 1e-12; size < 1e10; size *= 10) {
    CAPTURE(size);
    any_problem q = ball(size, [](double x) { return std::sin(x); });
    q.y0 = {0, 4 * size};  // thrown up from the ground
    q.t1 = 1;
    const any_solution s = solve(q, "tsit5", options{.rtol = 1e-9, .atol = 1e-9 * size});
    CHECK(s.status == status::success);
    REQUIRE(s.events.size() == 1);
    CHECK(s.events[0].t == doctest::Approx(8 / 9.81).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace revode
