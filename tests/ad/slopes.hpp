// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <limits>

#include <revode/ad/dual.hpp>
#include <revode/ad/recording/recording.hpp>

namespace revode {

constexpr double rounding = std::numeric_limits<double>::epsilon();

inline void close(double found, double expected, double ulps = 8) {
  CHECK(std::abs(found - expected) <= ulps * rounding * std::fmax(1.0, std::abs(expected)));
}

/// f at x, by duals, nested duals and the recording, against df; the second derivative against a
/// central difference of df.
template <class F, class D>
void slope_is(const F& f, const D& df, double x) {
  CAPTURE(x);
  using inner = dual<double, 1>;
  const auto first = f(dual<double, 2>::input(x, 1));
  CHECK(first.value == f(x));
  CHECK(first.d[0] == 0);
  close(first.d[1], df(x));

  dual<inner, 1> nested = dual<inner, 1>::input(inner::input(x, 0), 0);
  const auto second = f(nested);
  const double h = 1e-5;
  const double curvature = (df(x + h) - df(x - h)) / (2 * h);
  close(second.d[0].value, df(x));
  CHECK(second.d[0].d[0] == doctest::Approx(curvature).epsilon(1e-7));

  recording<double> rec;
  const variable<double> in = rec.input(x);
  const variable<double> out = f(in);
  const double one = 1;
  rec.pull(&out, &one, 1);
  CHECK(out.value == f(x));
  close(rec.adjoint(in.id), df(x));

  static_assert(std::same_as<decltype(f(dual<float, 2>(1))), dual<float, 2>>);
  static_assert(std::same_as<decltype(f(variable<float>(1))), variable<float>>);
}

}  // namespace revode
