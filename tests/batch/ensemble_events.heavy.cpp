// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_events.hpp>
#include <revode/solvers/tsit5.hpp>

#include "lanes.hpp"

namespace revode {
namespace {

struct elimination {  // y' = −p₀ y
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
  }
};
struct dose {  // of p₁, at times of each lane
  std::vector<double> times;
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new[0] = y[0] + p[1];
  }
};

TEST_CASE("ensemble events: gradients of doses at times of each lane are their closed forms") {
  ensemble<elimination, vec<double, 1>, vec<double, 2>> e{.t1 = {4.0}, .p = {}};
  std::vector<event_list<dose>> doses;
  for (int l = 0; l < 25; ++l) {
    e.y0.push_back({1 + 0.1 * l});
    e.p.push_back({0.3 + 0.01 * l, 2 - 0.05 * l});
    doses.push_back(events(dose{{0.1 * l}}));
  }
  const options o{.rtol = 1e-11, .atol = 1e-12};
  std::vector<vec<double, 2>> gradients(25);
  for_each_lane_alone(
      e, o,
      [&](index l, const auto& q, const options& of) {
        auto s = solve(q, tsit5{}, of, of_lane(doses, l), recursive_checkpoint{.slots = 3});
        gradients[static_cast<std::size_t>(l)] = s.pullback({.y = vec{1.0}}).p;
      },
      place{});
  const auto s = solve(e, tsit5{}, o, doses, place{});
  for (std::size_t l = 0; l < 25; ++l) {
    const double k = e.p[l][0], left = 4 - std::get<0>(doses[l].each).times[0];
    const double old = e.y0[l][0] * std::exp(-4 * k), added = e.p[l][1] * std::exp(-left * k);
    CHECK(std::abs(s.y[l][0] - (old + added)) < 1e-9);
    CHECK(std::abs(gradients[l][0] - (-4 * old - left * added)) < 1e-8);
    CHECK(std::abs(gradients[l][1] - std::exp(-left * k)) < 1e-8);
  }
}

}  // namespace
}  // namespace revode
