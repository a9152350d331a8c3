// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/schedule/online/one_sweep.hpp>
#include <revode/schedule/online/online_table.hpp>

namespace revode {

/// Every carry while slots are free, then those that greedy_eviction takes in place of others, read
/// from the table as far as it goes.
///
/// Against the optimum t(n, slots) its replays are at most 1.150 times (2 slots), 1.089 (3), 1.063
/// (4 and more), for every n <= 1e5; 1.001 to 1.008 on average. One slot: t(n, 1). 0.1 to 27 % of
/// the steps are written beyond the first `slots`.
/// cost    a step of the sweep 0.1 to 3 ns on average while the table lasts (slots <= 64,
///         n <= 1e5), 8 to 21 ns beyond; beyond the table memory for 5 slots integers
class greedy_placement {
 public:
  static constexpr std::string_view name = "online";
  static constexpr std::string_view summary =
      "one sweep for a count not known, close to the fewest";

  explicit greedy_placement(index slots) : evictions_(slots) {}

  void next(index newest, const reversal& plan, store_decision& d) {
    if (plan.live() < plan.slots()) {
      d.step = newest + 1;
    } else if (plan.slots() == 1) {
      d.step = store_decision::never;
    } else {
      const auto eviction = evictions_.next(newest, [&] { return plan.steps(); });
      d.step = eviction.step;
      d.rank = static_cast<int>(eviction.rank);
    }
  }

 private:
  online_evictions evictions_;
};

using online_greedy = one_sweep<greedy_placement>;

static_assert(schedule<online_greedy>);

}  // namespace revode
