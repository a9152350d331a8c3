// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <revode/schedule/binomial_numbers.hpp>

namespace revode {

/// Every step evaluation of the optimal reversal of n steps with s snapshots.
struct snapshot_cost {
  index operator()(index n, index s) const { return sweep_steps(n, s); }
};

/// Which snapshot an online schedule gives up, and when: greedy eviction by exact cost.
///
/// With snapshots before steps 0 = p_0 < ... < p_{s-1} in all s >= 2 slots, x_n takes the slot of
/// p_j (0 < j < s) as soon as the optimal reversal of n + 2 steps costs less that way than without
/// x_n; of the best j it is the last.
///
/// Between two evictions the best j < s-1 stays the same, so a look at a step is O(1); an eviction
/// changes the costs of what lies to its right.
/// What a segment costs is sweep_steps unless a Cost says otherwise (mixed: with step tapes).
/// cost    next() 1 ns a step and O(s - j) where p_j was given up last; 5 s integers
/// source  Heuveline & Walther, Online checkpointing for parallel adjoint computation in PDEs,
///         Euro-Par 2006, with the exact minimal costs of Griewank & Walther (2000)
template <class Cost>
class greedy_eviction_by {
 public:
  struct decision {
    index step;  ///< n
    index rank;  ///< j
  };

  /// Snapshots before these steps, ascending from 0; at least two.
  explicit greedy_eviction_by(std::vector<index> steps, Cost cost = {})
      : cost_(std::move(cost)),
        s_(static_cast<index>(steps.size())),
        step_(std::move(steps)),
        sum_(step_.size(), 0),
        shifted_(step_.size(), 0),
        best_(step_.size()) {
    for (index n = step_[step_.size() - 2]; n < newest(); ++n) last_.extend();
    update(0, s_ - 1);
  }

  /// The next eviction, which it carries out.
  decision next() {
    const auto before = static_cast<std::size_t>(s_ - 2);
    const index without_newest = sum_[before] + 1;
    const index without_older = best_[before].cost + shifted_.back() + 1;
    two_slots from_newest, from_before = last_;
    bool pays = false, newest_goes = false;
    while (!pays) {  // replays for a loop of n + 2 steps, without x_n and with it
      from_newest.extend();
      from_before.extend();
      const index x = from_newest.n;
      const index a = without_newest + from_before.cost, b = without_older + from_newest.cost;
      pays = std::min(a, b) < sum_.back() + (x + 1) * (x + 2) / 2;
      newest_goes = a <= b;
    }
    const decision d{newest() + from_newest.n, newest_goes ? s_ - 1 : best_[before].rank};
    last_ = newest_goes ? from_before : from_newest;
    step_.erase(step_.begin() + static_cast<std::ptrdiff_t>(d.rank));
    step_.push_back(d.step);
    update(d.rank - 1, d.rank);
    return d;
  }

 private:
  struct candidate {
    index cost = saturated;  // of the segments up to p_{j+1} without p_j, less their shifted_
    index rank = 0;
  };

  /// sweep_steps(n, 2), n by n: it grows by 1 + repetitions(n + 1, 2).
  struct two_slots {
    index n = 0, r = -1, reach = 0, cost = 0;  // reach: (r + 1) (r + 2) / 2
    void extend() {
      if (++n > reach) reach += ++r + 1;
      cost += 1 + r;
    }
  };

  index newest() const { return step_.back(); }

  /// Segments from `first` on have changed; those from `moved` to the last but one came down one
  /// rank, so that what they cost is what they would have cost with a slot more.
  void update(index first, index moved) {
    index was = shifted_[static_cast<std::size_t>(first + 1)];
    for (index a = first; a < s_ - 1; ++a) {
      const auto i = static_cast<std::size_t>(a);
      const index length = step_[i + 1] - step_[i];
      const index next = a < s_ - 2 ? shifted_[i + 2] : 0;
      const index cost = a >= moved && a < s_ - 2 ? next - was : cost_(length, s_ - a);
      was = next;
      sum_[i + 1] = sum_[i] + cost;
      shifted_[i + 1] = shifted_[i] + cost_(length, s_ - a + 1);
      if (a == 0) continue;
      const index merged = cost_(step_[i + 1] - step_[i - 1], s_ - a + 1);
      const index without = sum_[i - 1] + merged - shifted_[i + 1];
      best_[i] = without <= best_[i - 1].cost ? candidate{without, a} : best_[i - 1];
    }
  }

  [[no_unique_address]] Cost cost_;
  index s_;
  two_slots last_;  // from the last but one snapshot to the newest
  std::vector<index> step_;
  std::vector<index> sum_;       // [i]: cost of the segments before p_i, as they are
  std::vector<index> shifted_;   // [i]: the same had each a slot more
  std::vector<candidate> best_;  // [j]: the best of ranks 1..j
};

using greedy_eviction = greedy_eviction_by<snapshot_cost>;

}  // namespace revode
