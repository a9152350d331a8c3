// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <any/chain.hpp>
#include <any/same_bits.hpp>
#include <revode/any.hpp>
#include <revode/any/compiled.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/problems/erased_events.hpp>
#include <revode/revode.hpp>
#include <revode/solve/dense_output.hpp>
#include <revode/solvers/bdf.hpp>

namespace revode {
namespace {

using vector = Eigen::VectorXd;

/// What is left in the middle falls to a quarter: then more is put there.
struct refill {
  static constexpr const char* name = "refill";
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto& p) const { return y[5] - p[1] / 12; }
  void jump(const auto& t, const auto& y, const auto& p, auto& y_new) const {
    y_new[5] = y[5] + 0.1 * p[1] + t;
    y_new[8] = y[8] * y[8];
  }
};
/// The end, sooner where there is more.
struct over {
  static constexpr const char* name = "over";
  static constexpr bool terminal = true;
  auto condition(const auto& t, const auto& y, const auto&) const { return y[3] + t - 0.63; }
};

any_callbacks of_refill(any_event_callbacks& e) {
  e.name = "refill";
  e.direction = crossing::falling;
  e.condition = [](double, auto y, auto p) { return y[5] - p[1] / 12; };
  e.condition_gradient = [](double, auto, auto, double&, auto gy, auto gp) {
    gy[5] += 1;
    gp[1] -= 1.0 / 12;
  };
  e.jump = [](double t, auto y, auto p, auto y_new) {
    y_new[5] = y[5] + 0.1 * p[1] + t;
    y_new[8] = y[8] * y[8];
  };
  e.jump_vjp = [](double, auto y, auto, auto w, double& gt, auto gy, auto gp) {
    for (std::size_t i = 0; i < y.size(); ++i) gy[i] += i == 8 ? 2 * y[8] * w[8] : w[i];
    gp[1] += 0.1 * w[5];
    gt += w[5];
  };
  return chain_with_jvp();
}

const erased_events both{{erased_event(refill{}), erased_event(over{})}};
const options o{.rtol = 1e-6, .atol = 1e-9};
const any_cotangents weights{.y = any_state{1, -2, 3, -4, 5, -6, 6, -5, 4, -3, 2, -1}};

any_problem eventful_chain() {
  any_problem q = of_chain(chain_alone());
  q.f = std::make_shared<const erased_field>(chain{});
  for (const erased_event& e : both.each)
    q.events.push_back(std::make_shared<const erased_event>(e));
  return q;
}

/// Those of every pair that finds events.
std::vector<any_method> pairs() {
  const chain_pattern of(12);
  std::vector<any_method> all;
  for (const compiled::algebra_entry& e : compiled::algebra_table())
    if (e.kind.events && !e.kind.massive)
      all.push_back(
          any_method(std::string(e.method), {.name = std::string(e.algebra),
                                             .lower = 1,
                                             .upper = 1,
                                             .pattern = any_pattern(of.starts, of.rows)}));
  return all;
}

any_cotangents with_times(const auto& s) {
  any_cotangents w = weights;
  for (std::size_t k = 0; k < s.events.size(); ++k) w.events.push_back(1 + static_cast<double>(k));
  return w;
}

TEST_CASE("events with banded matrices have the bits of the templates: jumps, ends, gradients") {
  const any_problem q = eventful_chain();
  const problem<chain, vector, vector> t{chain{}, as_vector(q.y0), q.t0, q.t1, as_vector(q.p)};
  const with_algebra<bdf5, banded> m{{}, {1, 1, true}};
  auto expected = solve(t, m, o, events(both), recursive_checkpoint{});
  REQUIRE(expected.status == status::terminal_event);
  REQUIRE(expected.events.size() >= 3);
  cotangents<vector> w{.y = as_vector(*weights.y)};
  w.events = with_times(expected).events;
  const auto bar = expected.pullback(w);
  const any_method by_name("bdf5", {.name = "banded"});
  for (const recursive_checkpoint& a : {recursive_checkpoint{}, recursive_checkpoint{.slots = 3}}) {
    const auto s = solve(q, by_name, o, a);
    CHECK(s.status == expected.status);
    CHECK(s.t == expected.t);
    CHECK(same_bits(s.y, expected.y));
    REQUIRE(s.events.size() == expected.events.size());
    CHECK(s.stats.factorizations == expected.stats.factorizations);
    CHECK(s.stats.jvp_evaluations == expected.stats.jvp_evaluations);
    const any_gradient g = s.pullback(with_times(s));
    CHECK(same_bits(g.y0, bar.y0));
    CHECK(same_bits(g.p, bar.p));
    CHECK(g.t0 == bar.t0);
  }
  const auto path = solve(q, by_name, o, dense_output{});
  auto expected_path = solve(t, m, o, events(both), dense_output{});
  const double at = path.events[0].t;
  CHECK(same_bits(path(at), expected_path(at)));
  CHECK(same_bits(path(at, side::behind), expected_path(at, side::behind)));
  CHECK(path(at) != path(at, side::behind));
}

TEST_CASE("every pair with events keeps the dot-product law, in equal bits of every memory") {
  any_tangents along{.y0 = any_state(12), .p = {0.5, -1}, .t0 = 0.2};
  for (std::size_t i = 0; i < 12; ++i) along.y0[i] = std::cos(static_cast<double>(i));
  REQUIRE(pairs().size() >= 2);
  for (const any_method& m : pairs()) {
    CAPTURE(m.name());
    CAPTURE(m.algebra().name);
    const any_problem q = eventful_chain();
    const auto s = solve(q, m, o, recursive_checkpoint{});
    const any_solution dense = solve(q, "radau_iia5", o);
    REQUIRE(s.status == status::terminal_event);
    REQUIRE(s.events.size() == dense.events.size());
    for (std::size_t k = 0; k < s.events.size(); ++k)
      CHECK(s.events[k].t == doctest::Approx(dense.events[k].t).epsilon(1e-4));
    const any_cotangents w = with_times(s);
    const any_gradient g = s.pullback(w);
    const any_pushed_solution pushed = solve(q, m, o, along);
    double forward = 0, reverse = g.p[0] * 0.5 - g.p[1] + 0.2 * g.t0;
    for (std::size_t i = 0; i < 12; ++i) {
      forward += (*w.y)[i] * pushed.y_dot[i];
      reverse += g.y0[i] * along.y0[i];
    }
    for (std::size_t k = 0; k < s.events.size(); ++k) forward += w.events[k] * pushed.events_dot[k];
    CHECK(std::abs(forward - reverse) < 1e-9 * std::abs(forward));
    std::vector<recursive_checkpoint> memories{{.slots = 2}, {.budget = 100000}};
    memories[0].schedule = schedule_kind::binomial;
    memories[0].log = step_replay::steps;
    for (const recursive_checkpoint& a : memories) {
      const any_gradient again = solve(q, m, o, a).pullback(w);
      CHECK(again.y0 == g.y0);
      CHECK(again.p == g.p);
    }
  }
}

TEST_CASE("events by callbacks with every pair are those of types, and an observer ends a solve") {
  const any_problem typed = eventful_chain();
  any_event_callbacks e;
  for (const any_method& m : pairs()) {
    CAPTURE(m.name());
    CAPTURE(m.algebra().name);
    any_callbacks c = of_refill(e);
    c.by_finite_differences = m.name() == "rodas5p";  // second derivatives
    any_problem q = of_chain(c);
    q.events = {any_event(e), typed.events[1]};
    const auto a = solve(q, m, o, recursive_checkpoint{.slots = 4}),
               b = solve(typed, m, o, recursive_checkpoint{});
    REQUIRE(a.events.size() == b.events.size());
    for (std::size_t k = 0; k < a.events.size(); ++k)
      CHECK(a.events[k].t == doctest::Approx(b.events[k].t).epsilon(1e-7));
    const any_gradient ga = a.pullback(with_times(a)), gb = b.pullback(with_times(b));
    for (std::size_t i = 0; i < 12; ++i)
      CHECK(std::abs(ga.y0[i] - gb.y0[i]) < 1e-5 * (1 + std::abs(gb.y0[i])));
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(std::abs(ga.p[i] - gb.p[i]) < 1e-5 * (1 + std::abs(gb.p[i])));
    any_problem watched = q;
    int seen = 0;
    watched.after_step = [&](double, auto) { return ++seen == 5; };
    CHECK(solve(watched, m, o).status == status::stopped_by_callback);
    CHECK(seen == 5);
  }
  CHECK(solve(typed, any_method("automatic", {.name = "banded"}), o).y ==
        solve(typed, any_method("bdf5", {.name = "banded"}), o).y);
}

TEST_CASE("an integral beside a state goes through events with banded matrices") {
  any_event_callbacks e;
  any_problem q = of_chain(of_refill(e));
  q.events = {any_event(e)};
  any_callbacks middle{.f = [](double, auto y, auto, auto dq) { dq[0] = y[5]; }};
  middle.jvp = [](double, auto, auto, double, auto v, auto, auto out) { out[0] = v[5]; };
  const any_problem longer = with_quadrature(q, middle);
  const any_method m("bdf5", {.name = "banded", .lower = 7, .upper = 1});
  const any_solution a = solve(longer, m, o), b = solve(longer, "radau_iia5", o);
  REQUIRE(a.events.size() == b.events.size());
  CHECK(a.y[12] == doctest::Approx(b.y[12]).epsilon(1e-5));
}

TEST_CASE("what is not compiled with events is refused in words") {
  const any_problem q = eventful_chain();
  const auto says = [&](const any_method& m, const std::string& text) {
    CHECK_THROWS_WITH_AS(solve(q, m, o), text.c_str(), std::invalid_argument);
  };
  const std::string others =
      ") take one of these, leave the algebra out, or solve it by the templates?";
  says(any_method("radau_iia9", {.name = "banded"}),
       "method radau_iia9 with algebra banded and events (compiled for that: bdf5, esdirk547, "
       "rodas5p, radau_iia5" +
           others);
  says(any_method("rodas5p", {.name = "gmres"}),
       "method rodas5p with algebra gmres and events (compiled for that: bdf5, esdirk547, "
       "radau_iia5" +
           others);
  says(any_method("tsit5", {.name = "banded"}),
       "method tsit5 with algebra banded (it solves no linear systems) leave the algebra out, or "
       "take one of the methods bdf5, esdirk547, rodas5p, radau_iia5?");
}

}  // namespace
}  // namespace revode
