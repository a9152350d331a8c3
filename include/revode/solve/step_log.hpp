// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/loop/snapshots.hpp>

namespace revode {

/// The grid of a solve, t_0 … t_n, and the record of each accepted step. An equidistant grid is a
/// formula; any other keeps 8 bytes a step (and the record, where the method has one).
template <class Record>
class step_log {
 public:
  step_log(double t0, double t1, index equal_steps) : t0_(t0), t1_(t1), equal_(equal_steps) {}

  double time(index i) const {
    if (i == 0) return t0_;
    if (equal_ > 0)
      return i == equal_ ? t1_
                         : t0_ + static_cast<double>(i) * (t1_ - t0_) / static_cast<double>(equal_);
    return entries_[i - 1].t_new;
  }
  Record record(index i) const {
    if constexpr (std::is_empty_v<Record>) return {};
    else return entries_[i].record;
  }
  /// Keeps step i, which ended at t_new.
  void keep(index i, double t_new, const Record& record) {
    if (equal_ > 0 && std::is_empty_v<Record>) return;
    entries_[i] = {t_new, record};
  }
  index bytes() const { return entries_.allocated_bytes(); }
  index equal_steps() const { return equal_; }

 private:
  struct entry {
    double t_new;
    [[no_unique_address]] Record record;
  };
  double t0_, t1_;
  index equal_;
  block_array<entry> entries_;
};

}  // namespace revode
