// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include <revode/ad/dual.hpp>
#include <revode/batch/elementary.hpp>

namespace revode {
namespace {

using namespace elementary;

/// Distance to the exact value in units in the last place of it.
double ulps(double found, long double exact) {
  const double rounded = static_cast<double>(exact);
  const double next = std::nextafter(std::abs(rounded), HUGE_VAL) - std::abs(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(found) - exact) /
                             static_cast<long double>(next));
}

/// The worst of many points spread evenly, without a pattern, from a to b.
template <class F, class G>
double worst(double a, double b, F&& f, G&& exact) {
  double most = 0;
  constexpr int count = 400'000;
  for (int i = 0; i < count; ++i) {
    const double x = a + (b - a) * std::fmod(0.6180339887498949 * i, 1.0);
    most = std::fmax(most, ulps(f(x), exact(static_cast<long double>(x))));
  }
  return most;
}

TEST_CASE("elementary: errors in units in the last place") {
  const auto exp_l = [](long double x) { return std::exp(x); };
  const auto log_l = [](long double x) { return std::log(x); };
  const auto tanh_l = [](long double x) { return std::tanh(x); };
  const auto sin_l = [](long double x) { return std::sin(x); };
  const auto cos_l = [](long double x) { return std::cos(x); };
  const auto e = [](double x) { return fast_exp(x); };
  const auto l = [](double x) { return fast_log(x); };
  const auto t = [](double x) { return fast_tanh(x); };
  const auto s = [](double x) { return fast_sin(x); };
  const auto c = [](double x) { return fast_cos(x); };
  CHECK(worst(-708, 709, e, exp_l) < 1.5);
  CHECK(worst(-1, 1, e, exp_l) < 1.5);
  CHECK(worst(0.5, 2, l, log_l) < 1.5);
  CHECK(worst(1e-300, 1e300, l, log_l) < 1.5);
  CHECK(worst(-2, 2, t, tanh_l) < 3);
  CHECK(worst(-20, 20, t, tanh_l) < 3);
  CHECK(worst(-3, 3, s, sin_l) < 1.5);
  CHECK(worst(-1.5, 1.5, c, cos_l) < 1.5);
  for (const double range : {100.0, 0x1p20}) {
    CHECK(worst(-range, range, s, sin_l) < 1.5);
    CHECK(worst(-range, range, c, cos_l) < 1.5);
  }
  for (const double a : {-0.1, 0.25, 1.0 / 3, 2.5, 17.0}) {
    const auto p = [a](double x) { return fast_pow(x, a); };
    const auto pow_l = [a](long double x) { return std::pow(x, static_cast<long double>(a)); };
    CHECK(worst(0.01, 1000, p, pow_l) < 4);
  }
}

TEST_CASE("elementary: edges") {
  const double infinity = HUGE_VAL, nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(fast_exp(0.0) == 1);
  CHECK(fast_exp(-infinity) == 0);
  CHECK(fast_exp(infinity) == infinity);
  CHECK(std::isnan(fast_exp(nan)));
  CHECK(fast_log(1.0) == 0);
  CHECK(fast_log(0.0) == -infinity);
  CHECK(fast_log(infinity) == infinity);
  CHECK(std::isnan(fast_log(-1.0)));
  CHECK(std::isnan(fast_log(nan)));
  CHECK(fast_tanh(0.0) == 0);
  CHECK(fast_tanh(infinity) == 1);
  CHECK(fast_tanh(-infinity) == -1);
  CHECK(std::isnan(fast_tanh(nan)));
  CHECK(fast_sin(0.0) == 0);
  CHECK(fast_cos(0.0) == 1);
  CHECK(fast_pow(0.0, 2.0) == 0);
  CHECK(fast_pow(2.0, 10.0) == doctest::Approx(1024));
  CHECK(std::isnan(fast_pow(-2.0, 0.5)));
}

TEST_CASE("elementary: derivatives of duals") {
  using D = dual<double, 1>;
  const D x = D::input(0.7, 0);
  CHECK(fast_exp(x).d[0] == doctest::Approx(std::exp(0.7)));
  CHECK(fast_log(x).d[0] == doctest::Approx(1 / 0.7));
  CHECK(fast_tanh(x).d[0] == doctest::Approx(1 - std::tanh(0.7) * std::tanh(0.7)));
  CHECK(fast_sin(x).d[0] == doctest::Approx(std::cos(0.7)));
  CHECK(fast_cos(x).d[0] == doctest::Approx(-std::sin(0.7)));
  CHECK(fast_pow(x, 1.5).d[0] == doctest::Approx(1.5 * std::sqrt(0.7)));
}

}  // namespace
}  // namespace revode
