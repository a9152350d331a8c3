// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/tsit5.hpp>

#include "events_at_hand.hpp"

namespace revode {
namespace {

using at_hand::dose, at_hand::parameters, at_hand::scaling, at_hand::state;

/// y0' = y1, y1' = −p0 y0 + t, and 2 more of it behind t = 2
struct driven {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -(p[0] * y[0]) + t;
    if (t >= 2) dy[1] = dy[1] + 2;
  }
  void vjp(double, const state& y, const parameters& p, const state& w, double& gt, state& gy,
           parameters& gp) const {
    gt += w[1];
    gy[0] -= w[1] * p[0];
    gy[1] += w[0];
    gp[0] -= w[1] * y[0];
  }
};
struct kick : at_hand::kick {
  static constexpr auto direction = crossing::rising;
};
/// The end, where it comes.
struct level {
  double at;
  static constexpr bool terminal = true;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[1] - at;
  }
};

struct figures {
  std::vector<double> all;
  template <class G>
  explicit figures(const G& g) : all{g.y0[0], g.y0[1], g.p[0], g.p[1], g.p[2], g.t0, g.t1} {
    for (const auto& more : {g.ts, g.stops, g.times.empty() ? g.ts : g.times[2]})
      all.insert(all.end(), more.begin(), more.end());
  }
};

}  // namespace

TEST_CASE("continuous adjoints through stops and events: every derivative of the discrete one") {
  const options o{.rtol = 1e-10,
                  .atol = 1e-10,
                  .first_step = 0.01,
                  .stops = {0.6},
                  .discontinuities = {2},
                  .save = {.t0 = true, .ts = {0.3, 0.5, 1.4, 2, 2.7}, .t1 = true}};
  for (const double end : {HUGE_VAL, 1.2}) {
    const problem q{driven{}, state{0.4, 1.0}, 0.1, 3.1, parameters{1.5, 0.2, 0.8}};
    const auto list = events(kick{}, dose{}, scaling{{0.1, 0.101, 0.3, 1.4, 3.1, 7}}, level{end});
    auto exact = solve(q, tsit5{}, o, list, recursive_checkpoint{});
    CHECK(exact.events.size() >= (end < 2 ? 4 : 6));
    cotangents<state> w{.y = state{1, -0.7}};
    for (std::size_t k = 0; k < exact.ys.size(); ++k) w.ys.push_back({0.3, -0.2});
    for (std::size_t k = 0; k < exact.events.size(); ++k)
      w.events.push_back(1 + 0.2 * static_cast<double>(k));
    const figures expected(exact.pullback(w));
    const auto agrees = [&](const auto& adjoint) {
      auto s = solve(q, tsit5{}, o, list, adjoint);
      CHECK(s.status == exact.status);
      CHECK(s.y == exact.y);
      const auto g = s.pullback(w);
      REQUIRE(g.status == status::success);
      CHECK(g.events.size() == s.events.size());
      const figures found(g);
      REQUIRE(found.all.size() == expected.all.size());
      for (std::size_t k = 0; k < found.all.size(); ++k) {
        CAPTURE(k);
        CAPTURE(found.all[k]);
        CAPTURE(expected.all[k]);
        CHECK(std::abs(found.all[k] - expected.all[k]) < 2e-5 * (1 + std::abs(expected.all[k])));
      }
      CHECK(s.pullback(w).p == g.p);
    };
    agrees(backsolve{});
    agrees(interpolating{});
    agrees(gauss{.every = 3});
  }
}

}  // namespace revode
