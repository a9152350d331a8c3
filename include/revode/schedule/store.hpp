// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <revode/schedule/request.hpp>

namespace revode {

/// Keep every step's tape: no snapshot and no replay.
/// cost    n step evaluations, n tapes, 0 snapshots; next() O(1), 0 allocations
/// errors  std::invalid_argument: finalize(n) with n above the count given
class store_all {
 public:
  static constexpr std::string_view name = "store_all";
  static constexpr std::string_view summary = "every step's stages kept, nothing computed again";
  static store_all make(const schedule_request& r) { return store_all(r.steps); }

  explicit store_all(index steps = unbounded) : steps_(steps) {}

  action next() {
    if (!finalized_)
      return {.what = op::record, .from = 0, .to = unbounded, .slot = steps_ == 0 ? work : 0};
    if (left_ == 0) return {};
    --left_;
    return {.what = op::pull, .from = left_, .slot = left_};
  }

  void finalize(index n) {
    if (n > steps_)
      throw std::invalid_argument("n = " + std::to_string(n) + " steps (store_all was told " +
                                  std::to_string(steps_) + ") give no count when it is not known?");
    left_ = n;
    finalized_ = true;
  }

  index snapshot_slots() const { return 0; }
  index tape_slots() const { return steps_; }

 private:
  index steps_;
  index left_ = 0;  // steps not yet pulled
  bool finalized_ = false;
};

/// Keep the carry before every step: each step but the last is replayed once.
/// cost    2n-1 step evaluations (n >= 1), n snapshots, n-1 restores; next() O(1), 0 allocations
class store_states {
 public:
  static constexpr std::string_view name = "store_states";
  static constexpr std::string_view summary = "every state kept, each step computed once more";
  static store_states make(const schedule_request&) { return {}; }

  action next() {
    if (!finalized_) return next_of_sweep();
    if (tape_live_) {
      tape_live_ = false;
      --left_;
      return {.what = op::pull, .from = left_, .slot = work};
    }
    if (stored_ > left_) {
      --stored_;
      return {.what = op::drop, .from = stored_, .slot = stored_};
    }
    if (left_ == 0) return {};
    const index i = left_ - 1;
    if (!restored_) {
      restored_ = true;
      return {.what = op::restore, .from = i, .slot = i};
    }
    restored_ = false;
    tape_live_ = true;
    return {.what = op::record, .from = i, .to = left_, .slot = work};
  }

  void finalize(index n) {
    left_ = n;
    tape_live_ = n > 0;
    finalized_ = true;
  }

  index snapshot_slots() const { return unbounded; }
  index tape_slots() const { return 0; }

 private:
  action next_of_sweep() {
    if (position_ == stored_) {
      ++stored_;
      return {.what = op::snapshot, .from = position_, .slot = position_};
    }
    ++position_;
    return {.what = op::advance, .from = position_ - 1, .to = position_};
  }

  index position_ = 0;  // of the first sweep
  index stored_ = 0;    // slots 0..stored_-1 hold x_0, x_1, ...
  index left_ = 0;      // steps not yet pulled
  bool tape_live_ = false;
  bool restored_ = false;
  bool finalized_ = false;
};

static_assert(schedule<store_all> && schedule<store_states>);

}  // namespace revode
