// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>

#include <revode/linalg/algebra.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/state/vec.hpp>

namespace revode {
namespace {
using verdict = newton_control::verdict;

TEST_CASE("Newton control: a first correction ends it by its own norm, not by a remembered rate") {
  newton_control large(0.03, 7, 1e-6), small(0.03, 7, 1e-6), slow(0.03, 7, 50.0);
  CHECK(large.judge(1.0) == verdict::again);  // 1e-6 of it would be left, said another step
  CHECK(large.judge(1e-3) == verdict::done);  // and now this one: 1e-3 of 1e-3
  CHECK(large.iterations() == 2);
  CHECK(small.judge(0.02) == verdict::done);
  CHECK(slow.judge(0.02) == verdict::again);  // a slow rate is believed
}

TEST_CASE("Newton control: a rate measured with the same factors is believed") {
  newton_control first(0.03, 10, 1.0);
  CHECK(first.judge(1.0) == verdict::again);
  CHECK_FALSE(first.measured());
  CHECK(first.judge(1e-4) == verdict::done);
  REQUIRE(first.measured());
  newton_control next(0.03, 10, first_rate(first.rate()), first.measured());
  CHECK(next.judge(1.0) == verdict::done);
}

TEST_CASE("Newton control: what may be left follows from the scaled tolerance") {
  const vec y{3.0, -4.0, 0.0};
  vec weight{0.0, 0.0, 0.0};
  const auto size = [&](double rtol, double atol) {
    const tolerance tol{rtol, atol};
    fill_weights(y, tol, weight);
    return relative_size(tol, y, weight);
  };
  CHECK(size(0, 1e-8) == doctest::Approx(4e8));
  CHECK(size(1e-300, 1e-8) == doctest::Approx(4e8));
  CHECK(size(1e-8, 1e-30) == doctest::Approx(1e8));
  CHECK(newton_tolerance(0.03, size(0, 1e-8)) == 0.03);
  CHECK(newton_tolerance(0.03, size(0, 1e-14)) == doctest::Approx(0.92));  // 10 ε |y| is rounding
}

TEST_CASE(
    "Radau: the estimate is allowed 0.1 rtol^((S+1)/(2S)), iterations a part of one tolerance") {
  CHECK(radau_allowance<3>(1e6) == doctest::Approx(0.1 * 1e2));  // 0.1 (1e-6)^(2/3) / 1e-6
  CHECK(radau_allowance<5>(1e10) == doctest::Approx(0.1 * 1e4));
  CHECK(radau_allowance<7>(1e7) == doctest::Approx(0.1 * 1e3));
  CHECK(radau_allowance<7>(0) == doctest::Approx(0.1));
  CHECK(radau_allowance<7>(std::numeric_limits<double>::infinity()) < 3e5);
  CHECK(radau_newton_tolerance<3>(10, 1e6) * 10 == doctest::Approx(0.0316).epsilon(1e-3));
  CHECK(radau_newton_tolerance<5>(1e3, 1e10) * 1e3 == doctest::Approx(0.0215).epsilon(1e-3));
  CHECK(radau_newton_tolerance<3>(0.1, 1) == 0.03);
}

}  // namespace
}  // namespace revode
