// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using state = vec<double, 3>;

const problem chaos{lorenz{}, state{1.0, 1.0, 20.0}, 0.0, 2.0, vec{10.0, 28.0, 8.0 / 3}};

solution<state> solved(const error_norm& norm, double rtol = 1e-6) {
  return solve(chaos, tsit5{}, options{.rtol = rtol, .norm = norm});
}

std::string refusal(const error_norm& norm) {
  try {
    solved(norm);
  } catch (const std::invalid_argument& misuse) {
    return misuse.what();
  }
  return "accepted";
}

/// (x, v, ∫x): what drives does not see the integral, which runs away.
struct oscillator_with_integral {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0] * y[0];
    dy[2] = 1e6 * y[0] * y[0] * y[0];
  }
};

}  // namespace

TEST_CASE("one tolerance for each component, all the same, makes the same steps") {
  const auto one = solved({});
  const auto each = solved({.rtol = {1e-6, 1e-6, 1e-6}, .atol = {1e-9, 1e-9, 1e-9}});
  CHECK(each.stats.accepted == one.stats.accepted);
  CHECK(each.stats.rejected == one.stats.rejected);
  for (int i = 0; i < 3; ++i) CHECK(each.y[i] == doctest::Approx(one.y[i]).epsilon(1e-10));
}

TEST_CASE("the maximum norm is at least the mean and at most √n of it: steps shrink by n^(1/10)") {
  const auto mean = solved({});
  const auto most = solved({.combine = maximum_norm});
  const double ratio = double(most.stats.accepted) / double(mean.stats.accepted);
  CHECK(ratio > 1);
  CHECK(ratio < 1.02 * std::pow(3, 0.1));
}

TEST_CASE("an object combines errors too: a weighted maximum is that of scaled tolerances") {
  const std::vector<double> weights{4, 1, 0.25};
  const auto weighted = solved({.combine = [weights](const double* scaled, int n) {
    double most = 0;
    for (int i = 0; i < n; ++i)
      most = std::fmax(most, weights[std::size_t(i)] * std::abs(scaled[i]));
    return most;
  }});
  const options o;
  error_norm by_tolerances{.combine = maximum_norm};
  for (const double w : weights) {
    by_tolerances.rtol.push_back(o.rtol / w);
    by_tolerances.atol.push_back(o.atol / w);
  }
  const auto scaled = solved(by_tolerances);
  CHECK(weighted.stats.accepted == scaled.stats.accepted);
  CHECK(weighted.stats.rejected == scaled.stats.rejected);
  CHECK(weighted.y == scaled.y);  // the weights are powers of 2
}

/// y = ((1 − t)², e^−t): a step too long asks for the root of a negative number.
struct emptying {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    using std::sqrt;
    dy[0] = -2.0 * sqrt(y[0]);
    dy[1] = -y[1];
  }
};
TEST_CASE("the maximum norm of errors of which one is no number is none, and rejects the step") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& errors : {state{nan, 1, 2}, state{1, nan, 2}, state{1, 2, nan}})
    CHECK(std::isnan(maximum_norm(errors.data(), 3)));
  const problem q{emptying{}, vec{1.0, 1.0}, 0.0, 0.9999, vec<double, 0>{}};
  for (const double rtol : {1e-2, 1e-3, 1e-5}) {
    options o{.rtol = rtol, .atol = rtol / 10, .first_step = 0.5};
    o.norm.combine = maximum_norm;
    const auto s = solve(q, tsit5{}, o);
    CHECK(s.status == status::success);
    CHECK(std::abs(s.y[0] - 1e-8) < 10 * rtol);
  }
}

TEST_CASE("a component outside the norm takes no part in the choice of steps") {
  const problem with{oscillator_with_integral{}, state{1, 0, 0}, 0.0, 5.0, vec{4.0}};
  struct oscillator {
    void operator()(double, const vec<double, 2>& y, const vec<double, 1>& p,
                    vec<double, 2>& dy) const {
      dy = {y[1], -p[0] * y[0]};
    }
  };
  const problem alone{oscillator{}, vec{1.0, 0.0}, 0.0, 5.0, vec{4.0}};
  const options o{.rtol = 1e-7, .norm = {.atol = {1e-9, 1e-9, infinity}}};
  const auto s = solve(with, tsit5{}, o);
  const auto a = solve(alone, tsit5{}, options{.rtol = 1e-7});
  CHECK(s.stats.accepted == a.stats.accepted);
  CHECK(s.stats.rejected == a.stats.rejected);
  CHECK(s.y[0] == doctest::Approx(a.y[0]).epsilon(1e-13));
  CHECK(solve(with, tsit5{}, options{.rtol = 1e-7}).stats.accepted > a.stats.accepted);
}

/// (y, ẏ) of y' = −y, with ẏ as large as one likes.
struct decay_with_tangent {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -y[0];
    dy[1] = -y[1];
  }
};

