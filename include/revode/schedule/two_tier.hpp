// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include <revode/schedule/binomial.hpp>
#include <revode/schedule/online.hpp>

namespace revode {

/// Snapshots in two memories: binomial for a known count, online_greedy for an unknown one, with
/// the bottom `slow_slots` positions of their stack in slots 0..slow_slots-1. Step counts are
/// theirs. Known count: position i (x_0's is 0) is written beta(i, r-2) to beta(i, r-1) times and
/// read beta(i+1, r-2) to beta(i+1, r-1) times, r = repetitions(n, slots), so that n = 1000 with 5
/// of 20 slots slow makes 35 + 55 of 769 + 999 accesses slow. Unknown count: an eviction from the
/// bottom makes one move into the slow slot that came free.
/// cost    that of binomial and online_greedy
/// errors  theirs, and std::invalid_argument: slow_slots < 0
/// source  Stumm & Walther, SIAM J. Sci. Comput. 31 (2009) 1946-1967
class two_tier {
 public:
  static constexpr std::string_view name = "two_tier";
  static constexpr std::string_view summary = "its least used states in slow memory or in a file";
  static two_tier make(const schedule_request& r) { return {r.slots, r.slow_slots, r.steps}; }

  two_tier(index slots, index slow_slots, index steps = unbounded)
      : plan_(steps == unbounded ? plan(online_greedy(slots, slow_slots))
                                 : plan(binomial(slots, steps, slow_slots))) {}

  action next() {
    return std::visit([](auto& p) { return p.next(); }, plan_);
  }
  void finalize(index n) {
    std::visit([n](auto& p) { p.finalize(n); }, plan_);
  }
  first_sweep* sweep() {
    const auto online = std::get_if<online_greedy>(&plan_);
    return online == nullptr ? nullptr : online->sweep();
  }
  void decide() { std::get<online_greedy>(plan_).decide(); }
  reversal* rest() {
    return std::visit([](auto& p) { return p.rest(); }, plan_);
  }
  index snapshot_slots() const {
    return std::visit([](const auto& p) { return p.snapshot_slots(); }, plan_);
  }
  index tape_slots() const { return 0; }
  index slow_slots() const {
    return std::visit([](const auto& p) { return p.slow_slots(); }, plan_);
  }

 private:
  using plan = std::variant<binomial, online_greedy>;
  plan plan_;
};

static_assert(schedule<two_tier>);

}  // namespace revode
