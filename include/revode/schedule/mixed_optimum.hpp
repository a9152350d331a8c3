// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <revode/config.hpp>

namespace revode {

/// Units that a stored tape takes: one that holds what its step's pull needs, and one that holds
/// the carry after the step as well, so that the loop can resume from it. 0: there are none.
struct tape_costs {
  index stage = 0;
  index restart = 0;
};

/// Where the first carry of a stretch of steps can be had from again.
enum class start_kind : std::uint8_t {
  passing,   ///< nowhere: it is the working carry
  stored,    ///< a snapshot, whose unit is not one of the u
  resumable  ///< the tape of the step before
};

/// What to do at the start of a stretch.
struct mixed_choice {
  enum kind : std::uint8_t { store, tape, advance } what = store;
  index steps = 0;  ///< advance: this many, the rest is a stretch of its own
};

/// The fewest step evaluations that reverse n steps with u units besides the working carry and the
/// work tape, one unit a snapshot, and the decisions that attain them:
///   A(n, u)  start passing    min X(n, u-1); 1 + T(n-1, u-kr); 1 + A(n-1, u-ks)
///   X(n, u)  start stored     min over i of i + A(n-i, u) + X(i, u); 1 + T(n-1, u+1-kr);
///                             1 + A(n-1, u+1-ks)   (the snapshot given up for a tape)
///   T(n, u)  start resumable  min over i of i + A(n-i, u) + T(i, u); 1 + T(n-1, u-kr);
///                             1 + A(n-1, u-ks)
///   all of them 1 for n = 1; ks, kr = costs.stage, costs.restart; the terms that fit
///
/// The best i never decreases with n and grows by 59 at most from one n to the next, in every case
/// computed (n u <= 2^18); here it is sought up to 64 further on.
/// cost    construction O(64 n u) time; 12 n u bytes, 20 with tapes that resume; choose() O(1)
/// source  Maddison, J. Comput. Sci. 82 (2024) 102405, is A for ks = 1 alone; Zhang & Constantinescu,
///         J. Comput. Sci. 66 (2023) 101913, treat both kinds of tape
class mixed_optimum {
 public:
  mixed_optimum(index steps, index units, tape_costs costs)
      : units_(std::max<index>(units, 0)),
        stride_(static_cast<std::size_t>(steps) + 1),
        costs_(costs) {
    const std::size_t size = place(steps, units_) + 1;
    least_[passing].assign(size, never);
    for (const std::size_t start : {stored, resumable})
      if (start == stored || costs.restart > 0) {
        least_[start].assign(size, never);
        split_[start].assign(size, 1);
      }
    for (index u = 0; u <= units_; ++u)
      for (index n = 1; n <= steps; ++n) {
        solve(stored, n, u);
        if (costs.restart > 0) solve(resumable, n, u);
        const index from_snapshot = u >= 1 ? least(stored, n, u - 1) : never;
        set(passing, n, u, std::min(from_snapshot, least_with_tape(n, u)));
      }
  }

  /// A, X or T. 2^30 where there is no way.
  index steps(start_kind start, index n, index u) const {
    return least(static_cast<std::size_t>(start), n, u);
  }

  /// n >= 2; of more units than the table has, it uses those.
  mixed_choice choose(start_kind from, index n, index u) const {
    const auto start = static_cast<std::size_t>(from);
    u = std::min(u, units_);
    if (least_with_tape(n, u + own(start)) == least(start, n, u)) return {mixed_choice::tape};
    if (start == passing) return {mixed_choice::store};
    return {mixed_choice::advance, split_[start][place(n, u)]};
  }

 private:
  static constexpr std::size_t passing = 0, stored = 1, resumable = 2;
  static constexpr std::int32_t never = std::int32_t{1} << 30;
  static constexpr index window = 64;

  /// Units that come free when the start is given up.
  static index own(std::size_t start) { return start == stored ? 1 : 0; }

  std::size_t place(index n, index u) const {
    return static_cast<std::size_t>(u) * stride_ + static_cast<std::size_t>(n);
  }
  index least(std::size_t start, index n, index u) const { return least_[start][place(n, u)]; }
  void set(std::size_t start, index n, index u, index value) {
    const index steps = n == 1 ? 1 : std::min<index>(value, never);
    least_[start][place(n, u)] = static_cast<std::int32_t>(steps);
  }

  index least_with_tape(index n, index u) const {
    index steps = never;
    if (costs_.restart > 0 && u >= costs_.restart)
      steps = 1 + least(resumable, n - 1, u - costs_.restart);
    if (costs_.stage > 0 && u >= costs_.stage)
      steps = std::min(steps, 1 + least(passing, n - 1, u - costs_.stage));
    return steps;
  }

  /// X or T.
  void solve(std::size_t start, index n, index u) {
    const index first = split_[start][place(n - 1, u)];
    index best = first, steps = never;
    for (index i = first; i < n && i <= first + window; ++i) {
      const index cost = i + least(passing, n - i, u) + least(start, i, u);
      if (cost >= steps) continue;
      steps = cost;
      best = i;
    }
    split_[start][place(n, u)] = static_cast<std::int32_t>(best);
    set(start, n, u, std::min(steps, least_with_tape(n, u + own(start))));
  }

  index units_;
  std::size_t stride_;  // places of one u
  tape_costs costs_;
  std::vector<std::int32_t> least_[3];  // A, X, T
  std::vector<std::int32_t> split_[3];  // the best i of X and T
};

}  // namespace revode
