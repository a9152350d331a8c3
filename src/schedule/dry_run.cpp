// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <revode/schedule/planner.hpp>

namespace revode {
namespace {

class dry_runner {
 public:
  dry_runner(any_schedule plan, index n) : n_(n) {
    while (position_ < n_) obey(plan.next());
    swept_ = steps_;
    plan.finalize(n_);
    for (action a = plan.next(); a.what != op::done; a = plan.next()) obey(a);
  }

  dry_run_counts counts() const { return {steps_ - swept_, peak_states_, peak_tapes_}; }

 private:
  void obey(const action& a) {
    switch (a.what) {
      case op::record:
        if (a.slot != work) keep_tape(a.slot, true);  // a schedule of units records one by one
        [[fallthrough]];
      case op::advance:
        steps_ += std::min(a.to, n_) - position_;
        position_ = std::min(a.to, n_);
        return;
      case op::snapshot: peak_states_ = std::max(peak_states_, ++states_); return;
      case op::drop: --states_; return;
      case op::discard: return keep_tape(a.slot, false);
      case op::pull:
        if (a.slot != work) keep_tape(a.slot, false);
        return;
      case op::restore:
      case op::resume: position_ = a.from; return;
      default: return;
    }
  }
  void keep_tape(index slot, bool kept) {
    const auto i = static_cast<std::size_t>(slot);
    if (i >= kept_.size()) kept_.resize(i + 1);
    tapes_ += static_cast<index>(kept) - static_cast<index>(kept_[i]);
    kept_[i] = kept;
    peak_tapes_ = std::max(peak_tapes_, tapes_);
  }

  index n_, position_ = 0, steps_ = 0, swept_ = 0;
  index states_ = 0, peak_states_ = 0, tapes_ = 0, peak_tapes_ = 0;
  std::vector<bool> kept_;
};

}  // namespace

dry_run_counts dry_run(any_schedule plan, index n) {
  return dry_runner(std::move(plan), n).counts();
}

}  // namespace revode
