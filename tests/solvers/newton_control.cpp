// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>

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

TEST_CASE("Newton control: equal steps are solved where corrections fall below rounding for ever") {
  for (const bool uneven : {false, true}) {
    newton_control known(0, 50, 1.0, false, 1e-10), unknown(0, 50, 1.0);
    for (newton_control* control : {&known, &unknown}) {
      if (uneven) control->expect_uneven();
      double norm = 1;
      for (int i = 1; i < 50; ++i, norm *= 0.24) CHECK(control->judge(norm) == verdict::again);
      CHECK(control->judge(norm) == (control == &known ? verdict::done : verdict::failed));
    }
  }
}

TEST_CASE("Newton control: corrections that fall by less than 1 % are given up, the step halved") {
  for (const double quotient : {0.99, 1.0, 1.5, 100.0}) {
    CAPTURE(quotient);
    newton_control control(0.03, 10, 1.0);
    CHECK(control.judge(1.0) == verdict::again);
    CHECK(control.judge(quotient) == verdict::failed);
    CHECK(control.factor() == 0.5);
    CHECK(control.iterations() == 2);
    CHECK(control.theta() == quotient);
  }
}

TEST_CASE("Newton control: a rate too slow for the iterations left shortens the step by its root") {
  // After two of ten, 0.9^7 of what 0.9 / 0.1 of the correction leaves; more than 20 counts as 20.
  const auto second = [](double norm, double kappa) {
    newton_control control(kappa, 10, 1e3);
    CHECK(control.judge(norm / 0.9) == verdict::again);
    return std::pair{control.judge(norm), control.factor()};
  };
  const double left = 9 * std::pow(0.9, 7);
  CHECK(second(1.0, 1.01 * left).first == verdict::again);
  const auto [barely, by_little] = second(1.0, left / 1.01);
  CHECK(barely == verdict::failed);
  CHECK(by_little == doctest::Approx(0.8 * std::pow(1.01, -1.0 / 11)).epsilon(1e-4));
  const auto [slow, by_more] = second(1.0, left / 19);
  CHECK(slow == verdict::failed);
  CHECK(by_more == doctest::Approx(0.8 * std::pow(19.0, -1.0 / 11)).epsilon(1e-4));
  CHECK(second(1.0, left / 1000).second ==
        doctest::Approx(0.8 * std::pow(20.0, -1.0 / 11)).epsilon(1e-4));
}

TEST_CASE("Newton control: from the third correction on the rate is a mean of two quotients") {
  newton_control control(1e-6, 50, 1.0);
  for (const double norm : {1.0, 0.4, 0.04}) CHECK(control.judge(norm) == verdict::again);
  CHECK(control.theta() == doctest::Approx(0.2));  // √(0.4 · 0.1)
  CHECK(control.rate() == doctest::Approx(0.25));
}

TEST_CASE("Newton control: the last iteration ends it, and so does what is no number") {
  newton_control last(0.03, 2, 1.0);
  CHECK(last.judge(1.0) == verdict::again);
  CHECK(last.judge(0.5) == verdict::failed);
  CHECK(last.factor() == 0.5);
  newton_control endless(0.03, 10, 1.0);
  CHECK(endless.judge(std::numeric_limits<double>::infinity()) == verdict::failed);
  CHECK(endless.factor() == 0.5);
}

TEST_CASE("Newton control: equal steps give up corrections that double after the third, or at 50") {
  newton_control doubling(0, 50, 1.0), late(0, 5, 1.0);
  for (const double norm : {1.0, 3.0, 9.0}) CHECK(doubling.judge(norm) == verdict::again);
  CHECK(doubling.judge(18.0) == verdict::again);  // not more than twice
  CHECK(doubling.judge(37.0) == verdict::failed);
  CHECK(doubling.factor() == 0.5);
  CHECK(doubling.theta() == doctest::Approx(37.0 / 18));
  for (int i = 0; i < 4; ++i) CHECK(late.judge(1.0) == verdict::again);
  CHECK(late.judge(1.0) == verdict::failed);
  newton_control exact(0, 50, 1.0), still(0, 50, 1.0);
  CHECK(exact.judge(0.0) == verdict::done);
  CHECK(still.judge(1e-5) == verdict::again);
  CHECK(still.judge(0.2e-5) == verdict::again);  // still falling
  CHECK(still.judge(0.08e-5) == verdict::done);
}

