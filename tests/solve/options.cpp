// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <string>

#include <revode/solve/solve.hpp>
#include <revode/solvers/euler.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct counted_decay {
  index* calls;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    ++*calls;
    dy[0] = -p[0] * y[0];
  }
};

/// The text of the misuse, and "the field was called" if it was.
template <class M = tsit5>
std::string refusal(const options& o, double t0 = 0, double t1 = 1) {
  index calls = 0;
  const problem q{counted_decay{&calls}, vec{1.0}, t0, t1, vec{0.5}};
  try {
    solve(q, M{}, o);
  } catch (const std::invalid_argument& misuse) {
    return calls == 0 ? misuse.what() : "the field was called";
  }
  return "accepted";
}

}  // namespace

TEST_CASE("tolerances that leave no scale for errors are refused") {
  CHECK(refusal({.rtol = 0, .atol = 0}) ==
        "invalid tolerances rtol=0, atol=0 (at least one must be positive) give e.g. rtol=1e-6, "
        "atol=1e-9?");
  CHECK(refusal({.rtol = -1e-3}) ==
        "invalid tolerances rtol=-0.001, atol=1e-09 (tolerances are finite and not negative) give "
        "e.g. rtol=1e-6, atol=1e-9?");
  CHECK(refusal({.atol = -1}) ==
        "invalid tolerances rtol=1e-06, atol=-1 (tolerances are finite and not negative) give e.g. "
        "rtol=1e-6, atol=1e-9?");
  CHECK(refusal({.rtol = not_a_number}) ==
        "invalid tolerances rtol=nan, atol=1e-09 (tolerances are finite and not negative) give "
        "e.g. rtol=1e-6, atol=1e-9?");
  CHECK(refusal({.atol = not_a_number}) ==
        "invalid tolerances rtol=1e-06, atol=nan (tolerances are finite and not negative) give "
        "e.g. rtol=1e-6, atol=1e-9?");
  CHECK(refusal({.rtol = infinity}) ==
        "invalid tolerances rtol=inf, atol=1e-09 (tolerances are finite and not negative) give "
        "e.g. rtol=1e-6, atol=1e-9?");
  CHECK(refusal({.rtol = 0}) == "accepted");
  CHECK(refusal({.atol = 0}) == "accepted");
}

TEST_CASE("an interval with an infinite end is refused") {
  CHECK(refusal({}, 0, infinity) ==
        "interval from 0 to inf (both ends must be finite) give finite t0 and t1?");
  CHECK(refusal({}, 0, not_a_number) ==
        "interval from 0 to nan (both ends must be finite) give finite t0 and t1?");
  CHECK(refusal({}, -infinity, 1) ==
        "interval from -inf to 1 (both ends must be finite) give finite t0 and t1?");
}

TEST_CASE("a first step against the direction of integration is refused") {
  CHECK(refusal({.first_step = -0.25}) ==
        "first step -0.25 of the wrong sign (the interval runs from 0 to 1) give it the sign of t1 "
        "- t0?");
  CHECK(refusal({.first_step = 0.25}, 1, 0) ==
        "first step 0.25 of the wrong sign (the interval runs from 1 to 0) give it the sign of t1 "
        "- t0?");
  CHECK(refusal({.first_step = not_a_number}) ==
        "invalid first step nan (it must be finite) leave it at 0?");
  CHECK(refusal({.first_step = 0.25}) == "accepted");
  CHECK(refusal({.first_step = -0.25}, 1, 0) == "accepted");
}

TEST_CASE("step bounds that are none are refused") {
  CHECK(refusal({.max_step = -1}) ==
        "invalid max_step -1 (it must be positive, or 0 for none) give its length?");
  CHECK(refusal({.max_step = not_a_number}) ==
        "invalid max_step nan (it must be positive, or 0 for none) give its length?");
  CHECK(refusal({.max_steps = -1}) ==
        "invalid max_steps -1 (a number of attempts is not negative) give a positive bound?");
  CHECK(refusal({.fixed_step = -0.1}) ==
        "invalid fixed step -0.1 (a step length is positive and finite; its sign follows from t0 "
        "and t1) give its length?");
  CHECK(refusal({.fixed_step = not_a_number}) ==
        "invalid fixed step nan (a step length is positive and finite; its sign follows from t0 "
        "and t1) give its length?");
  CHECK(refusal({.fixed_step = 1e-17}) ==
        "fixed step 1e-17 (it would take more than 2^53 steps from 0 to 1) give a longer one?");
}

