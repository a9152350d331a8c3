// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <revode/schedule/online/one_sweep.hpp>

namespace revode {

/// Dynamic checkpointing by levels. Every carry is stored. x_0 has level infinity, a carry in a
/// free slot level 0. Afterwards x_n takes, with level 0, the slot of the latest snapshot that some
/// later one exceeds in level ("dispensable"; x_0 and the newest never are); where there is none, it
/// takes that of the newest, and its level plus one.
///
/// At every stop no step is run more than r + 2 times, r = repetitions(n, slots): the first sweep, r
/// advances and one recording (binomial, which knows the count: r + 1). That is proven, where the
/// other online schedules are measured. The replays in all are above theirs: at most 1.15 (2 slots),
/// 1.24 (4), 1.38 (10), 1.47 (40) times t(n, slots), 1.03 to 1.10 on average (n <= 3000). A slot
/// more can cost evaluations, 936 at the most (n <= 3000, slots <= 40: 9.6 % from 9 to 10 slots at
/// n = 2012); the other online schedules never lose any there.
/// Levels never rise with rank but at the newest that was raised: only the snapshot before that one
/// can be the latest dispensable, and what follows has level 0.
/// cost    O(1) a decision; each step writes a snapshot; memory for 4 slots integers
/// source  Wang, Moin & Iaccarino, SIAM J. Sci. Comput. 31 (2009) 2549-2567
class level_placement {
 public:
  static constexpr std::string_view name = "wang_moin";
  static constexpr std::string_view summary =
      "online, with a proven bound on how often a step runs";

  explicit level_placement(index) {}

  void next(index newest, const reversal& plan, store_decision& d) {
    d.step = plan.slots() == 1 ? store_decision::never : newest + 1;
    if (plan.live() < plan.slots()) {
      level_.resize(static_cast<std::size_t>(plan.live()) + 1, 0);
    } else if (level(raised_ - 1) < level(raised_)) {
      d.rank = --raised_;
      level(raised_) = std::exchange(level(raised_ + 1), 0);
    } else if (plan.slots() > 1) {
      raised_ = d.rank = static_cast<int>(plan.live()) - 1;
      ++level(raised_);
    }
  }

 private:
  index& level(int rank) { return level_[static_cast<std::size_t>(rank)]; }

  std::vector<index> level_{unbounded, 0};  // by rank
  int raised_ = 1;                          // rank of the newest that was raised
};

using wang_moin = one_sweep<level_placement>;

static_assert(schedule<wang_moin>);

}  // namespace revode
