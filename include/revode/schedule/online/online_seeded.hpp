// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <revode/schedule/online/greedy_eviction.hpp>
#include <revode/schedule/online/one_sweep.hpp>

namespace revode {

/// The first algorithm of Stumm & Walther while it lasts, then greedy_eviction from what it stored.
///
/// The algorithm runs in phases of s, s-1, ..., 1 steps. Each stores its carries but the last: the
/// first in place of the newest, the others in place of those of the phase before, so that after
/// beta(s, 2) steps x_0 and one carry a phase are left: the optimal placement. Carried out a step
/// late (see first_sweep) it costs exactly t(n, slots) for every n <= beta(slots, 2), and 1.069
/// times that at most for every n <= 1e5 and 4 <= slots <= 64.
/// cost    O(1) a step in the phases, then that of greedy_eviction, and its memory
/// source  Stumm & Walther, SIAM J. Sci. Comput. 32 (2010) 836-854, algorithm I
class seeded_placement {
 public:
  static constexpr std::string_view name = "online_seeded";
  static constexpr std::string_view summary = "online, optimal as long as no step runs three times";

  explicit seeded_placement(index slots) : slots_(slots), length_(slots), end_(slots) {}

  void next(index newest, const reversal& plan, store_decision& d) {
    d.step = newest + 1;
    if (slots_ == 1) {
      d.step = store_decision::never;
    } else if (evictions_) {
      const auto eviction = evictions_->next();
      d.step = eviction.step;
      d.rank = static_cast<int>(eviction.rank);
    } else if (d.step < end_) {  // the oldest of the phase before
      if (length_ < slots_) d.rank = static_cast<int>(slots_ - length_);
    } else if (length_ > 1) {
      ++d.step;
      d.rank = static_cast<int>(slots_) - 1;
      end_ += length_--;
    } else {
      evictions_.emplace(plan.steps());
      next(newest, plan, d);
    }
  }

 private:
  index slots_;
  index length_;  // of the present phase
  index end_;     // the last step before the next one, whose carry is not stored
  std::optional<greedy_eviction> evictions_;
};

using online_seeded = one_sweep<seeded_placement>;

static_assert(schedule<online_seeded>);

}  // namespace revode