TEST_CASE("a method without an error estimate needs a fixed step") {
  CHECK(refusal<rk4>({}) ==
        "method rk4 without a fixed step (it has no error estimate to choose steps by) give "
        "fixed_step, or a method with an estimate such as tsit5?");
  CHECK(refusal<euler>({}) ==
        "method euler without a fixed step (it has no error estimate to choose steps by) give "
        "fixed_step, or a method with an estimate such as tsit5?");
  CHECK(refusal<rk4>({.fixed_step = 0.1}) == "accepted");
}

TEST_CASE("save points lie within the interval, in the order of integration") {
  CHECK(refusal({.save = {.ts = {0.5, 1.5}}}) ==
        "save point 1.5 outside the interval (it runs from 0 to 1) leave it out, or move t1?");
  CHECK(refusal({.save = {.ts = {-0.5}}}) ==
        "save point -0.5 outside the interval (it runs from 0 to 1) leave it out, or move t1?");
  CHECK(refusal({.save = {.ts = {not_a_number}}}) ==
        "save point nan outside the interval (it runs from 0 to 1) leave it out, or move t1?");
  CHECK(refusal({.save = {.ts = {0.5, 0.25}}}) ==
        "save point 0.25 after 0.5 (save points follow the direction of integration) sort them?");
  CHECK(refusal({.save = {.ts = {0.25, 0.5}}}, 1, 0) ==
        "save point 0.5 after 0.25 (save points follow the direction of integration) sort them?");
  CHECK(refusal({.save = {.ts = {0, 0.5, 0.5, 1}}}) == "accepted");
  CHECK(refusal({.save = {.ts = {1, 0.5, 0}}}, 1, 0) == "accepted");
}

TEST_CASE("equal bits are refused where formulas are rewritten, and this build rewrites none") {
  CHECK(keeps_bits());
  CHECK(refusal({.require_equal_bits = true}) == "accepted");
  CHECK_THROWS_WITH_AS(
      validate(options{.require_equal_bits = true}, 0, 1, true, "tsit5", true),
      "require_equal_bits in a build that fuses products or rewrites sums (bits then depend on "
      "inlining) compile with -ffp-contract=off and without -ffast-math, as revode::revode does?",
      std::invalid_argument);
  CHECK_NOTHROW(validate(options{}, 0, 1, true, "tsit5", true));
}

TEST_CASE("threads are refused that do not run") {
  CHECK(refusal({.threads = 0}) == "threads = 0 (a solve runs on one at least) give 1 or more?");
  CHECK(refusal({.threads = 4}) ==
        "threads = 4 in code without OpenMP (all of it would run on one) compile with -fopenmp, or "
        "leave threads at 1?");
}

TEST_CASE("the number of equal steps forgives rounding in the length") {
  CHECK(fixed_step_count(0, 1, 0.1) == 10);
  CHECK(fixed_step_count(0, 1, 0.3) == 4);
  CHECK(fixed_step_count(0, 1, 5) == 1);
  CHECK(fixed_step_count(1, 0, 0.25) == 4);
  CHECK(fixed_step_count(0, 1, 0.1 * (1 - 1e-12)) == 10);
  CHECK(fixed_step_count(0, 0, 0.1) == 0);
  CHECK(fixed_step_count(0, 1e-12, 0.1) == 1);
}

TEST_CASE("stops, step bounds and samples that cannot be are refused") {
  CHECK(refusal({.min_step = -1}) ==
        "invalid min_step -1 (it must be positive and finite, or 0 for none) give its length?");
  CHECK(refusal({.max_step = 0.1, .min_step = 0.2}) ==
        "min_step 0.2 above max_step 0.1 (no step has a length between them) exchange them?");
  CHECK(refusal({.event_samples = 0}) ==
        "invalid event_samples 0 (a step's end is one place to look at events) give at least 1?");
  CHECK(refusal({.stops = {0.5, 2}}) ==
        "stop 2 outside the interval (it runs from 0 to 1) leave it out, or move t1?");
  CHECK(refusal({.discontinuities = {not_a_number}}) ==
        "discontinuity nan outside the interval (it runs from 0 to 1) leave it out, or move t1?");
  CHECK(refusal({.save = {.every = -1}}) ==
        "invalid save.every -1 (a number of steps is not negative) give a positive one, or 0 for "
        "none?");
  CHECK(refusal({.save = {.ts = {0.5}, .every = 2}}) ==
        "save.every = 2 with 1 listed save points (the one is in the steps' order, the other in "
        "that of times) give one of the two?");
}

}  // namespace revode
