// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <revode/schedule/action.hpp>
#include <revode/schedule/mixed/mixed_numbers.hpp>

namespace revode {

/// Units that a stored tape takes: one that holds what its step's pull needs, and one that holds
/// the carry after the step as well, so that the loop can resume from it. 0: there are none.
struct tape_costs {
  index stage = 0;
  index restart = 0;
};

/// The fewest step evaluations that reverse n steps with u units besides the working carry and the
/// work tape, one unit a snapshot:
///   A(n, u)  start passing    min X(n, u-1); S(n, u)
///   X(n, u)  start stored     min over i of i + A(n-i, u) + X(i, u); S(n, u+1)
///   T(n, u)  start resumable  min over i of i + A(n-i, u) + T(i, u); S(n, u)
///   S(n, u)  its first step's tape is kept, in place of a stored start
///                             min 1 + T(n-1, u-kr); 1 + A(n-1, u-ks)
///   all of them 1 for n = 1; ks, kr = costs.stage, costs.restart; the terms that fit
///
/// From one n to the next each grows by what it grew by before, mostly; kept are the n where that
/// changes, 4 bytes each. The best i never decreases with n and grows by 59 at most from one n to
/// the next, in every case computed (n u <= 2^18); here it is sought up to 64 further on. Where
/// both kinds of tape cost the same the first is of no use (T <= A).
/// cost    construction O(64 n u) time; n < 2^15. some 100 to
///         200 bytes a unit and kind for 300 to 1000 steps
/// source  Maddison, J. Comput. Sci. 82 (2024) 102405, is A for ks = 1 alone; Zhang & Constantinescu,
///         J. Comput. Sci. 66 (2023) 101913, treat both kinds of tape
class mixed_optimum {
 public:
  using row = std::vector<std::int32_t>;  ///< by n, for one u
  static constexpr std::int32_t never = std::int32_t{1} << 30;
  static constexpr index most_steps = 32767;  ///< that n (n + 1) / 2 < never

  /// For 0..units units, or for as many as can be had for `most_bytes`.
  mixed_optimum(index steps, index units, tape_costs costs, index most_bytes = unbounded)
      : size_(static_cast<std::size_t>(steps) + 1),
        costs_(costs) {
    row s(size_, never), a(size_), x(size_, never), t(size_);
    while (units_ < units && bytes() <= most_bytes) {
      least_of(x, s, a);
      if (costs.stage > 0) keep(a);
      if (costs.restart > 0) keep(solve(a, s, t));
      s = taped(++units_ + 1);
      keep(solve(a, s, x));
    }
  }

  index units() const { return units_; }
  const tape_costs& costs() const { return costs_; }

  /// What this takes and took while it was made, and what its decisions take while they are.
  index bytes() const {
    constexpr std::size_t block = 512;
    return static_cast<index>(changes_.size() * sizeof(change) / block * (block + 40) + 2 * block +
                              rows_.size() * 12 + 9 * (size_ + 4) * sizeof(std::int32_t));
  }

  /// A, X or T. `never` where there is no way.
  index steps(start_kind start, index n, index u) const {
    return least(start, u)[static_cast<std::size_t>(n)];
  }
  row least(start_kind start, index u) const {
    row values(size_, never);
    if (start == start_kind::passing && costs_.stage == 0) {
      const row stored = u > 0 ? least(start_kind::stored, u - 1) : values;
      least_of(stored, taped(u), values);
      return values;
    }
    auto next = changes_.begin() + rows_[place(start, u)];
    std::int32_t by = 0;
    if (size_ > 1) values[1] = 1;
    for (std::size_t n = 2; n < size_; ++n) {
      if (next != changes_.end() && next->at == n) by = (next++)->by;
      if (by == 0) break;
      values[n] = values[n - 1] + by;
    }
    return values;
  }

  /// S.
  row taped(index u) const {
    row values(size_, never);
    for (const auto& [start, cost] : {std::pair{start_kind::resumable, costs_.restart},
                                      std::pair{start_kind::passing, costs_.stage}}) {
      if (cost == 0 || u < cost) continue;
      const row rest = least(start, u - cost);
      for (std::size_t n = 2; n < size_; ++n) values[n] = std::min(values[n], rest[n - 1] + 1);
    }
    return values;
  }

 private:
  struct change {
    std::uint16_t at, by;  // by 0: never from here on
  };

  std::size_t place(start_kind start, index u) const {
    const index kinds = 1 + (costs_.restart > 0) + (costs_.stage > 0);
    const index after = start == start_kind::stored      ? 1
                        : start == start_kind::resumable ? 2
                                                         : kinds;
    return static_cast<std::size_t>((u + 1) * kinds - after);
  }

  static void least_of(const row& x, const row& s, row& a) {
    for (std::size_t n = 1; n < a.size(); ++n) a[n] = n == 1 ? 1 : std::min(x[n], s[n]);
  }

  void keep(const row& values) {
    rows_.push_back(static_cast<std::uint32_t>(changes_.size()));
    std::int32_t by = -1;
    for (std::size_t n = 2; n < size_; ++n) {
      const std::int32_t grown = values[n] == never ? 0 : values[n] - values[n - 1];
      if (grown != by)
        changes_.push_back({static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(grown)});
      by = grown;
    }
  }

  /// X or T from A and S.
  const row& solve(const row& a, const row& s, row& from) const {
    constexpr std::size_t window = 64;
    const row back(a.rbegin(), a.rend());
    row there(size_);  // [i]: i + from[i]
    std::size_t best = 1;
    for (std::size_t n = 1; n < size_; ++n) {
      const std::int32_t* const rest = back.data() + (size_ - 1 - n);  // [i]: A(n-i)
      const std::size_t end = std::min(n, best + window + 1);
      std::int32_t fewest = n == 1 ? 1 : never;
      for (std::size_t i = best; i < end; ++i) fewest = std::min(fewest, there[i] + rest[i]);
      while (best + 1 < end && there[best] + rest[best] != fewest) ++best;
      from[n] = std::min(fewest, n == 1 ? 1 : s[n]);
      there[n] = from[n] + static_cast<std::int32_t>(n);
    }
    return from;
  }

  std::size_t size_;
  tape_costs costs_;
  index units_ = -1;
  std::deque<change> changes_;
  std::vector<std::uint32_t>
      rows_;  // by u: where the changes of A (if stage > 0), T (if restart > 0), X are
};

}  // namespace revode
