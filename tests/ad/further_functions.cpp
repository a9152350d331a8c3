// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "slopes.hpp"

using namespace revode;

TEST_CASE("every function that fewer fields use has its derivative, forward, reverse and twice") {
  for (double x : {0.3, 0.7}) {
    slope_is(
        [](auto v) {
          using std::log10;
          return log10(v);
        },
        [](double v) { return 1 / (v * std::log(10.0)); }, x);
    slope_is(
        [](auto v) {
          using std::log2;
          return log2(v);
        },
        [](double v) { return 1 / (v * std::log(2.0)); }, x);
    slope_is(
        [](auto v) {
          using std::exp2;
          return exp2(v);
        },
        [](double v) { return std::log(2.0) * std::exp2(v); }, x);
    slope_is(
        [](auto v) {
          using std::cbrt;
          return cbrt(v);
        },
        [](double v) { return std::pow(v, -2.0 / 3) / 3; }, x);
    slope_is(
        [](auto v) {
          using std::asinh;
          return asinh(v);
        },
        [](double v) { return 1 / std::sqrt(1 + v * v); }, x);
    slope_is(
        [](auto v) {
          using std::atanh;
          return atanh(v);
        },
        [](double v) { return 1 / (1 - v * v); }, x);
    slope_is(
        [](auto v) {
          using std::erf;
          return erf(v);
        },
        [](double v) { return 2 / std::sqrt(std::acos(-1.0)) * std::exp(-v * v); }, x);
    slope_is(
        [](auto v) {
          using std::erfc;
          return erfc(v);
        },
        [](double v) { return -2 / std::sqrt(std::acos(-1.0)) * std::exp(-v * v); }, x);
    slope_is(
        [](auto v) {
          using std::acosh;
          return acosh(v);
        },
        [](double v) { return 1 / std::sqrt(v * v - 1); }, 1 + x);
  }
}
