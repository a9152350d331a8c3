// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <revode/schedule/binomial_numbers.hpp>

namespace revode {

/// Where the first carry of a stretch of steps can be had from again.
enum class start_kind : std::uint8_t {
  passing,   ///< nowhere: it is the working carry
  stored,    ///< a snapshot, whose unit is not one of the free ones
  resumable  ///< the tape of the step before
};

/// What to do at the start of a stretch.
struct mixed_choice {
  enum kind : std::uint8_t { store, tape, advance } what = store;
  index steps = 0;  ///< advance: this many, the rest is a stretch of its own
};

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
    if (r == 0) return s / tape_ + 1;
    if (r > 1) return row(s, r)[static_cast<std::size_t>(s)];
    return once(s);
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

  /// What to do with n steps and u free units as long as no step need be run more than twice
  /// without keeping its tape. All tapes are kept as soon as they fit, in place of a stored start
  /// too. Otherwise those of the last c = floor(u / tape) + 1 steps are; the stretches before them
  /// start at tapes that resume, which cost nothing in the end, where c (c + 1) / 2 steps are
  /// enough, else at snapshots. That is the optimum in every case computed (n <= 300, tapes of 1 to 8).
  std::optional<mixed_choice> plain(start_kind start, index n, index u, bool resumes) const {
    const bool stored = start == start_kind::stored;
    const index rest = u / tape_ + 1, here = (u + stored) / tape_ + 1;
    if (n <= here) return mixed_choice{mixed_choice::tape};
    const index all = rest * (rest + 1) / 2;
    if (start == start_kind::passing)
      return mixed_choice{resumes && n <= all ? mixed_choice::tape : mixed_choice::store};
    if (n > (stored ? once(u + 1) : here + all)) return {};
    return mixed_choice{mixed_choice::advance, std::min(here, n - rest)};
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
  /// reach(s, 1)
  index once(index s) const {
    if (s >= index{1} << 30) return saturated;
    const index most = s / tape_;
    return (most + 1) * (s + 1) - tape_ * (most * (most + 1) / 2);
  }

  const std::vector<index>& row(index s, index r) {
    const auto i = static_cast<std::size_t>(r - 2), size = static_cast<std::size_t>(s) + 1;
    if (i < rows_.size() && size <= rows_[i].size()) return rows_[i];
    return longer_row(size, r);
  }
  [[gnu::noinline]] const std::vector<index>& longer_row(std::size_t size, index r) {
    const auto i = static_cast<std::size_t>(r - 2);
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

/// mixed_numbers::sweep_steps for s up to `most`, as snapshot_cost in kind.
/// cost    1 ns up to reach(s, 3), then that of sweep_steps; 4 most integers besides the numbers
class mixed_cost {
 public:
  mixed_cost(index tape, index most) : numbers_(tape), reach_(static_cast<std::size_t>(most) + 1) {
    std::array<index, 4> fewer{};
    for (index s = 0; s <= most; ++s) {
      auto& covered = reach_[static_cast<std::size_t>(s)];
      covered[0] = s / tape + 1;
      for (std::size_t r = 1; r < covered.size(); ++r)
        covered[r] = std::min(saturated, covered[r - 1] + fewer[r]);
      fewer = covered;
    }
  }

  index operator()(index n, index s) {
    const auto& covered = reach_[static_cast<std::size_t>(s)];
    const auto above = [&](std::size_t r) { return std::max<index>(n - covered[r], 0); };
    const index sum = n + above(0) + above(1) + above(2) + above(3);
    return n <= covered[3] ? sum : numbers_.sweep_steps(n, s);
  }

 private:
  mixed_numbers numbers_;
  std::vector<std::array<index, 4>> reach_;  // [s][r]
};

}  // namespace revode
