// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <revode/solve/controllers.hpp>

namespace revode {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
// Of the polynomial power: that of exp2, and that of three logarithms times their exponents.
constexpr double power_error = 1e-6;

/// A controller that never keeps the step as it is.
constexpr pid_controller gains(double p, double i, double d) {
  return {.p = p, .i = i, .d = d, .keep_from = 1, .keep_to = 0};
}
constexpr pid_controller integral = gains(0, 1, 0);
constexpr pid_controller proportional_integral = gains(0.4, 0.3, 0);
constexpr pid_controller with_derivative = gains(0.7, 0.4, 0.1);

/// The formula of the documentation with the standard library's power, before clipping.
double formula(const pid_controller& c, double k, double e0, double e1, double e2) {
  const double beta1 = (c.p + c.i + c.d) / k, beta2 = -(c.p + 2 * c.d) / k, beta3 = c.d / k;
  return c.safety * std::pow(e0, -beta1 / 2) * std::pow(e1, -beta2 / 2) * std::pow(e2, -beta3 / 2);
}

double relative_difference(double a, double b) { return std::abs(a / b - 1); }

}  // namespace

TEST_CASE("I, PI and PID factors are those of the formula") {
  std::mt19937 seeds(2003);
  std::uniform_real_distribution<double> exponent(-12, 0);
  for (const auto& c : {integral, proportional_integral, with_derivative})
    for (const int order : {2, 3, 5, 8}) {
      controller_memory m;
      double e1 = 1, e2 = 1;  // nothing is remembered at the start
      for (int step = 0; step < 200; ++step) {
        const double e0 = std::pow(10, exponent(seeds));
        const double expected =
            std::clamp(formula(c, order, e0, e1, e2), c.factor_min, c.factor_max);
        CAPTURE(order);
        CAPTURE(step);
        REQUIRE(relative_difference(propose_factor(c, m, e0, order), expected) < power_error);
        e2 = e1;
        e1 = e0;
      }
    }
}

TEST_CASE("a rejected step shrinks by the classical rule and is not remembered") {
  controller_memory m;
  propose_factor(with_derivative, m, 0.04, 5);
  const controller_memory before = m;
  for (const double e : {1.0001, 2.0, 50.0}) {
    const double factor = propose_factor(with_derivative, m, e, 5);
    CHECK(relative_difference(factor, 0.9 * std::pow(e, -0.5 / 5)) < power_error);
    CHECK(factor < 1);
  }
  CHECK(m.previous == before.previous);
  CHECK(m.before == before.before);
  CHECK(propose_factor(with_derivative, m, 1e12, 5) == 0.2);
}

TEST_CASE("the first step accepted after a rejection does not grow, the next one may") {
  controller_memory m;
  propose_factor(integral, m, 9.0, 5);
  CHECK(propose_factor(integral, m, 1e-6, 5) == 1);
  CHECK(propose_factor(integral, m, 1e-6, 5) > 3);
  propose_factor(integral, m, 9.0, 5);
  CHECK(propose_factor(integral, m, 1.0, 5) == doctest::Approx(0.9).epsilon(power_error));
}

TEST_CASE("factors stay within their bounds") {
  controller_memory m;
  CHECK(propose_factor(integral, m, 0, 5) == 10);
  CHECK(propose_factor(integral, m, 1e-300, 5) == 10);
  CHECK(propose_factor(integral, m, 1e6, 1) == 0.2);
  // after an error of nothing (which counts as 2^-40) a full error shrinks as much as is allowed
  controller_memory pi;
  propose_factor(proportional_integral, pi, 0, 5);
  CHECK(propose_factor(proportional_integral, pi, 1, 5) == 0.2);
}

TEST_CASE("infinite errors and NaN shrink the step as much as is allowed") {
  for (const double e : {infinity, not_a_number, 1e200}) {
    controller_memory m;
    CHECK(propose_factor(proportional_integral, m, e, 5) == 0.2);
    CHECK(m.rejected);
    CHECK(m.previous == 1);
    CHECK(propose_factor(proportional_integral, m, 1e-8, 5) == 1);
  }
}

