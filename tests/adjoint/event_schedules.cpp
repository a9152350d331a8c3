// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/tsit5.hpp>

#include "events_at_hand.hpp"

namespace revode {
namespace {

using namespace at_hand;

/// All that a solve depends on, and a loss of all that it gives.
struct inputs {
  state y0{0.4, 1.0};
  parameters p{1.5, 0.2, 0.8};
  double t0 = 0.1, t1 = 3.1;
  std::vector<double> ts{0.5, 1.3}, stops{0.7, 1.9}, times{0.3, 1.4};

  problem<driven, state, parameters> equation() const { return {driven{}, y0, t0, t1, p}; }
  options with(options o) const {
    o.stops = stops;
    o.discontinuities = {2};
    o.save = {.t0 = true,
              .ts = o.save.every > 0 ? std::vector<double>{} : ts,
              .t1 = true,
              .every = o.save.every};
    return o;
  }
  auto list() const { return events(kick{}, dose{}, scaling{times}); }
};
template <class Solution>
cotangents<state> loss_of(const Solution& s) {
  cotangents<state> w{.y = state{1, -0.7}};
  for (std::size_t k = 0; k < s.ys.size(); ++k)
    w.ys.push_back({0.3 + 0.1 * static_cast<double>(k % 5), -0.2});
  for (std::size_t k = 0; k < s.events.size(); ++k) w.events.push_back(1 + static_cast<double>(k));
  return w;
}
double value_of_loss(const inputs& in, const options& o) {
  const auto s = solve(in.equation(), tsit5{}, in.with(o), in.list());
  const auto w = loss_of(s);
  double sum = dot(*w.y, s.y);
  for (std::size_t k = 0; k < s.ys.size(); ++k) sum += dot(w.ys[k], s.ys[k]);
  for (std::size_t k = 0; k < s.events.size(); ++k) sum += w.events[k] * s.events[k].t;
  return sum;
}
gradient<state, parameters> gradient_by(const inputs& in, const options& o,
                                        const recursive_checkpoint& adjoint) {
  const auto q = in.equation();
  auto s = solve(q, tsit5{}, in.with(o), in.list(), adjoint);
  REQUIRE(s.events.size() >= 4);
  const auto g = s.pullback(loss_of(s)), again = s.pullback(loss_of(s));
  CHECK(again.p == g.p);
  return g;
}

const std::vector<options> ways{{.fixed_step = 0.26},
                                {.fixed_step = 0.26, .save = {.every = 2}},
                                {.rtol = 1e-4},
                                {.rtol = 1e-4, .step_rounding = rounding::octave16}};

}  // namespace

TEST_CASE("with events, stops and a discontinuity: the same bits by every schedule and log") {
  for (const options& o : ways) {
    const auto g = gradient_by({}, o, {.schedule = schedule_kind::store_all});
    const auto check = [&](const recursive_checkpoint& adjoint) {
      const auto h = gradient_by({}, o, adjoint);
      CHECK((h.y0 == g.y0 && h.p == g.p && h.t0 == g.t0 && h.t1 == g.t1));
      CHECK((h.ts == g.ts && h.stops == g.stops && h.events == g.events));
    };
    for (const auto log : {step_replay::steps, step_replay::controller})
      for (const index slots : {1, 3, 8}) {
        check({.slots = slots, .log = log});
        check({.slots = slots, .schedule = schedule_kind::wang_moin, .log = log});
      }
    for (const auto kind : {schedule_kind::store_states, schedule_kind::periodic,
                            schedule_kind::mixed, schedule_kind::nested})
      check({.slots = kind == schedule_kind::mixed ? 9 : 100, .schedule = kind});
    for (const index budget : {15'500, 18'000, 100'000}) check({.budget = budget});
    check({.budget = 12'000, .events = 4});
  }
}

TEST_CASE("push and pull through events are transposes") {
  for (const options& o : ways) {
    const inputs in;
    const auto g = gradient_by(in, o, {.slots = 5});
    tangents<state, parameters> v{.y0 = {0.3, -0.4}, .p = {1, 0.5, -2}, .t0 = 0.7, .t1 = -0.6};
    v.stops = {0.5, 0.2, -0.1};
    if (o.save.every == 0) v.ts = {0.3, 0.1};
    const auto f = solve(in.equation(), tsit5{}, in.with(o), in.list(), v);
    const auto w = loss_of(f);
    double forward = dot(*w.y, f.y_dot);
    for (std::size_t k = 0; k < f.ys_dot.size(); ++k) forward += dot(w.ys[k], f.ys_dot[k]);
    for (std::size_t k = 0; k < f.events_dot.size(); ++k) forward += w.events[k] * f.events_dot[k];
    double back = dot(g.y0, v.y0) + dot(g.p, v.p) + g.t0 * v.t0 + g.t1 * v.t1;
    for (std::size_t k = 0; k < v.ts.size(); ++k) back += g.ts[k] * v.ts[k];
    for (std::size_t k = 0; k < v.stops.size(); ++k) back += g.stops[k] * v.stops[k];
    CHECK(forward == doctest::Approx(back).epsilon(2e-13));
  }
}

TEST_CASE("on a grid that stands still the gradient is that of the coarse map itself") {
  // equal steps of 0.26: errors of 1e-3, and derivatives of exactly that
  for (const options& o : {ways[0], ways[1]}) {
    const auto g = gradient_by({}, o, {});
    const auto check = [&](double pulled, auto&& move) {
      inputs up, down;
      move(up, 1e-6);
      move(down, -1e-6);
      const double difference = (value_of_loss(up, o) - value_of_loss(down, o)) / 2e-6;
      CHECK(std::abs(pulled - difference) <= 1e-8 * (1 + std::abs(difference)));
    };
    for (int i = 0; i < 2; ++i) check(g.y0[i], [=](inputs& in, double e) { in.y0[i] += e; });
    for (int i = 0; i < 3; ++i) check(g.p[i], [=](inputs& in, double e) { in.p[i] += e; });
    check(g.t0, [](inputs& in, double e) { in.t0 += e; });
    check(g.t1, [](inputs& in, double e) { in.t1 += e; });
    for (std::size_t k = 0; k < 2; ++k) {
      if (o.save.every == 0) check(g.ts[k], [=](inputs& in, double e) { in.ts[k] += e; });
      check(g.stops[k], [=](inputs& in, double e) { in.stops[k] += e; });
    }
    double of_times = 0;
    for (const double t_bar : g.events) of_times += t_bar;
    check(of_times, [](inputs& in, double e) {
      for (double& t : in.times) t += e;
    });
  }
}

}  // namespace revode
