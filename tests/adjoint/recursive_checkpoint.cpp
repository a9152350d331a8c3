// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../schedule/online_sweep.hpp"

#include <revode/adjoint/all.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using dynamic = std::vector<double>;

struct counted_decay {
  index* calls;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    ++*calls;
    for (int i = 0; i < length(y); ++i) dy.data()[i] = -p[0] * y.data()[i];
  }
};

/// The text of the misuse of whatever `act` does with a problem of three elements, and "the field
/// was called" if it was.
template <class Act>
std::string refusal_of(Act&& act) {
  index calls = 0;
  const problem q{counted_decay{&calls}, dynamic{1, 2, 3}, 0.0, 1.0, dynamic{0.5}};
  try {
    act(q);
  } catch (const std::invalid_argument& misuse) {
    return calls == 0 ? misuse.what() : "the field was called";
  }
  return "accepted";
}

std::string refusal(const recursive_checkpoint& adjoint, const options& o = {}) {
  return refusal_of([&](const auto& q) { solve(q, tsit5{}, o, adjoint); });
}

std::string refusal(const tangents<dynamic, dynamic>& along, const options& o = {}) {
  return refusal_of([&](const auto& q) { solve(q, tsit5{}, o, along); });
}

}  // namespace

TEST_CASE("a budget that holds no state is refused before the field is called") {
  CHECK(refusal(recursive_checkpoint{.slots = 0}) ==
        "slots = 0 (a reverse pass needs at least the initial state) give slots >= 1?");
  CHECK(refusal(recursive_checkpoint{.slots = -3}) ==
        "slots = -3 (a reverse pass needs at least the initial state) give slots >= 1?");
  const std::string text = refusal(recursive_checkpoint{.budget = 96}), at_least = "at least ";
  CHECK(text.starts_with("budget of 96 bytes (this gradient needs at least "));
  CHECK(text.ends_with(" for one snapshot) give at least that many?"));
  const index least = std::stol(text.substr(text.find(at_least) + at_least.size()));
  CHECK(refusal(recursive_checkpoint{.budget = least - 1}) ==
        "budget of " + std::to_string(least - 1) + text.substr(12));
  CHECK(refusal(recursive_checkpoint{.slots = 2, .budget = 1000}) ==
        "slots = 2 and budget = 1000 bytes (both bound the same memory) give one of them?");
  CHECK(refusal(recursive_checkpoint{.budget = least}) == "accepted");
  CHECK(refusal(recursive_checkpoint{.slots = 1}) == "accepted");
}

TEST_CASE("a budget that cannot be kept is refused before the field is called") {
  CHECK(refusal(recursive_checkpoint{.budget = 100'000, .log = step_replay::steps}) ==
        "budget = 100000 bytes with log = steps (how many there will be is not known) leave the "
        "log to "
        "the planner?");
  CHECK(refusal(recursive_checkpoint{.budget = 100'000, .schedule = schedule_kind::nested}) ==
        "budget of 100000 bytes for schedule nested (its memory follows the number of steps, not a "
        "budget) leave the schedule out, or choose binomial or online?");
}

TEST_CASE("a schedule that cannot be made is refused before the field is called") {
  CHECK(refusal(recursive_checkpoint{.schedule = schedule_kind::nested, .base = 1}) ==
        "base = 1 (a chunk is split into at least 2) give base >= 2?");
  CHECK(refusal(recursive_checkpoint{.schedule = schedule_kind::nested},
                {.max_steps = (index{1} << 60) + 1}) ==
        "max_steps = 1152921504606846977 (nesting needs a bound) give max_steps <= 2^60?");
  CHECK(refusal(recursive_checkpoint{}, {.fixed_step = 1e-17}) ==
        "fixed step 1e-17 (it would take more than 2^53 steps from 0 to 1) give a longer one?");
}

TEST_CASE("cotangents have the shape of what they belong to") {
  const auto pull = [](const cotangents<dynamic>& w) {
    return refusal_of([&](const auto& q) {
      auto s = solve(q, tsit5{}, {.save = {.ts = {0.25, 0.5}}}, recursive_checkpoint{});
      *q.f.calls = 0;
      s.pullback(w);
    });
  };
  CHECK(pull({.y = dynamic{1, 2}}) ==
        "a cotangent whose size is not 3 (it has the shape of the state) resize it?");
  CHECK(pull({.ys = {{1, 2, 3}, {1}}}) ==
        "a cotangent whose size is not 3 (it has the shape of the state) resize it?");
  CHECK(pull({.ys = {{1, 2, 3}}}) ==
        "1 cotangents for 2 save points (one belongs to each) give as many, or none?");
  CHECK(pull({.y = dynamic{1, 2, 3}, .ys = {{1, 2, 3}, {1, 2, 3}}}) == "accepted");
}

TEST_CASE("tangents have the shape of what they belong to") {
  const dynamic y{1, 2, 3}, p{1};
  CHECK(refusal(tangents<dynamic, dynamic>{.y0 = {1, 2}, .p = p}) ==
        "a tangent of 2 elements for a state of 3 (they have the same shape) resize it?");
  CHECK(refusal(tangents<dynamic, dynamic>{.y0 = y, .p = {}}) ==
        "a tangent of 0 elements for 1 parameters (they have the same shape) resize it?");
  CHECK(refusal(tangents<dynamic, dynamic>{.y0 = y, .p = p, .ts = {1}},
                {.save = {.ts = {0.25, 0.5}}}) ==
        "1 tangents for 2 listed save times (one belongs to each) give as many, or none?");
  CHECK(refusal(tangents<dynamic, dynamic>{.y0 = y, .p = p}, {.save = {.ts = {0.25, 0.5}}}) ==
        "accepted");
}

TEST_CASE("the statistics count what the field was really asked") {
  index calls = 0;
  const problem q{counted_decay{&calls}, dynamic{1, 2, 3}, 0.0, 1.0, dynamic{0.5}};
  auto s = solve(q, tsit5{}, {.first_step = 1.0 / 16, .max_step = 1.0 / 16},
                 recursive_checkpoint{.slots = 3});
  CHECK(calls == s.stats.field_evaluations);

  for (const bool again : {false, true}) {  // the second time the first sweep is replayed as well
    calls = 0;
    const auto g = s.pullback({1, 1, 1});
    const index n = s.stats.accepted;
    CHECK(n == 16);
    CHECK(g.reverse.pulled_steps == n);
    CHECK(g.reverse.replayed_steps == (again ? n + extra_steps(n, 3) : online_sweep(3).replays(n)));
    CHECK(g.reverse.field_evaluations == 6 * g.reverse.replayed_steps + g.reverse.restores + again);
    // the last stage is the next step's first: the new state does not depend on it
    CHECK(g.reverse.vjp_evaluations == 6 * n);
    CHECK(calls == g.reverse.field_evaluations + g.reverse.vjp_evaluations);
  }
}

}  // namespace revode
