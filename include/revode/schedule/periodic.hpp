// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include <revode/schedule/request.hpp>
#include <revode/schedule/reversal.hpp>

namespace revode {

/// A snapshot every k steps, before steps 0, k, 2k, ...; m = ceil(n/k) of them are in use.
///
/// inner_slots = 0: tape slots for k steps, a ring in the first sweep: the last min(n, k) steps are
/// pulled at once, each interval before them is recorded again. n + max(0, n-k) step evaluations,
/// ceil(n/k) snapshots, min(n, k) tapes, ceil((n-k)/k) restores.
/// inner_slots > 0: the optimal reversal from the m snapshots with m + inner_slots slots, so that
/// those of finished intervals serve the earlier ones: n + R({0, k, 2k, ...}, n) step evaluations
/// (replay_steps), no tape slots, n-1 restores.
/// k = 0 chooses the k that makes the fewest units, ceil(n/k) + k tape_units: round(sqrt(n /
/// tape_units)), n being the count or else the bound on it, and 100 where neither is known.
///
/// cost    next() O(1), or that of reversal
/// errors  std::invalid_argument: interval < 0, inner_slots < 0
/// source  the scheme of CVODES (Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005) 363-396)
class periodic {
 public:
  static constexpr std::string_view name = "periodic";
  static constexpr std::string_view summary = "a state every so many steps, the stages in between";
  static periodic make(const schedule_request& r) {
    return periodic(r.interval == 0 ? chosen_interval(r) : r.interval, r.inner_slots);
  }

  explicit periodic(index interval, index inner_slots = 0)
      : interval_(interval),
        inner_slots_(inner_slots),
        plan_(unbounded) {
    if (interval < 1)
      throw std::invalid_argument("interval = " + std::to_string(interval) +
                                  " (steps between two snapshots) give 1 or more?");
    if (inner_slots < 0)
      throw std::invalid_argument("inner_slots = " + std::to_string(inner_slots) +
                                  " (snapshots within an interval) give 0 for its tapes, or more?");
  }

  action next() {
    if (!finalized_) return next_of_sweep();
    if (inner_slots_ > 0) return plan_.next();
    if (taped_ < left_) {
      --left_;
      return {.what = op::pull, .from = left_, .slot = left_ % interval_};
    }
    if (position_ == restored_) return record(left_);
    if (plan_.live() == 0) return {};
    const stored_step top = plan_.top();
    if (top.step >= left_) {
      plan_.evict(plan_.live() - 1);
      return {.what = op::drop, .from = top.step, .slot = top.slot};
    }
    position_ = restored_ = top.step;
    return {.what = op::restore, .from = top.step, .slot = top.slot};
  }

  void finalize(index n) {
    finalized_ = true;
    left_ = n;
    taped_ = std::max<index>(0, n - interval_);
    position_ = unbounded;
    if (inner_slots_ == 0) return;
    plan_.allow(plan_.live() + inner_slots_);
    plan_.finalize(n);
  }

  index snapshot_slots() const { return unbounded; }
  index tape_slots() const { return inner_slots_ > 0 ? 0 : interval_; }

 private:
  static index chosen_interval(const schedule_request& r) {
    const index n = r.steps != unbounded ? r.steps : r.max_steps;
    if (n <= 0) return 100;
    const index units = std::max<index>(r.tape_units, 1), share = n / units;
    index root = share;  // Newton's iteration for the root of the share, then to the nearest
    while (root > 0 && root > share / root) root = (root + share / root) / 2;
    const bool nearer_above = n - units * (root * root) - units * root > units / 4;
    return std::max<index>(root + (nearer_above ? 1 : 0), 1);
  }

  action next_of_sweep() {
    if (position_ == interval_ * plan_.live()) {
      const index slot = plan_.store(position_);
      return {.what = op::snapshot, .from = position_, .slot = slot};
    }
    const index to = interval_ * plan_.live();
    if (inner_slots_ == 0) return record(to);
    position_ = to;
    return {.what = op::advance, .from = to - interval_, .to = to};
  }

  action record(index to) {
    const index from = position_;
    taped_ = from;
    position_ = to;
    return {.what = op::record, .from = from, .to = to, .slot = from % interval_};
  }

  index interval_;
  index inner_slots_;
  reversal plan_;
  index position_ = 0;   // of the working carry
  index restored_ = -1;  // where it was restored last
  index left_ = 0;       // steps not yet pulled
  index taped_ = 0;      // those from here on have tapes
  bool finalized_ = false;
};

static_assert(schedule<periodic>);

}  // namespace revode
