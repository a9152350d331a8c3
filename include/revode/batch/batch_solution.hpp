// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <revode/config.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/state/elements.hpp>
#include <revode/status.hpp>

namespace revode {

/// What one sample did: the counts of its own solve.
struct sample_statistics {
  index accepted = 0;
  index rejected = 0;
  index field_evaluations = 0;  ///< stages of this sample
};

/// What a batch did together. A round is one attempt of every sample under way.
struct batch_statistics {
  index rounds = 0;
  index field_calls = 0;
  index columns = 0;  ///< of all field calls: the sum of the samples' own evaluations
};

/// The result of a batch, element or column j being sample j's: whatever its status, t and y are the end
/// of its last accepted step.
template <class Y>
struct batch_solution {
  std::vector<revode::status> status{};
  std::vector<double> t{};
  Y y{};
  /// The save points of all samples, one sample's behind the other's: those of sample j are the columns
  /// first_point[j] … first_point[j] + points[j] − 1 (t0 if asked for, the listed times, t1 if asked for).
  /// There is room for all that were asked for; a sample that ended early has fewer, and zeros.
  Y ys{};
  std::vector<index> first_point{}, points{};
  std::vector<sample_statistics> stats{};
  batch_statistics together{};
  bool equal_bits = keeps_bits();  ///< false: compiled with loose arithmetic

  index samples() const { return static_cast<index>(status.size()); }
  /// Samples with another status than success.
  index failed() const {
    index count = 0;
    for (const auto s : status) count += s != revode::status::success;
    return count;
  }
};

/// What a loss says about a batch: its derivative with respect to y and to ys, of their shapes.
template <class Y>
struct batch_cotangents {
  std::optional<Y> y{};
  std::optional<Y> ys{};
};

/// The derivative of a loss of all samples. A sample that did not come to its t1 has no part in it: its
/// column of y0 is NaN, what the loss says of it is not read, and p is that of the others.
template <class Y, class P>
struct batch_gradient {
  Y y0;
  P p;  ///< summed over the samples
  std::vector<revode::status>
      status{};                  ///< of each sample: that of its solve, then of its gradient
  reverse_statistics reverse{};  ///< a step is a round, an evaluation a call
  index vjp_columns = 0;         ///< samples of all calls of the vjp
  index replayed_columns = 0;    ///< samples of all calls of the field in replays
};

}  // namespace revode
