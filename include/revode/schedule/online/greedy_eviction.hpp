// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <revode/schedule/binomial_numbers.hpp>

namespace revode {

/// Every step evaluation of the optimal reversal of n steps with s snapshots: sweep_steps(n, s), as
/// n + sum over r of max(0, n - beta(s, r)) from a table while s <= 65 and n <= beta(s, 7). Its first
/// terms come without a branch, which would often be mispredicted.
class snapshot_cost {
 public:
  index operator()(index n, index s) const {
    if (s >= static_cast<index>(reach.size())) return sweep_steps(n, s);
    const auto& covered = reach[static_cast<std::size_t>(s)];
    const auto above = [&](std::size_t r) { return std::max<index>(n - covered[r], 0); };
    const index sum = 2 * n - 1 + above(1) + above(2) + above(3);
    return n <= covered[4] ? sum : and_more(sum, n, s);
  }

 private:
  [[gnu::noinline]] static index and_more(index sum, index n, index s) {
    const auto& covered = reach[static_cast<std::size_t>(s)];
    if (n > covered.back()) return sweep_steps(n, s);
    for (std::size_t r = 4; n > covered[r]; ++r) sum += n - covered[r];
    return sum;
  }

  static constexpr auto reach = [] {
    std::array<std::array<index, 8>, 66> all{};
    for (std::size_t s = 0; s < all.size(); ++s)
      for (std::size_t r = 0; r < all[s].size(); ++r)
        all[s][r] = beta(static_cast<index>(s), static_cast<index>(r));
    return all;
  }();
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
  explicit greedy_eviction_by(const std::vector<index>& steps, Cost cost = {})
      : cost_(std::move(cost)),
        s_(static_cast<index>(steps.size())),
        at_(steps.size() + 2) {
    at(-1).sum = saturated;
    for (index j = 0; j < s_; ++j) {  // each a rank above its own
      at(j + 1).step = steps[static_cast<std::size_t>(j)];
      if (j > 0) at(j + 1).shifted = at(j).shifted + cost_(at(j + 1).step - at(j).step, s_ - j + 1);
    }
    for (index n = at(s_ - 1).step; n < at(s_).step; ++n) last_.extend();
    come_down(0);
  }

  /// The next eviction, which it carries out.
  decision next() {
    const kept &newest = at(s_ - 1), &before = at(s_ - 2);
    two_slots from_newest, from_before = last_;
    // What a reversal of n + 2 steps replays without the newest or the best older one, beyond what
    // it replays without x_n.
    index newest_goes = before.sum + last_.cost - newest.sum;
    index older_goes = before.best + newest.shifted - newest.sum;
    do {
      from_newest.extend();
      from_before.extend();
      newest_goes += from_before.r - from_newest.n;
      older_goes += from_newest.r - from_newest.n;
    } while (std::min(newest_goes, older_goes) >= 0);
    const index step = newest.step + from_newest.n;
    if (newest_goes <= older_goes) {
      last_ = from_before;
      return replace(s_ - 1, step);
    }
    last_ = from_newest;
    const index older = before.best_rank;
    at(older).shifted = at(older - 1).sum - at(older).best;  // for the two segments that become one
    return replace(older, step);
  }

 private:
  struct kept {
    index step = 0;
    index sum = 0;           // cost of the segments before it, as they are
    index shifted = 0;       // the same had each a slot more
    index best = saturated;  // least cost without one of ranks 1..j, of the segments up to the next
    index best_rank = 0;     // snapshot, less their shifted; and which it is
  };

  /// sweep_steps(n, 2), n by n: it grows by 1 + repetitions(n + 1, 2).
  struct two_slots {
    index n = 0, r = -1, reach = 0, cost = 0;  // reach: (r + 1) (r + 2) / 2
    void extend() {
      if (++n > reach) reach += ++r + 1;
      cost += 1 + r;
    }
  };

  kept& at(index rank) { return at_[static_cast<std::size_t>(rank + 1)]; }

  /// x_step comes in for the rank-th snapshot.
  decision replace(index rank, index step) {
    const kept& last = at(rank == s_ - 1 ? s_ - 2 : s_ - 1);
    at(s_).step = step;
    at(s_).shifted = at(s_ - 1).shifted + cost_(step - last.step, 2);
    come_down(rank - 1);
    return {step, rank};
  }

  /// The snapshots after the first-th come down one rank, and each segment before one of them gets
  /// the slot more that at(rank).shifted counts.
  void come_down(index first) {
    kept* p = &at(first);
    for (index slots = s_ - first; slots > 1; --slots, ++p) {
      const index step = p[2].step, cost = p[2].shifted - p[1].shifted;
      const index more = cost_(step - p[0].step, slots + 1);
      const index merged = cost_(step - p[-1].step, slots + 1);
      p[1].step = step;
      p[1].sum = p[0].sum + cost;
      p[1].shifted = p[0].shifted + more;
      const index without = p[-1].sum + merged - p[1].shifted;
      const index best = p[-1].best, best_rank = p[-1].best_rank;
      p[0].best = std::min(without, best);
      p[0].best_rank = without <= best ? s_ - slots : best_rank;
    }
  }

  [[no_unique_address]] Cost cost_;
  index s_;
  two_slots last_;        // from the last but one snapshot to the newest
  std::vector<kept> at_;  // by rank, from one before x_0, of no use, to one more than there are
};

using greedy_eviction = greedy_eviction_by<snapshot_cost>;

}  // namespace revode
