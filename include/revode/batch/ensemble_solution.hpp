// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <revode/config.hpp>
#include <revode/solve/solution.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// What one lane did: the counts of its single solve.
struct lane_statistics {
  index accepted = 0;
  index rejected = 0;
  index field_evaluations = 0;
};

/// The states at the save points of all lanes, component-major: number i of point k of lane l is
/// numbers[(k n + i) stride + l]. A lane that ended early has fewer points; the rest is 0.
template <class Y>
struct lane_save_points {
  index stride = 0;
  std::vector<scalar_t<Y>> numbers{};
  std::vector<index> counts{};
  std::vector<double> times{};  ///< of lanes with events, point k of lane l at times[k stride + l]

  index size(index lane) const {
    return counts.empty() ? 0 : counts[static_cast<std::size_t>(lane)];
  }
  Y at(index lane, index k) const {
    Y y;
    for (int i = 0; i < length(y); ++i)
      y.data()[i] = numbers[static_cast<std::size_t>((k * length(y) + i) * stride + lane)];
    return y;
  }
  /// The next point of a lane, where there is room for it.
  void put(index lane, double t, const Y& y) {
    const index k = counts[static_cast<std::size_t>(lane)]++;
    times[static_cast<std::size_t>(k * stride + lane)] = t;
    for (int i = 0; i < length(y); ++i)
      numbers[static_cast<std::size_t>((k * length(y) + i) * stride + lane)] = y.data()[i];
  }
};

/// The result of an ensemble, element l of each vector being lane l's: whatever its status, t and y
/// are the end of its last accepted step.
template <class Y>
struct ensemble_solution {
  std::vector<revode::status> status{};
  std::vector<double> t{};
  std::vector<Y> y{};
  lane_save_points<Y> ys{};
  std::vector<lane_statistics> stats{};
  std::vector<std::vector<occurrence>> events{};  ///< with events: what occurred in each lane
  bool equal_bits = keeps_bits();                 ///< false: compiled with loose arithmetic

  index lanes() const { return static_cast<index>(y.size()); }
  /// Lanes with another status than success.
  index failed() const {
    index count = 0;
    for (const auto s : status) count += s != revode::status::success;
    return count;
  }
};

}  // namespace revode
