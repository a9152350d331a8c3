// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/tsit5.hpp>

#include "spread_crossings.hpp"
#include "thrown_words.hpp"

namespace revode {
namespace {

using state = spread<double>;
using rates = block_parameters<double>;
constexpr spread_shape shape{.rows = 60, .rows_a_block = 8};
constexpr halo_shape round{.rows = 1, .periodic = true};

/// The same for a state that is here as a whole.
template <class Event>
struct in_one_place : Event {
  static block_place all(index rows) { return {0, static_cast<int>(rows), 1, rows}; }
  template <class T>
  T condition(const T& t, const std::vector<T>& u,
              const std::vector<T>& p) const requires block_condition<Event, T> {
    std::vector<T> of(2, T(0));
    of[1] = T(-1e300);
    Event::add(all(length(u)), t, block_rows<const T>{u.data(), 1}, p, std::span<T>(of));
    return Event::condition(t, std::span<const T>(of), p);
  }
  template <class T>
  void jump(const T& t, const std::vector<T>& u, const std::vector<T>& p,
            std::vector<T>& u_new) const requires block_jump<Event, T> {
    for (int first = 0; first < length(u); first += 8) {
      const int rows = std::min(8, length(u) - first);
      Event::jump({first, rows, 1, length(u)}, t, block_rows<const T>{u.data() + first, 1}, p,
                  block_rows<T>{u_new.data() + first, 1});
    }
  }
};

}  // namespace
template <class Event>
inline constexpr bool is_event_of_another<in_one_place<Event>> = true;
namespace {

struct solved {
  solution<state> s;
  gradient<state, rates> g;
  index forward, reverse;  // collectives
};

template <class M, class... E>
solved solve_over(const spread_layout& layout, const M& m, const recursive_checkpoint& adjoint,
                  const E&... event) {
  const over_blocks f(layout, round, ring{});
  const problem q{f, bumps(layout, 0), 0.0, 0.05, rates(layout, {30.0, 2.0})};
  const index before = layout.ranks().statistics().collectives;
  auto s = solve(q, m, {.rtol = 1e-5, .atol = 1e-7}, events(block_event{event}...), adjoint);
  const index behind = layout.ranks().statistics().collectives;
  cotangents<state> w{.y = uneven_bumps(layout, 1)};
  for (std::size_t k = 0; k < s.events.size(); ++k) w.events.push_back(1 + static_cast<double>(k));
  auto g = s.pullback(w);
  return {s, g, behind - before, layout.ranks().statistics().collectives - behind};
}

bool same_times(const solution<state>& a, const solution<state>& b) {
  bool same = a.events.size() == b.events.size() && a.t == b.t;
  for (std::size_t k = 0; same && k < a.events.size(); ++k)
    same = a.events[k].t == b.events[k].t && a.events[k].which == b.events[k].which;
  return same;
}

/// Located events, and all that is pulled through them, have the bits of one rank, by any slots.
template <class M, class... E>
solved check_bits(const M& m, status how, std::size_t count, const E&... event) {
  const both_layouts on(shape);
  const solved whole = solve_over(on.alone, m, {.slots = 1000}, event...);
  REQUIRE(whole.s.status == how);
  REQUIRE(whole.g.status == status::success);
  REQUIRE(whole.s.events.size() == count);
  const solved part = solve_over(on.spread_out, m, {.slots = 1000}, event...);
  CHECK(same_times(part.s, whole.s));
  CHECK(is_part(part.s.y, whole.s.y));
  CHECK(part.forward == whole.forward);
  for (int j = 0; j < 2; ++j) CHECK(part.g.p[j] == whole.g.p[j]);
  CHECK(is_part(part.g.y0, whole.g.y0));
  CHECK(part.g.t0 == whole.g.t0);
  CHECK(part.g.t1 == whole.g.t1);
  constexpr index bytes = 200'000;
  for (const auto& adjoint : {recursive_checkpoint{.slots = 1}, recursive_checkpoint{.slots = 3},
                              recursive_checkpoint{.budget = bytes, .events = 3}}) {
    const solved again = solve_over(on.spread_out, m, adjoint, event...);
    if (adjoint.budget) CHECK(again.g.reverse.peak_bytes <= bytes);
    CHECK(same_elements(again.g.y0, part.g.y0));
    CHECK(same_elements(again.g.p, part.g.p));
    CHECK(again.g.t1 == part.g.t1);
  }
  return part;
}

TEST_CASE(
    "spread: where events end a solve it has the bits of one rank, by one collective more a look") {
  const auto steps = [](const solved& of) { return of.s.stats.accepted; };
  const auto attempts = [](const solved& of) { return of.s.stats.accepted + of.s.stats.rejected; };
  const solved none = check_bits(tsit5{}, status::success, 0, total{90}, harvest{2});
  CHECK(none.forward == 3 + 1 + attempts(none) + steps(none));
  CHECK(none.reverse == 1);
  const solved end = check_bits(tsit5{}, status::terminal_event, 1, total{90}, flat{1.44});
  CHECK(end.reverse == 1 + 2);  // what the condition is there, and how fast it moves
  check_bits(with_algebra<kvaerno3, gmres<>>{}, status::terminal_event, 1, flat{1.44});
}

TEST_CASE("spread: several events, jumps at them, have the bits of one rank") {
  const solved jumped = check_bits(tsit5{}, status::success, 1, harvest{0.44});
  CHECK(jumped.reverse == 1 + 2);
  check_bits(tsit5{}, status::terminal_event, 3, total{31.7}, harvest{0.44}, flat{1.4});
}

/// Solution, events and all derivatives beside those of a state in one place.
template <class... E>
void check_beside_one_place(const options& o, const E&... event) {
  const both_layouts on(shape);
  const over_blocks f(on.spread_out, round, ring{});
  const problem q{f, bumps(on.spread_out, 0), 0.0, 0.05, rates(on.spread_out, {30.0, 2.0})};
  auto s = solve(q, tsit5{}, o, events(block_event{event}...), recursive_checkpoint{.slots = 2});
  const auto elements = [](const state& y) {
    return std::vector<double>(y.data(), y.data() + y.size());
  };
  const problem here{whole_ring{}, elements(bumps(on.alone, 0)), 0.0, 0.05,
                     std::vector<double>{30.0, 2.0}};
  auto expected =
      solve(here, tsit5{}, o, events(in_one_place<E>{event}...), recursive_checkpoint{.slots = 2});
  REQUIRE(s.status == expected.status);
  REQUIRE(s.events.size() == sizeof...(E));
  REQUIRE(expected.events.size() == sizeof...(E));
  cotangents<state> w{.y = bumps(on.spread_out, 1)};
  cotangents<std::vector<double>> v{.y = elements(bumps(on.alone, 1))};
  for (std::size_t k = 0; k < s.ys.size(); ++k) {
    w.ys.push_back(bumps(on.spread_out, 2.0 + static_cast<double>(k)));
    v.ys.push_back(elements(bumps(on.alone, 2.0 + static_cast<double>(k))));
  }
  for (std::size_t k = 0; k < s.events.size(); ++k)
    w.events.push_back(20.0 - static_cast<double>(k));
  v.events = w.events;
  const auto g = s.pullback(w);
  const auto h = expected.pullback(v);
  REQUIRE(g.status == status::success);
  REQUIRE(h.status == status::success);
  const auto close = [](double a, double b) {
    return std::abs(a - b) <= 1e-10 * (1 + std::abs(b));
  };
  const auto all_close = [&](const auto& part, const auto& all, index first) {
    for (int i = 0; i < length(part); ++i)
      if (!close(part.data()[i], all[static_cast<std::size_t>(first + i)])) return false;
    return true;
  };
  CHECK(all_close(s.y, expected.y, on.spread_out.first_row()));
  CHECK(all_close(g.y0, h.y0, on.spread_out.first_row()));
  for (std::size_t k = 0; k < s.events.size(); ++k) {
    CHECK(close(s.events[k].t, expected.events[k].t));
    CHECK(s.events[k].which == expected.events[k].which);
  }
  for (int j = 0; j < 2; ++j) CHECK(close(g.p[j], h.p[static_cast<std::size_t>(j)]));
  CHECK(close(g.t0, h.t0));
  CHECK(close(g.t1, h.t1));
  CHECK(all_close(g.ts, h.ts, 0));
  CHECK(all_close(g.stops, h.stops, 0));
  REQUIRE(g.times.size() == h.times.size());
  for (std::size_t k = 0; k < g.times.size(); ++k) CHECK(all_close(g.times[k], h.times[k], 0));
}

TEST_CASE("spread: events and their derivatives are those of a state in one place") {
  const options o{.rtol = 1e-5, .atol = 1e-7, .stops = {0.03}, .save = {.ts = {0.013, 0.04}}};
  check_beside_one_place(o, harvest{0.44}, total{31.7}, dose{});
  check_beside_one_place({.rtol = 1e-5, .atol = 1e-7}, total{31.7}, total{31.7}, flat{1.42});
}

enum class trouble { none, add_throws, add_throws_in_pull, nan, jump_throws, jump_throws_in_pull };

/// The level of `total` at t ≈ 0.01, where something goes wrong on the last rank; the end, behind a jump.
struct troubled : total {
  static constexpr bool terminal = true;
  trouble what;
  template <class T, class P>
  void add(const block_place& b, const T& t, block_rows<const T> u, const P& p,
           std::span<T> sum) const {
    total::add(b, t, u, p, sum);
    if (!b.ends()) return;
    if (what == trouble::nan && t > 0.005) sum[0] = sum[0] * std::nan("");
    if (what == trouble::add_throws && t > 0.005) throw std::runtime_error("no such sum");
    if (what == trouble::add_throws_in_pull && !std::is_floating_point_v<T>)
      throw std::runtime_error("no such slope");
  }
  template <class T, class P>
  void jump(const block_place& b, const T&, block_rows<const T> u, const P&,
            block_rows<T> u_new) const {
    for (int i = 0; i < b.rows; ++i) u_new(i) = u(i) / 2.0;
    if (!b.ends()) return;
    if (what == trouble::jump_throws) throw std::runtime_error("no such jump");
    if (what == trouble::jump_throws_in_pull && !std::is_floating_point_v<T>)
      throw std::runtime_error("no way back");
  }
};

TEST_CASE("spread: an event that goes wrong on one rank ends all of them alike") {
  const spread_layout layout(communicator(), shape);
  const auto end = [&](trouble what) {
    std::string how = "never";
    const std::string text = thrown_by([&] {
      const over_blocks f(layout, round, ring{});
      const problem q{f, bumps(layout, 0), 0.0, 0.05, rates(layout, {30.0, 2.0})};
      auto s = solve(q, tsit5{}, {}, events(block_event{troubled{{31.7}, what}}),
                     recursive_checkpoint{.slots = 2});
      how = name(s.status);
      if (is_complete(s.status))
        how += std::string(", ") + name(s.pullback(bumps(layout, 1)).status);
    });
    const std::string all = how + (text.empty() ? "" : "; ") + text;
    CHECK(same_everywhere(all));
    return all;
  };
  CHECK(end(trouble::none) == "terminal_event, success");
  CHECK(end(trouble::add_throws) == "never; thrown: no such sum");
  CHECK(end(trouble::add_throws_in_pull) == "terminal_event; thrown: no such slope");
  CHECK(end(trouble::nan) == "event_not_resolved");
  CHECK(end(trouble::jump_throws) == "never; thrown: no such jump");
  CHECK(end(trouble::jump_throws_in_pull) == "terminal_event; thrown: no way back");
  CHECK(end(trouble::none) == "terminal_event, success");  // the layout serves again
}

}  // namespace
}  // namespace revode
