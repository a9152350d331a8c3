// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include <revode/ad/dual.hpp>
#include <revode/ad/recording/recording.hpp>

#include "slopes.hpp"

using namespace revode;

static_assert(std::is_trivially_copyable_v<dual<double, 3>>);
static_assert(std::is_trivially_copyable_v<dual<dual<float, 1>, 4>>);
static_assert(sizeof(dual<double, 1>) == 2 * sizeof(double));
static_assert(sizeof(dual<double, 3>) == 6 * sizeof(double));  // the directions lie in pairs

TEST_CASE("every elementary function has its derivative, forward, reverse and twice") {
  for (double x : {0.3, 0.7}) {
    slope_is(
        [](auto v) {
          using std::sqrt;
          return sqrt(v);
        },
        [](double v) { return 0.5 / std::sqrt(v); }, x);
    slope_is(
        [](auto v) {
          using std::exp;
          return exp(v);
        },
        [](double v) { return std::exp(v); }, x);
    slope_is(
        [](auto v) {
          using std::expm1;
          return expm1(v);
        },
        [](double v) { return std::exp(v); }, x);
    slope_is(
        [](auto v) {
          using std::log;
          return log(v);
        },
        [](double v) { return 1 / v; }, x);
    slope_is(
        [](auto v) {
          using std::log1p;
          return log1p(v);
        },
        [](double v) { return 1 / (1 + v); }, x);
    slope_is(
        [](auto v) {
          using std::sin;
          return sin(v);
        },
        [](double v) { return std::cos(v); }, x);
    slope_is(
        [](auto v) {
          using std::cos;
          return cos(v);
        },
        [](double v) { return -std::sin(v); }, x);
    slope_is(
        [](auto v) {
          using std::tan;
          return tan(v);
        },
        [](double v) { return 1 / (std::cos(v) * std::cos(v)); }, x);
    slope_is(
        [](auto v) {
          using std::asin;
          return asin(v);
        },
        [](double v) { return 1 / std::sqrt(1 - v * v); }, x);
    slope_is(
        [](auto v) {
          using std::acos;
          return acos(v);
        },
        [](double v) { return -1 / std::sqrt(1 - v * v); }, x);
    slope_is(
        [](auto v) {
          using std::atan;
          return atan(v);
        },
        [](double v) { return 1 / (1 + v * v); }, x);
    slope_is(
        [](auto v) {
          using std::sinh;
          return sinh(v);
        },
        [](double v) { return std::cosh(v); }, x);
    slope_is(
        [](auto v) {
          using std::cosh;
          return cosh(v);
        },
        [](double v) { return std::sinh(v); }, x);
    slope_is(
        [](auto v) {
          using std::tanh;
          return tanh(v);
        },
        [](double v) { return 1 / (std::cosh(v) * std::cosh(v)); }, x);
    slope_is(
        [](auto v) {
          using std::abs;
          return abs(-v);
        },
        [](double) { return 1.0; }, x);
  }
}

TEST_CASE("functions of two arguments differentiate in each of them and in both") {
  for (double x : {0.4, 1.7}) {
    slope_is(
        [](auto v) {
          using std::pow;
          return pow(v, v);
        },
        [](double v) { return std::pow(v, v) * (std::log(v) + 1); }, x);
    slope_is(
        [](auto v) {
          using std::pow;
          return pow(v, 2.5f);
        },
        [](double v) { return 2.5 * std::pow(v, 1.5); }, x);
    slope_is(
        [](auto v) {
          using std::pow;
          return pow(v, -3);
        },
        [](double v) { return -3 * std::pow(v, -4); }, x);
    slope_is(
        [](auto v) {
          using std::pow;
          return pow(2, v);
        },
        [](double v) { return std::log(2.0) * std::pow(2.0, v); }, x);
    slope_is(
        [](auto v) {
          using std::atan2;
          return atan2(v, v * v);
        },
        [](double v) { return -1 / (1 + v * v); }, x);
    slope_is(
        [](auto v) {
          using std::atan2;
          return atan2(v, decltype(v)(2));
        },
        [](double v) { return 2 / (4 + v * v); }, x);
    slope_is(
        [](auto v) {
          using std::hypot;
          return hypot(v, v);
        },
        [](double) { return std::sqrt(2.0); }, x);
    slope_is(
        [](auto v) {
          using std::max;
          return max(v, decltype(v)(1)) + v;
        },
        [](double v) { return v > 1 ? 2.0 : 1.0; }, x);
    slope_is(
        [](auto v) {
          using std::min;
          return min(v * v, v);
        },
        [](double v) { return v < 1 ? 2 * v : 1.0; }, x);
  }
}

