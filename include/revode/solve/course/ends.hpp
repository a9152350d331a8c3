// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/ad/functions.hpp>
#include <revode/solve/course/cuts.hpp>
#include <revode/solve/course/rules.hpp>

namespace revode {

/// With what an end of a step moves: t0 and t1, each by its weight, the time at which its stretch
/// begins, or one of the known times; with nothing where all of it is as it comes.
struct moving_end {
  double t0 = 0, t1 = 0;
  bool start = false;
  std::ptrdiff_t known = -1;

  bool stands() const { return !start && known < 0 && t0 == 0 && t1 == 0; }

  /// The time that it moves to, of those that it moves with; `still` where it stands.
  template <class Time>
  Time of(const Time& at_t0, const Time& at_t1, const Time& at_start,
          const std::vector<Time>& at_known, const Time& still) const {
    if (start) return at_start;
    if (known >= 0) return at_known[static_cast<std::size_t>(known)];
    return stands() ? still : weight<Time>(t0) * at_t0 + weight<Time>(t1) * at_t1;
  }
  /// Gives its cotangent to those that it moves with.
  template <class Time>
  void give(const Time& bar, Time& t0_bar, Time& t1_bar, Time& start_bar,
            std::vector<Time>& known_bar) const {
    if (start) start_bar += bar;
    if (known >= 0) known_bar[static_cast<std::size_t>(known)] += bar;
    if (t0 != 0) t0_bar += bar * weight<Time>(t0);
    if (t1 != 0) t1_bar += bar * weight<Time>(t1);
  }

 private:
  template <class Time>
  static auto weight(double w) {
    if constexpr (differentiable<Time>)
      return static_cast<inner_t<Time>>(w);
    else
      return w;
  }
};

/// Both ends of a step.
struct moving_ends {
  moving_end from, to;
};

/// Those of step i to t_new, behind so many cuts: all of them move on `equal` steps from t0 to t1, else
/// the outer ones, those behind a cut and those at a known time.
inline moving_ends ends_of_step(const cut_list& cuts, std::size_t behind, index equal, index i,
                                double t_new, double t1) {
  const cut* const before = behind > 0 ? &cuts.cut_at(behind - 1) : nullptr;
  const index at = i - (before != nullptr ? before->extra : 0);
  const auto on_grid = [equal](index k) {
    const double share = share_of_t1(static_cast<double>(k), static_cast<double>(equal));
    return moving_end{.t0 = 1 - share, .t1 = share};
  };
  moving_ends ends;
  if (before != nullptr && before->step == i - 1)
    ends.from.start = true;
  else if (equal > 0)
    ends.from = on_grid(at);
  else if (i == 0)
    ends.from.t0 = 1;
  const std::size_t due = before != nullptr ? before->due : 0;
  if (due < cuts.known_count() && cuts.known(due).end == t_new)
    ends.to.known = static_cast<std::ptrdiff_t>(due);
  else if (equal > 0)
    ends.to = on_grid(at + 1);
  else if (t_new == t1)
    ends.to.t1 = 1;
  return ends;
}

}  // namespace revode
