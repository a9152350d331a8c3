// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>

#include <revode/linalg/algebra.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/kencarp5.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/radau_iia13.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/state/vec.hpp>

namespace revode {
namespace {
using verdict = newton_control::verdict;

struct cubic {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * (y[1] - y[0] * y[0] * y[1]) - y[0];
  }
};

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

TEST_CASE("Newton control: equal steps end where corrections no longer fall, above rounding") {
  newton_control alone(0, 50, 1.0), rounded(0, 50, 1.0, false, 0.5);
  for (newton_control* control : {&alone, &rounded}) CHECK(control->judge(0.2) == verdict::again);
  CHECK(alone.judge(0.15) == verdict::again);
  CHECK(rounded.judge(0.15) == verdict::done);
}

TEST_CASE_TEMPLATE("equal steps in float, and with tolerances at rounding, converge", M, kvaerno3,
                   kencarp5, esdirk547, radau_iia5, radau_iia9, radau_iia13) {
  const auto end = [](auto one, const options& o) {
    using T = decltype(one);
    const problem q{cubic{}, vec<T, 2>{T(1.5), T(-0.5)}, 0.0, 1.0, vec<T, 1>{T(30)}};
    const auto s = solve(q, M{}, o);
    REQUIRE(s.status == status::success);
    return s.y;
  };
  const auto exact = end(1.0, {.fixed_step = 0.02});
  const auto rounded = end(1.0f, {.fixed_step = 0.02});
  const auto tight = end(1.0, {.rtol = 1e-14, .atol = 1e-16, .fixed_step = 0.02});
  for (int i = 0; i < 2; ++i) {
    CHECK(rounded[i] == doctest::Approx(exact[i]).epsilon(2e-5));
    CHECK(tight[i] == doctest::Approx(exact[i]).epsilon(1e-11));
  }
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
  CHECK(rounding_in<double>(size(0, 1e-14)) == doctest::Approx(0.92));  // 10 ε |y|
  CHECK(rounding_in<float>(size(0, 1e-6)) == doctest::Approx(4.8));
}

TEST_CASE(
    "Radau: the estimate is allowed 0.1 rtol^((S+1)/(2S)), iterations a part of one tolerance") {
  CHECK(radau_allowance<3>(1e6) == doctest::Approx(0.1 * 1e2));  // 0.1 (1e-6)^(2/3) / 1e-6
  CHECK(radau_allowance<5>(1e10) == doctest::Approx(0.1 * 1e4));
  CHECK(radau_allowance<7>(1e7) == doctest::Approx(0.1 * 1e3));
  CHECK(radau_allowance<7>(0) == doctest::Approx(0.1));
  CHECK(radau_allowance<7>(std::numeric_limits<double>::infinity()) < 3e5);
  CHECK(radau_newton_tolerance<3>(10, 0) * 10 == doctest::Approx(0.0316).epsilon(1e-3));
  CHECK(radau_newton_tolerance<5>(1e3, 0) * 1e3 == doctest::Approx(0.0215).epsilon(1e-3));
  CHECK(radau_newton_tolerance<3>(0.1, 0) == 0.03);
  CHECK(radau_newton_tolerance<3>(0.1, 0.9) == 0.9);
}

}  // namespace
}  // namespace revode