TEST_CASE("elements behind a state of norm.period elements are measured by those of the state") {
  const auto steps = [](double y_dot, int period) {
    const problem q{decay_with_tangent{}, vec{1.0, y_dot}, 0.0, 3.0};
    return solve(q, tsit5{}, options{.rtol = 1e-6, .atol = 1e-9, .norm = {.period = period}})
        .stats.accepted;
  };
  CHECK(steps(1, 1) == steps(1, 0));
  CHECK(steps(1e6, 0) == steps(1e3, 0));  // relative to itself
  // an error 10³ times as large, of order h⁵ in h, rms of two of which one has no error to speak of
  const double finer = double(steps(1e6, 1)) / double(steps(1e3, 1));
  CHECK(finer == doctest::Approx(std::pow(1e3, 1.0 / 5)).epsilon(0.1));
  CHECK(steps(1e-6, 1) < steps(1, 1));
}

TEST_CASE("a component that is not a number is found outside the norm as well") {
  const auto wrong = [](auto t, const auto& y, const auto&, auto& dy) {
    dy[0] = -y[0];
    dy[1] = t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  };
  const auto s = solve(problem{wrong, vec{1.0, 0.0}, 0.0, 1.0}, tsit5{},
                       options{.norm = {.atol = {1e-9, infinity}}});
  CHECK(s.status == status::non_finite_field);
}

TEST_CASE("the gradient takes the steps of the solve and repeats them from any budget") {
  const options o{
      .rtol = 1e-6,
      .norm = {.rtol = {1e-7, 1e-5, 1e-6}, .atol = {1e-9, 1e-3, 1e-9}, .combine = maximum_norm}};
  const auto plain = solve(chaos, tsit5{}, o);
  const cotangents<state> w{.y = state{1, -2, 0.5}};
  auto all = solve(chaos, tsit5{}, o, recursive_checkpoint{.schedule = schedule_kind::store_all});
  auto few =
      solve(chaos, tsit5{}, o, recursive_checkpoint{.slots = 3, .log = step_replay::controller});
  CHECK(all.stats.accepted == plain.stats.accepted);
  const auto g = all.pullback(w), h = few.pullback(w);
  for (int i = 0; i < 3; ++i) {
    CHECK(all.y[i] == plain.y[i]);
    CHECK(g.y0[i] == h.y0[i]);
    CHECK(g.p[i] == h.p[i]);
  }
}

TEST_CASE("named controllers reach the tolerance, and replays repeat them from their memory") {
  const auto exact = solve(chaos, tsit5{}, options{.rtol = 1e-11, .atol = 1e-11});
  const index usual = solve(chaos, tsit5{}, {}).stats.accepted;
  const cotangents<state> w{.y = state{1, -2, 0.5}};
  for (const auto& c : {controllers::i(), controllers::pi(), controllers::pi4020(),
                        controllers::pid(), controllers::h211pi(), controllers::h312pid(),
                        controllers::h211b(), controllers::gustafsson()}) {
    CAPTURE(c.p);
    const options o{.controller = c, .stops = {0.7, 0.7001}};
    auto all = solve(chaos, tsit5{}, o, recursive_checkpoint{.schedule = schedule_kind::store_all});
    auto few =
        solve(chaos, tsit5{}, o, recursive_checkpoint{.slots = 3, .log = step_replay::controller});
    CHECK(all.status == status::success);
    CHECK(std::abs(all.y[0] - exact.y[0]) < 1e-3);
    CHECK(all.stats.accepted < 2 * usual);
    CHECK(all.stats.rejected <= all.stats.accepted / 4);
    const auto g = all.pullback(w), h = few.pullback(w);
    CHECK(few.y[0] == all.y[0]);
    for (int i = 0; i < 3; ++i) CHECK(g.y0[i] == h.y0[i]);
  }
  CHECK_THROWS_WITH(
      solve(chaos, tsit5{}, options{.controller = {.d = 0.1, .ratio = 1}}),
      "controller with ratio=1 and d=0.1 (it remembers the last step ratio or the error before the "
      "last, not both) leave one at 0?");
}

TEST_CASE("norms that do not fit the state, or leave nothing to choose steps by, are refused") {
  CHECK(refusal({.atol = {1e-9, 1e-9}}) ==
        "2 tolerances in norm.atol for a state of 3 elements (each element has one) give as many, "
        "or none?");
  CHECK(refusal({.rtol = {1e-6, infinity, 1e-6}}) ==
        "invalid tolerance norm.rtol[1] = inf (tolerances are finite and not negative) give e.g. "
        "1e-6?");
  CHECK(refusal({.atol = {1e-6, 1e-6, -1}}) ==
        "invalid tolerance norm.atol[2] = -1 (tolerances are not negative) give e.g. 1e-6?");
  CHECK(refusal({.atol = {infinity, infinity, infinity}}) ==
        "no component inside norm.atol (with every tolerance infinite nothing is left to choose "
        "steps by) give at least one a finite tolerance?");
  CHECK(
      refusal({.period = 2}) ==
      "norm.period = 2 for a state of 3 elements (it is that of a state and of tangents behind it) "
      "give a divisor, or 0?");
}

}  // namespace revode
