// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "event_models.hpp"

#include <revode/solve/solve.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// y' = 1 before t = 1, 3 from there on.
struct forced {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y&, const P&, Y& dy) const {
    dy[0] = t < 1 ? 1 : 3;
  }
};
/// y' = −√y, which leaves y ≥ 0 at t = 2 from y = 1; −1 where the field should not be.
struct draining {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    using std::sqrt;
    dy[0] = y[0] > 0 ? -sqrt(y[0]) : y[0] * 0 - 1;
  }
};
struct not_negative {
  template <class T, class Y, class P>
  bool inside(const T&, const Y& y, const P&) const {
    return y[0] >= 0;
  }
};
struct steady {
  template <class Y, class P>
  bool after_step(double, const Y& y, const P& p) const {
    return std::abs(p[0] * y[0]) < 1e-3;
  }
};

const problem decay{decaying{}, vec{1.0}, 0.0, 10.0, vec{0.7}};

std::vector<double> ends_of_steps(const options& o) {
  options each = o;
  each.save.every = 1;
  return solve(decay, tsit5{}, each).ts;
}
bool contains(const std::vector<double>& ts, double t) {
  return std::find(ts.begin(), ts.end(), t) != ts.end();
}

}  // namespace

TEST_CASE("steps end at the stops, and their length is restored behind") {
  const auto free = ends_of_steps({});
  const auto stopped = ends_of_steps({.stops = {7, 2.3, 2.30001, 5}});
  for (const double t : {2.3, 2.30001, 5., 7.}) CHECK(contains(stopped, t));
  CHECK(stopped.size() <= free.size() + 5);  // one step more each
  for (const double t : {2.3, 5.})
    CHECK(contains(ends_of_steps({.fixed_step = 0.25, .stops = {t}}), t));
  CHECK(ends_of_steps({.fixed_step = 0.25, .stops = {2.3, 5}}).size() == 41);  // 5 is on the grid
}

TEST_CASE("across a discontinuity that is told, the integral of a step is exact") {
  const double e = std::numeric_limits<double>::epsilon();
  const auto integral = [](double t0, double t1, const options& o) {
    return solve(problem{forced{}, vec{0.0}, t0, t1}, tsit5{}, o);
  };
  const auto s = integral(0, 2, {.discontinuities = {1}});
  CHECK(std::abs(s.y[0] - 4) <= 16 * e);
  CHECK(s.stats.rejected == 0);
  CHECK(std::abs(integral(2, 0, {.discontinuities = {1}}).y[0] + 4) <= 16 * e);
  CHECK(std::abs(integral(0, 1, {.discontinuities = {1}}).y[0] - 1) <= 16 * e);  // exactly at t1
  CHECK(std::abs(integral(1, 2, {.discontinuities = {1}}).y[0] - 3) <= 16 * e);  // at t0
  CHECK(integral(0, 1, {.discontinuities = {1}}).t == 1);
  const auto fixed = solve(problem{forced{}, vec{0.0}, 0.0, 2.0}, rk4{},
                           {.fixed_step = 0.3, .discontinuities = {1}});
  CHECK(std::abs(fixed.y[0] - 4) <= 16 * e);
  CHECK(integral(0, 2, {}).stats.rejected > 5);
}

TEST_CASE("times one number apart, far from 0, and ends out of reach: a status, never a hang") {
  const double next = std::nextafter(3.0, 4.0), after = std::nextafter(next, 4.0);
  const auto s = solve(
      decay, tsit5{},
      {.stops = {next, 3, after}, .discontinuities = {3, after}, .save = {.ts = {3, next, after}}});
  CHECK(s.status == status::success);
  CHECK(s.ts == std::vector{3.0, next, after});
  CHECK(solve(problem{decaying{}, vec{1.0}, 1e20, 1e20 + 1e5, vec{1e-9}}, tsit5{},
              {.first_step = 100})
            .status == status::step_underflow);
  const auto far =
      solve(problem{decaying{}, vec{1.0}, 0.0, -1e300, vec{1e-3}}, tsit5{}, {.max_steps = 10'000});
  CHECK(far.status != status::success);
  CHECK(far.stats.accepted <= 10'000);
}

TEST_CASE("a step that leaves the domain is tried shorter, until it is too short") {
  const auto s = solve(problem{draining{}, vec{1.0}, 0.0, 3.0}, tsit5{}, {.atol = 1e-12},
                       events(not_negative{}));
  CHECK(s.status == status::outside_domain);
  CHECK(s.t == doctest::Approx(2).epsilon(1e-4));
  CHECK(s.y[0] >= 0);
  const auto fixed = solve(problem{draining{}, vec{1.0}, 0.0, 3.0}, rk4{}, {.fixed_step = 0.3},
                           events(not_negative{}));
  CHECK(fixed.status == status::outside_domain);
  CHECK(fixed.y[0] >= 0);
}

TEST_CASE("an observer sees every accepted step, and may stop the solve") {
  const auto s = solve(decay, tsit5{}, {.save = {.t1 = true}}, events(steady{}));
  CHECK(s.status == status::stopped_by_callback);
  CHECK(s.y[0] < 1e-3 / 0.7);
  CHECK(s.ys.back() == s.y);
  index seen = 0;
  const auto all =
      solve(decay, tsit5{}, {}, events(stop_when{[&](double, const auto&, const auto&) {
              ++seen;
              return false;
            }}));
  CHECK(seen == all.stats.accepted);
  CHECK(all.status == status::success);
}

TEST_CASE("every k-th step is saved; no step is shorter than asked") {
  options o{.save = {.every = 3}};
  const auto s = solve(decay, tsit5{}, o);
  CHECK(static_cast<index>(s.ts.size()) == s.stats.accepted / 3);
  CHECK(s.ts[0] == ends_of_steps({})[2]);
  CHECK(solve(decay, tsit5{}, {.rtol = 1e-12, .atol = 1e-12, .min_step = 0.5}).status ==
        status::step_underflow);
  const auto long_steps = ends_of_steps({.rtol = 1e-2, .first_step = 0.3, .min_step = 0.3});
  for (std::size_t k = 0; k + 2 < long_steps.size(); ++k)
    CHECK(long_steps[k + 1] - long_steps[k] >= 0.3 * (1 - 1e-14));
}

}  // namespace revode
