// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <revode/schedule/binomial_numbers.hpp>

namespace revode {

/// The binomial numbers with step tapes: reach(s, r) is the most steps that s units reverse when a
/// snapshot takes one of them, the tape of a step `tape`, the last step's tape is free, and no step
/// is run more than r times without keeping its tape.
///   reach(s, 0) = floor(s / tape) + 1                      all steps' tapes are kept
///   reach(s, r) = reach(s, r-1) + reach(s-1, r),  reach(0, r) = 1
///               = sum over q >= 0 of beta(s - q tape, r)
/// With tape > s it is beta(s, r). Saturating.
/// cost    O(1), or that of the table, which grows to (s, r) as it is asked; none for r <= 1
class mixed_numbers {
 public:
  explicit mixed_numbers(index tape) : tape_(tape) {}

  index reach(index s, index r) {
    if (r < 0) return 0;
    const index most = s / tape_;
    if (r == 0) return most + 1;
    if (r > 1) return row(s, r)[static_cast<std::size_t>(s)];
    if (s >= index{1} << 30) return saturated;
    return (most + 1) * (s + 1) - tape_ * (most * (most + 1) / 2);
  }

  /// The least r with n <= reach(s, r); s >= 1.
  index repetitions(index n, index s) {
    index r = 0;
    while (reach(s, r) < n) ++r;
    return r;
  }

  /// How many of n steps to run before the next snapshot, where all tapes do not fit: the start of
  /// the n steps is stored in one of s units, the others are free. It leaves what r-1 repetitions
  /// can reverse to either side: the largest such number.
  ///
  /// With the start given up where all tapes fit, this makes on average 0.2 % more step evaluations
  /// than the optimum among all that never resume, at most 10 % (10 steps); and never more than
  /// binomial does with s snapshots. (The smallest cost over *all* splits that leave both sides
  /// within their reach is that optimum, in every case computed: n <= 300, s <= 150.)
  index split(index n, index s) {
    if (s == 1) return n - 1;
    const index r = repetitions(n, s);
    return std::min({n - 1, reach(s, r - 1), n - reach(s - 1, r - 1)});
  }

  /// n + sum over j < r of (n - reach(s, j)), r = repetitions(n, s): what reversing n steps from a
  /// stored start costs, about; sweep_steps(n, s) with tape > s. O(r).
  index sweep_steps(index n, index s) {
    index sum = n;
    for (index r = 0;; ++r) {
      const index covered = reach(s, r);
      if (covered >= n) return sum;
      sum += n - covered;
    }
  }

 private:
  const std::vector<index>& row(index s, index r) {
    const auto i = static_cast<std::size_t>(r - 2), size = static_cast<std::size_t>(s) + 1;
    if (i < rows_.size() && size <= rows_[i].size()) return rows_[i];
    if (rows_.size() <= i) rows_.resize(i + 1, {1});
    for (index j = 2; j <= r; ++j) {
      std::vector<index>& row = rows_[static_cast<std::size_t>(j - 2)];
      while (row.size() < size)
        row.push_back(
            std::min(saturated, row.back() + reach(static_cast<index>(row.size()), j - 1)));
    }
    return rows_[i];
  }

  index tape_;
  std::vector<std::vector<index>> rows_;  // [r - 2][s]
};

}  // namespace revode
