// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include <revode/problems/lorenz.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {

TEST_CASE("sixteenths of an octave are correctly rounded powers of two") {
  for (int i = 0; i < 16; ++i)
    CHECK(sixteenths_of_octave[i] ==
          static_cast<double>(std::exp2(static_cast<long double>(i) / 16)));
  for (int k = -16000; k <= 16000; ++k) REQUIRE(octave_number(octave_length(k)) == k);
}

TEST_CASE("a step is rounded down, to the next length allowed") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-900, 900);
  for (int i = 0; i < 20000; ++i) {
    const double h = (i % 2 == 0 ? 1 : -1) * std::exp2(exponent(random));
    REQUIRE(round_step(rounding::none, h) == h);
    const double octave = round_step(rounding::octave16, h);
    REQUIRE(std::abs(octave) <= std::abs(h));
    REQUIRE(octave_length(octave_number(h) + 1) > std::abs(h));
    REQUIRE(std::signbit(octave) == std::signbit(h));
    const double brief = round_step(rounding::bits24, h);
    REQUIRE(std::abs(brief) <= std::abs(h));
    REQUIRE(std::abs(brief) > std::abs(h) * (1 - 0x1p-23));
    REQUIRE(std::ldexp(brief, 23 - std::ilogb(brief)) ==
            std::trunc(std::ldexp(h, 23 - std::ilogb(h))));
    REQUIRE(round_step(rounding::octave16, octave) == octave);
    REQUIRE(round_step(rounding::bits24, brief) == brief);
  }
}

TEST_CASE("what is no normal number stays as it is") {
  using limits = std::numeric_limits<double>;
  for (const double h : {0.0, 1e-310, -5e-324, limits::infinity()})
    for (const auto to : {rounding::bits24, rounding::octave16}) CHECK(round_step(to, h) == h);
}

TEST_CASE("every step of a rounded solve has an allowed length, but the one cut at t1") {
  const lorenz field;
  for (const double t1 : {5.0, -0.3})
    for (const auto to : {rounding::bits24, rounding::octave16}) {
      const problem q{lorenz{}, field.y0(), 0.0, t1, field.parameters()};
      stepper<tsit5, lorenz, vec<double, 3>, vec<double, 3>> loop(
          q, tsit5{}, {.rtol = 1e-7, .max_step = 0.3, .step_rounding = to});
      index whole = 0, n = 0;
      while (!loop.finished()) {
        const double t = loop.time();
        loop.step(loop.work_tape());
        ++n;
        // One of the lengths that round to this step's end is allowed.
        const double h = loop.time() - t;
        const double near = round_step(to, h * (1 + 1e-12));
        whole += t + near == loop.time() ? 1 : 0;
      }
      CHECK(loop.status() == status::success);
      CHECK(n > 20);
      CHECK(whole >= n - 1);
    }
}

TEST_CASE("rounded steps cost a few per cent more of them") {
  const lorenz field;
  const problem q{lorenz{}, field.y0(), 0.0, 10.0, field.parameters()};
  const auto steps = [&](rounding to) {
    return solve(q, tsit5{}, {.rtol = 1e-8, .step_rounding = to}).stats.accepted;
  };
  CHECK(steps(rounding::bits24) <= steps(rounding::none) + 2);
  CHECK(static_cast<double>(steps(rounding::octave16)) <
        1.05 * static_cast<double>(steps(rounding::none)));
}

}  // namespace revode
