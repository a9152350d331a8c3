// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/adams.hpp>
#include <revode/solvers/bdf.hpp>

#include "events_at_hand.hpp"

namespace revode {
namespace {

using namespace at_hand;

/// The end, where it is on.
struct late {
  bool on;
  static constexpr bool terminal = true;
  template <class T, class Y, class P>
  T condition(const T& t, const Y& y, const P& p) const {
    return on ? t + 0.05 * y[1] - 2.4 * p[2] : T(1);
  }
};

/// All that a solve depends on, and a loss of all that it gives.
struct inputs {
  bool ends = false;
  state y0{0.4, 1.0};
  parameters p{1.5, 0.2, 0.8};
  double t0 = 0.1, t1 = 3.1;
  std::vector<double> ts{0.5, 1.3}, stops{0.7, 1.9}, times{0.3, 1.4};

  problem<driven, state, parameters> equation() const { return {driven{}, y0, t0, t1, p}; }
  options with(double rtol) const {
    options o{.rtol = rtol, .atol = 0.01 * rtol, .stops = stops};
    o.discontinuities = {2};
    o.save = {.t0 = true, .ts = ts, .t1 = true};
    return o;
  }
  auto list() const { return events(kick{}, dose{}, scaling{times}, late{ends}); }
};
template <class Solution>
cotangents<state> loss_of(const Solution& s) {
  cotangents<state> w{.y = state{1, -0.7}};
  for (std::size_t k = 0; k < s.ys.size(); ++k)
    w.ys.push_back({0.3 + 0.1 * static_cast<double>(k % 5), -0.2});
  for (std::size_t k = 0; k < s.events.size(); ++k) w.events.push_back(1 + static_cast<double>(k));
  return w;
}
template <class M>
auto gradient_by(const inputs& in, double rtol, const recursive_checkpoint& adjoint) {
  const auto q = in.equation();
  auto s = solve(q, M{}, in.with(rtol), in.list(), adjoint);
  REQUIRE(s.status == (in.ends ? status::terminal_event : status::success));
  return s.pullback(loss_of(s));
}
tangents<state, parameters> some_direction() {
  tangents<state, parameters> v{.y0 = {0.3, -0.4}, .p = {1, 0.5, -2}, .t0 = 0.7, .t1 = -0.6};
  v.stops = {0.5, 0.2, -0.1};
  v.ts = {0.3, 0.1};
  return v;
}
struct pushed_loss {
  double value = 0, slope = 0;
};
template <class M>
pushed_loss push_by(const inputs& in, double rtol, const tangents<state, parameters>& v) {
  const auto f = solve(in.equation(), M{}, in.with(rtol), in.list(), v);
  const auto w = loss_of(f);
  pushed_loss sum{dot(*w.y, f.y), dot(*w.y, f.y_dot)};
  for (std::size_t k = 0; k < f.ys_dot.size(); ++k) {
    sum.value += dot(w.ys[k], f.ys[k]);
    sum.slope += dot(w.ys[k], f.ys_dot[k]);
  }
  for (std::size_t k = 0; k < f.events_dot.size(); ++k) {
    sum.value += w.events[k] * f.events[k].t;
    sum.slope += w.events[k] * f.events_dot[k];
  }
  return sum;
}

}  // namespace

TEST_CASE_TEMPLATE(
    "multistep: push and pull through events are transposes, with the same bits every way", M, bdf5,
    adams12) {
  for (const bool ends : {false, true}) {
    inputs in;
    in.ends = ends;
    const auto v = some_direction();
    const auto g = gradient_by<M>(in, 1e-4, {.schedule = schedule_kind::store_all});
    double back = dot(g.y0, v.y0) + dot(g.p, v.p) + g.t0 * v.t0 + g.t1 * v.t1;
    for (std::size_t k = 0; k < v.ts.size(); ++k) back += g.ts[k] * v.ts[k];
    for (std::size_t k = 0; k < v.stops.size(); ++k) back += g.stops[k] * v.stops[k];
    CHECK(push_by<M>(in, 1e-4, v).slope == doctest::Approx(back).epsilon(1e-12));
    for (const auto log : {step_replay::steps, step_replay::controller})
      for (const index slots : {1, 3, 8}) {
        const auto h = gradient_by<M>(in, 1e-4, {.slots = slots, .log = log});
        CHECK((h.y0 == g.y0 && h.p == g.p && h.t0 == g.t0 && h.t1 == g.t1));
        CHECK((h.ts == g.ts && h.stops == g.stops && h.events == g.events));
      }
  }
}

TEST_CASE_TEMPLATE("multistep: gradients move with the starts behind events", M, bdf5, adams12) {
  for (const bool ends : {false, true}) {
    inputs at;
    at.ends = ends;
    const auto g = gradient_by<M>(at, 1e-9, {});
    const auto check = [&](double pulled, auto&& move) {
      inputs up = at, down = at;
      move(up, 1e-4);
      move(down, -1e-4);
      const double difference = (push_by<M>(up, 1e-9, some_direction()).value -
                                 push_by<M>(down, 1e-9, some_direction()).value) /
                                2e-4;
      CHECK(std::abs(pulled - difference) <= 5e-5 * (1 + std::abs(difference)));
    };
    for (int i = 0; i < 2; ++i) check(g.y0[i], [=](inputs& in, double e) { in.y0[i] += e; });
    for (int i = 0; i < 3; ++i) check(g.p[i], [=](inputs& in, double e) { in.p[i] += e; });
    check(g.t0, [](inputs& in, double e) { in.t0 += e; });
    check(g.t1, [](inputs& in, double e) { in.t1 += e; });
    check(g.ts[1], [](inputs& in, double e) { in.ts[1] += e; });
    check(g.stops[0], [](inputs& in, double e) { in.stops[0] += e; });
    double of_times = 0;
    for (const double t_bar : g.events) of_times += t_bar;
    check(of_times, [](inputs& in, double e) {
      for (double& t : in.times) t += e;
    });
  }
}

}  // namespace revode
