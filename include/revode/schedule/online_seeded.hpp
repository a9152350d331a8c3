// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <revode/schedule/greedy_eviction.hpp>
#include <revode/schedule/one_sweep.hpp>

namespace revode {

/// The first algorithm of Stumm & Walther while it lasts, then greedy_eviction from what it stored.
///
/// The algorithm runs in phases of s, s-1, ..., 1 steps. Each phase stores the carries that follow
/// its start in its own slots 1..o, newest first to go, so that after beta(s, 2) steps x_0 and one
/// carry a phase are left: the optimal placement. Carried out a step late (see one_sweep) it costs
/// exactly t(n, slots) for every n <= beta(slots, 2), and 1.069 times that at most for every
/// n <= 1e5 and 4 <= slots <= 64.
/// cost    O(1) a step in the phases, then that of greedy_eviction; memory for 6 slots integers
/// source  Stumm & Walther, SIAM J. Sci. Comput. 32 (2010) 836-854, algorithm I
class seeded_placement {
 public:
  static constexpr std::string_view name = "online_seeded";
  static constexpr std::string_view summary = "online, optimal as long as no step runs three times";

  explicit seeded_placement(index slots) : length_(slots), boundary_(slots) {}

  void next(index newest, const reversal& plan, store_decision& d) {
    d.step = store_decision::never;
    if (plan.slots() == 1) return;
    if (slot_of_rank_.empty()) slot_of_rank_.push_back(0);
    for (index n = newest; length_ > 0;) {
      pass(n++);
      if (length_ > 0 && saving_) return in_phase(n, d);
    }
    if (!evictions_) evictions_.emplace(plan.steps());
    const auto eviction = evictions_->next();
    d.step = eviction.step;
    d.rank = static_cast<int>(eviction.rank);
  }

 private:
  /// What the decision about x_n leaves behind.
  void pass(index n) {
    if (saving_ && ++slot_ > length_) slot_ = 1;
    if (n + 1 == boundary_) saving_ = false;
    if (n != boundary_) return;
    boundary_ += length_;
    slot_ = --length_;
    saving_ = length_ > 0;
  }

  /// x_n goes to the algorithm's slot_.
  void in_phase(index n, store_decision& d) {
    d.step = n;
    const auto found = std::find(slot_of_rank_.begin(), slot_of_rank_.end(), slot_);
    if (found != slot_of_rank_.end()) {
      d.rank = static_cast<int>(found - slot_of_rank_.begin());
      slot_of_rank_.erase(found);
    }
    slot_of_rank_.push_back(slot_);
  }

  index length_;    // of the present phase
  index boundary_;  // where it ends
  index slot_ = 0;  // the algorithm's next
  bool saving_ = true;
  std::vector<index> slot_of_rank_;
  std::optional<greedy_eviction> evictions_;
};

using online_seeded = one_sweep<seeded_placement>;

static_assert(schedule<online_seeded>);

}  // namespace revode