TEST_CASE("arithmetic mixes duals, ints, floats and doubles on either side") {
  for (double x : {0.4, -1.7}) {
    slope_is([](auto v) { return (2 * v - 1) / (v * v + 3.0); },
             [](double v) {
               return 2 / (v * v + 3) - (2 * v - 1) * 2 * v / ((v * v + 3) * (v * v + 3));
             },
             x);
    slope_is([](auto v) { return 1 / v - v / 2 + (3.0f - v) * 2.0 - (-v) + (+v); },
             [](double v) { return -1 / (v * v) - 0.5; }, x);
    slope_is(
        [](auto v) {
          auto s = v;
          s += v;
          s *= 3;
          s -= 1;
          s /= v + 4;
          return s;
        },
        [](double v) { return 25 / ((v + 4) * (v + 4)); }, x);
  }
}

TEST_CASE("integer powers are safe at zero, with any sign of the base, and to second order") {
  using second = dual<dual<double, 1>, 1>;
  const auto square = [](double x, auto e) {
    return pow(second::input(dual<double, 1>::input(x, 0), 0), e);
  };
  for (double x : {0.0, -2.0}) {
    CHECK(square(x, 2).d[0].value == 2 * x);
    CHECK(square(x, 2).d[0].d[0] == 2);
    CHECK(square(x, 2.0).d[0].d[0] == 2);
    CHECK(square(x, 1).d[0].value == 1);
    CHECK(square(x, 1).d[0].d[0] == 0);
    CHECK(square(x, 0).value.value == 1);
    CHECK(square(x, 0).d[0].value == 0);
  }
  const auto x = dual<double, 1>::input(-2.0, 0);
  CHECK(pow(x, dual<double, 1>(3)).d[0] == 12);  // the exponent carries no derivative
  CHECK(pow(0.0, dual<double, 1>::input(2.0, 0)).d[0] == 0);
}

TEST_CASE("a slope that does not exist harms only the directions it is in") {
  const auto y = dual<double, 2>::input(3.0, 0);
  const auto p = dual<double, 2>::input(0.0, 1);
  const auto f = sqrt(p) * y;
  CHECK(f.d[0] == 0);
  CHECK(std::isinf(f.d[1]));
}

TEST_CASE("comparisons look at values, so a branch is taken as the primal takes it") {
  const auto x = dual<double, 1>::input(2.0, 0);
  const dual<double, 1> two(2.0);
  CHECK(x == two);
  CHECK(x == 2);
  CHECK(2.0 == x);
  CHECK(x != 3);
  CHECK(x < 3);
  CHECK(1 < x);
  CHECK(x >= two);
  CHECK_FALSE(x > 2.0);
  CHECK(3 >= x);
}

TEST_CASE("ties of max and min belong to the first argument") {
  const auto a = dual<double, 2>::input(1.0, 0);
  const auto b = dual<double, 2>::input(1.0, 1);
  CHECK(max(a, b).d[0] == 1);
  CHECK(min(b, a).d[1] == 1);
  CHECK(max(a, 1).d[0] == 1);
  CHECK(max(0, a).d[0] == 1);
}

TEST_CASE("muladd of duals has the value bits of muladd and the product rule") {
  const double x = 1.0 + 0x1p-30, y = 1.0 - 0x1p-31, z = -1.0;
  const auto a = dual<double, 3>::input(x, 0), b = dual<double, 3>::input(y, 1),
             c = dual<double, 3>::input(z, 2);
  const auto r = muladd(a, b, c);
  CHECK(r.value == muladd(x, y, z));
  CHECK(r.d[0] == y);
  CHECK(r.d[1] == x);
  CHECK(r.d[2] == 1);
  CHECK(muladd(x, b, c).value == r.value);
  CHECK(muladd(x, b, c).d[1] == x);
  CHECK(muladd(a, y, c).d[0] == y);
  CHECK(muladd(a, b, z).value == r.value);

  recording<double> rec;
  const auto u = rec.input(x), v = rec.input(y), w = rec.input(z);
  const auto s = muladd(u, v, w);
  const double one = 1;
  rec.pull(&s, &one, 1);
  CHECK(s.value == r.value);
  CHECK(rec.adjoint(u.id) == y);
  CHECK(rec.adjoint(v.id) == x);
  CHECK(rec.adjoint(w.id) == 1);
  CHECK(muladd(2.0, v, w).value == muladd(2.0, y, z));
}

TEST_CASE("float duals stay float beside double constants") {
  using narrow = dual<float, 2>;
  const narrow x = narrow::input(0.5f, 0);
  static_assert(std::same_as<decltype(2.0 * x), narrow>);
  static_assert(std::same_as<decltype(x / 3 + 1.0), narrow>);
  static_assert(std::same_as<decltype(pow(x, 2)), narrow>);
  static_assert(std::same_as<decltype(max(x, 0.0)), narrow>);
  static_assert(std::same_as<decltype(muladd(2.0f, x, x)), narrow>);
  static_assert(std::same_as<decltype(value_of(dual<narrow, 3>(1))), float>);
  CHECK((0.1 * x).value == 0.1f * 0.5f);
}
