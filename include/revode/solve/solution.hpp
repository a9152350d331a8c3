// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/solve/statistics.hpp>
#include <revode/status.hpp>

namespace revode {

/// An event that occurred: when, which one of the list, and behind which step (−1: at t0).
struct occurrence {
  double t = 0;
  int which = 0;
  index step = 0;
};

/// The result of a solve. Whatever the status, t and y are the end of the last accepted step and
/// ts, ys the save points reached: t0 if asked for, the listed times, t1 if asked for.
template <class Y>
struct solution {
  revode::status status = revode::status::success;
  double t = 0;
  Y y;
  std::vector<double> ts{};
  std::vector<Y> ys{};
  std::vector<occurrence> events{};  ///< in the order in which they occurred
  statistics stats{};
};

}  // namespace revode