TEST_CASE("Newton control: what the next system may expect is the rate to the power 0.8") {
  CHECK(first_rate(1e-5) == doctest::Approx(1e-4).epsilon(1e-4));
  CHECK(first_rate(0) == doctest::Approx(std::pow(2.3e-16, 0.8)).epsilon(1e-4));
}

TEST_CASE("a trial keeps Jacobian and factors only where the step before allows it") {
  struct memo {
    newton_decisions next;
    double h_factors = 0.5;
  };
  memo kept, renewed, rejected;
  kept.next.keep_jacobian = rejected.next.keep_jacobian = rejected.next.rejected = true;
  for (const memo* m : {&kept, &renewed, &rejected}) {
    CHECK(renew_jacobian(*m, true) == (m != &kept));
    CHECK(renew_jacobian(*m, false));
    CHECK(renew_factors(*m, 0.5));
  }
  kept.next.keep_factors = true;
  for (const double h : {0.5, 0.5 * (1 + 0.9e-6), 0.5 * (1 - 0.9e-6)})
    CHECK_FALSE(renew_factors(kept, h));
  for (const double h : {0.5 * (1 + 1.1e-6), 0.5 * (1 - 1.1e-6), -0.5})
    CHECK(renew_factors(kept, h));
  for (const double h : {0.34, 0.5, 0.74}) CHECK_FALSE(renew_factors(kept, h, true));
  for (const double h : {0.33, 0.76, -0.5}) CHECK(renew_factors(kept, h, true));
  CHECK(renew_factors(renewed, 0.5, true));
}

TEST_CASE_TEMPLATE("iterations leave 0.03 of a tolerance where nobody says how much", M, kvaerno3,
                   kencarp5, esdirk547) {
  const problem q{cubic{}, vec{1.5, -0.5}, 0.0, 3.0, vec{30.0}};
  const options o{.rtol = 1e-5, .atol = 1e-7};
  M told, twice;
  told.newton = 0.03, twice.newton = 0.06;
  const auto by_default = solve(q, M{}, o);
  CHECK(by_default.y == solve(q, told, o).y);
  CHECK(by_default.y != solve(q, twice, o).y);
}

struct not_negative {
  template <class T, class Y, class P>
  bool inside(const T&, const Y& y, const P&) const {
    return y[0] >= 0;
  }
};

TEST_CASE_TEMPLATE(
    "a step that leaves the domain is tried shorter until it is too short, not again", M, kencarp5,
    esdirk547, radau_iia5, radau_iia9) {
  const auto falls = [](const auto&, const auto& y, const auto& p, auto& dy) {
    dy[0] = -p[0] + 0.0 * y[0];
  };
  const problem q{falls, vec<double, 1>{1.0}, 0.0, 2.0, vec<double, 1>{1.0}};
  const auto s = solve(q, M{}, {.rtol = 1e-6, .atol = 1e-6}, events(not_negative{}));
  CHECK(s.status == status::outside_domain);
  CHECK(s.t == doctest::Approx(1).epsilon(1e-9));
  CHECK(s.stats.rejected < 100);  // as by explicit methods: some dozens
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

TEST_CASE("Newton control: weights under a norm follow pairs, periods, and who is outside") {
  const vec y{3.0, 4.0, 5.0, 6.0}, rtol{0.1, 0.2, 0.3, 0.4};
  vec atol{1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()}, weight{0.0, 0.0, 0.0, 0.0};
  component_scale each{.rtol = rtol.data(), .atol = atol.data(), .n = 4, .inside = 3, .paired = 2};
  const tolerance tol{0.5, 7.0, true, &each};
  const auto check = [&](const vec<double, 4>& scale) {
    fill_weights(y, tol, weight);
    for (int i = 0; i < 4; ++i) CHECK(weight[i] == doctest::Approx(1 / scale[i]).epsilon(1e-14));
  };
  check({1 + 0.1 * 5, 2 + 0.2 * 5, 3 + 0.3 * 5, 7 + 0.5 * 6});  // √(3² + 4²) = 5, twice
  CHECK(relative_size(tol, y, weight) == doctest::Approx(2));   // 3 / 1.5
  each.paired = 0, each.period = 2;  // by the size of the first two, in turn
  check({1 + 0.1 * 3, 2 + 0.2 * 4, 3 + 0.3 * 3, 7 + 0.5 * 6});
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
