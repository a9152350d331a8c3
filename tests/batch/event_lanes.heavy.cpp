// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include <revode/batch/ensemble_events.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

#include "event_checks.hpp"
#include "lanes.hpp"

// Lanes with events side by side, against single solves bit by bit: widths, methods, spans of both
// directions, everything that can occur at once, and every way to fail.

namespace revode {
namespace {

using state = vec<double, 2>;
using numbers = vec<double, 3>;

struct swing {  // y'' = −p₀ y
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0] * y[0];
  }
};
/// Both ways; a number of its own decides whether it is one, or throws.
struct pass {
  static constexpr bool passes = true;
  double level = 0, bad_after = 1e9, throws_after = 1e9;
  crossing direction = crossing::both;
  template <class T, class Y, class P>
  T condition(const T& t, const Y& y, const P&) const {
    if (t > throws_after) throw std::runtime_error("a condition that throws");
    return t > bad_after ? T(std::numeric_limits<double>::quiet_NaN()) : T(y[0] - level);
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new, P& p_new) const {
    y_new[1] = 0.9 * y[1] + 0.01;
    p_new[0] = p[0] + 0.05;
  }
};
struct twin {  // occurs where pass does at level 0, and shows their order
  static constexpr bool passes = true;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return 3 * y[0];
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P&, Y& y_new) const {
    y_new[1] = y[1] * y[1] < 4 ? T(1.1 * y[1]) : T(0.3 * y[1]);
  }
};
struct at_parameter {
  static constexpr bool discontinuity = true;
  template <class P>
  auto time(const P& p) const {
    return p[1];
  }
  template <class T, class Y, class P>
  void jump(const T& t, const Y& y, const P&, Y& y_new) const {
    y_new[0] = y[0] + 0.1 * t;
  }
};
struct at_times {
  std::vector<double> times;
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P&, Y& y_new) const {
    y_new[1] = y[1] - 0.2;
  }
};
struct enough {
  static constexpr bool terminal = true;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P& p) const {
    return y[1] - p[2];
  }
};

using list = decltype(events(pass{}, twin{}, at_parameter{}, at_times{}, enough{}));

ensemble<swing, state, numbers> swings(index lanes, bool any_span = true) {
  ensemble<swing, state, numbers> e{.t0 = {}, .t1 = {}, .p = {}};
  for (index l = 0; l < lanes; ++l) {
    const double x = static_cast<double>(l % 23) / 23;
    e.y0.push_back({l % 5 == 0 ? 0.0 : 1 + x, 0.1 - x});
    e.t0.push_back(0.25 * x);
    e.t1.push_back(!any_span     ? 2 + x
                   : l % 11 == 3 ? -2.2 - x
                   : l % 13 == 5 ? e.t0.back()
                                 : 3 + 5 * x);
    e.p.push_back({4 + x, l % 7 == 2 ? e.t0.back() : 1 + x, l % 3 == 0 ? 2.5 : 50.0});
    e.rtol.push_back(l % 3 == 0 ? 1e-4 : 1e-8);
    e.max_steps.push_back(l % 17 == 4 ? 9 : 5000);
    std::vector<double> ts;
    for (std::size_t k = 0; k < static_cast<std::size_t>(l % 9); ++k)
      ts.push_back(e.t0.back() + (e.t1.back() - e.t0.back()) * static_cast<double>(k) / 8.0);
    if (l % 4 == 0) ts.push_back(e.t1.back());
    e.save_ts.push_back(ts);
  }
  return e;
}
std::vector<list> lists_of(const ensemble<swing, state, numbers>& e) {
  std::vector<list> each;
  for (std::size_t l = 0; l < e.y0.size(); ++l) {
    pass first;
    if (l % 6 == 1) first.level = 0.2;
    if (l % 10 == 7) first.bad_after = 0.8;
    first.direction = l % 4 == 1   ? crossing::rising
                      : l % 4 == 2 ? crossing::falling
                                   : crossing::both;
    at_times second;
    if (l % 2 == 0) second.times = {e.t0[l], 0.5, e.p[l][1], 2, e.t1[l]};
    each.push_back(events(first, twin{}, at_parameter{}, second, enough{}));
  }
  return each;
}

template <int W, class M>
index differences(const M& m, const options& o, index lanes, index& occurred) {
  const auto e = swings(lanes, o.stops.empty() && o.discontinuities.empty());
  const auto lists = lists_of(e);
  static_assert(events_side_by_side_v<M, swing, state, numbers, place, pass, twin, at_parameter,
                                      at_times, enough>);
  lane_failures none;
  const auto s = solve_side_by_side<W>(e, m, o, lists, place{}, none);
  index wrong = 0;
  for (index l = 0; l < lanes; ++l) {
    const bool as_alone =
        same_as_alone(s, l, solve(problem_of(e, l), m, options_of(e, o, l), of_lane(lists, l)));
    wrong += !as_alone;
    CHECK_MESSAGE((as_alone || wrong > 4), "lane ", l, ": ",
                  name(s.status[static_cast<std::size_t>(l)]));
    occurred += static_cast<index>(s.events[static_cast<std::size_t>(l)].size());
  }
  return wrong;
}

TEST_CASE("event lanes: bits of single solves for every width, method and number of samples") {
  const options plain{}, more{.discontinuities = {0.7}, .save = {.t0 = true, .t1 = true}};
  options samples{.max_step = 0.3, .stops = {0.6}, .event_samples = 7};
  index occurred = 0;
  CHECK(differences<1>(tsit5{}, plain, 200, occurred) == 0);
  CHECK(differences<16>(tsit5{}, plain, 200, occurred) == 0);
  CHECK(differences<32>(tsit5{}, more, 200, occurred) == 0);
  CHECK(differences<16>(tsit5{}, samples, 200, occurred) == 0);
  samples.event_samples = 1;
  CHECK(differences<16>(dop853{}, samples, 200, occurred) == 0);
  CHECK(differences<16>(rodas5p{}, more, 200, occurred) == 0);
  CHECK(occurred > 5000);
}

TEST_CASE("event lanes: a condition that throws ends its lane, and no other") {
  auto e = swings(40);
  auto lists = lists_of(e);
  for (const std::size_t l : {9U, 12U, 30U}) std::get<0>(lists[l].each).throws_after = 1.1;
  lane_failures failures;
  const auto s = solve_side_by_side<16>(e, tsit5{}, options{}, lists, place{}, failures);
  CHECK_THROWS_AS(failures.rethrow(), std::runtime_error);
  for (index l = 0; l < 40; ++l) {
    if (l == 9 || l == 12 || l == 30) {
      CHECK(s.status[static_cast<std::size_t>(l)] == status::user_error);
      CHECK(s.t[static_cast<std::size_t>(l)] <= 1.1);
    } else {
      CHECK(same_as_alone(
          s, l, solve(problem_of(e, l), tsit5{}, options_of(e, {}, l), of_lane(lists, l))));
    }
  }
}

}  // namespace
}  // namespace revode