TEST_CASE("while the error is about right the step is kept, and remembered all the same") {
  controller_memory m;
  const pid_controller c{.keep_from = 0.1, .keep_to = 0.5};
  for (const double e : {0.1, 0.25, 0.5}) {
    CHECK(propose_factor(c, m, e, 5) == 1);
    CHECK(m.previous == e);
  }
  CHECK(m.before == 0.25);
  CHECK(propose_factor(c, m, 0.0999, 5) > 1);
  CHECK(propose_factor(c, m, 0.5001, 5) < 1);
}

TEST_CASE("the named controllers are the published products of powers") {
  // e² = 0.25, 0.04, 0.9025 of a method with k = 2, from an empty memory; by hand
  struct row {
    const char* name;
    pid_controller c;
    double factors[3];
  };
  const auto power = [](double x, double y) { return std::pow(x, y); };
  const double a = 0.5, b = 0.2, d = 0.95;  // the errors themselves
  const double h1 = 0.9 * power(a, -0.125);
  const double h2 = 0.9 * power(b, -0.125) * power(a, -0.125) * power(h1, -0.25);
  const double g1 = 0.9 * power(a, -0.5);
  const double g2 = 0.9 * power(b, -0.5);  // predicted: 0.9 g1 b⁻¹ a^(1/2), which is more
  const row rows[] = {
      {"i", controllers::i(), {0.9 / power(a, 0.5), 0.9 / power(b, 0.5), 0.9 / power(d, 0.5)}},
      {"pi",
       controllers::pi(),
       {0.9 * power(a, -0.35), 0.9 * power(b, -0.35) * power(a, 0.2),
        0.9 * power(d, -0.35) * power(b, 0.2)}},
      {"pi4020",
       controllers::pi4020(),
       {0.9 * power(a, -0.3), 0.9 * power(b, -0.3) * power(a, 0.1),
        0.9 * power(d, -0.3) * power(b, 0.1)}},
      {"pid",
       controllers::pid(),
       {0.9 * power(a, -0.245), 0.9 * power(b, -0.245) * power(a, 0.17),
        0.9 * power(d, -0.245) * power(b, 0.17) * power(a, -0.05)}},
      {"h312pid",
       controllers::h312pid(),
       {0.9 * power(a, -1.0 / 36), 0.9 * power(b * a * a, -1.0 / 36),
        0.9 * power(d * b * b * a, -1.0 / 36)}},
      {"h211b",
       controllers::h211b(),
       {h1, h2, 0.9 * power(d, -0.125) * power(b, -0.125) * power(h2, -0.25)}},
      {"gustafsson",
       controllers::gustafsson(),
       {g1 < 0.9 / a ? g1 : 0.9 / a, g2, 0.9 * g2 * power(b, 0.5) / d}},
  };
  for (const row& r : rows) {
    CAPTURE(r.name);
    controller_memory m;
    const double squares[] = {0.25, 0.04, 0.9025};
    for (int n = 0; n < 3; ++n) {
      CAPTURE(n);
      CHECK(relative_difference(propose_factor(r.c, m, squares[n], 2), r.factors[n]) <
            10 * power_error);
    }
  }
}

TEST_CASE("a digital filter does not answer to errors that alternate") {
  for (const auto& c : {controllers::h211pi(), controllers::h312pid(), controllers::h211b(4)}) {
    controller_memory m;
    double factor[40];
    for (int n = 0; n < 40; ++n) factor[n] = propose_factor(c, m, n % 2 == 0 ? 0.2 : 0.9, 5);
    CHECK(relative_difference(factor[39], factor[38]) < power_error);
  }
  controller_memory m;
  double factor[2];
  for (int n = 0; n < 40; ++n)
    factor[n % 2] = propose_factor(controllers::pi(), m, n % 2 == 0 ? 0.2 : 0.9, 5);
  CHECK(relative_difference(factor[0], factor[1]) > 0.1);
}

TEST_CASE("the step ratio runs through rejections: it is that of the accepted steps") {
  const pid_controller c = controllers::h211b();
  controller_memory m;
  const double one = propose_factor(c, m, 0.5, 5);
  CHECK(m.before == one);
  const double two = propose_factor(c, m, 4.0, 5);
  CHECK(m.before == one * two);
  CHECK(m.previous == 0.5);
}

}  // namespace revode
