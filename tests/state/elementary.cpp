// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

#include <revode/state/powers.hpp>

using namespace revode;

TEST_CASE("log2_approx is within 1e-7 of the logarithm from 1e-300 to 1e300") {
  long double worst = 0;
  for (int k = -300000; k <= 300000; ++k) {
    const double x = std::pow(10.0, k * 1e-3 + 3.7e-5);
    if (x < 1e-300 || x > 1e300) continue;
    worst = std::fmax(worst, std::fabs(log2_approx(x) - std::log2(static_cast<long double>(x))));
  }
  for (int k = 0; k <= 100000; ++k) {
    const double x = 0.5 + k * 2e-5;
    worst = std::fmax(worst, std::fabs(log2_approx(x) - std::log2(static_cast<long double>(x))));
  }
  CHECK(worst < 1e-7L);
  CHECK(worst > 1e-10L);  // the stated bound is not idle
}

TEST_CASE("exp2_approx is within 2.5e-7 of the power, relatively, over all normal results") {
  long double worst = 0;
  for (int k = -1022000; k <= 1023000; k += 3) {
    const double y = k * 1e-3;
    const long double exact = std::exp2(static_cast<long double>(y));
    worst = std::fmax(worst, std::fabs(exp2_approx(y) - exact) / exact);
  }
  CHECK(worst < 2.5e-7L);
}

TEST_CASE("the controller's powers of err² are good to 3e-7") {
  for (double a : {-0.1, 0.07, -1.0 / 6, -0.25, 0.5, -1.0}) {
    long double worst = 0;
    for (int k = -30000; k <= 30000; ++k) {
      const double x = std::pow(10.0, k * 1e-2);
      const double y = a * log2_approx(x);
      if (std::abs(y) > 1000) continue;
      const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(a));
      worst = std::fmax(worst, std::fabs(exp2_approx(y) - exact) / exact);
    }
    CAPTURE(a);
    CHECK(worst < 3e-7L);
  }
}

TEST_CASE("powers of two are exact") {
  for (int k = -1022; k <= 1023; ++k) {
    CHECK(log2_approx(std::ldexp(1.0, k)) == k);
    CHECK(exp2_approx(k) == std::ldexp(1.0, k));
  }
}

TEST_CASE("arguments outside are clamped, and a NaN encourages nothing") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(log2_approx(0.0) == -1022);
  CHECK(log2_approx(-3.0) == -1022);
  CHECK(log2_approx(1e-320) == -1022);
  CHECK(log2_approx(infinity) == doctest::Approx(1024));
  CHECK(log2_approx(nan) == log2_approx(infinity));
  CHECK(exp2_approx(-1e9) == 0x1p-1022);
  CHECK(exp2_approx(-infinity) == 0x1p-1022);
  CHECK(exp2_approx(1e9) == 0x1p1023);
  CHECK(exp2_approx(infinity) == 0x1p1023);
  CHECK(exp2_approx(nan) == 0x1p-1022);
}

TEST_CASE("both are monotone to their accuracy, also across powers of two") {
  for (int e = -5; e <= 5; ++e) {
    const double x = std::ldexp(std::sqrt(2.0), e);  // where the exponent changes
    CHECK(std::abs(log2_approx(x * (1 + 1e-15)) - log2_approx(x * (1 - 1e-15))) < 2e-7);
    const double y = e + 0.5;
    CHECK(std::abs(exp2_approx(y + 1e-15) / exp2_approx(y - 1e-15) - 1) < 5e-7);
  }
}
