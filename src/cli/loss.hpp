// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <cli/methods.hpp>
#include <revode/problems/erased_problem.hpp>

namespace revode::cli {

/// A loss of the final state, or summed over the save points where there are any:
/// sum Σ yᵢ, component y_I, squared Σ yᵢ². Or the time of event I.
struct loss {
  enum class form { sum, component, squared, event };
  form what = form::sum;
  int component = 0;  ///< or the event

  /// errors  misuse: fewer events occurred

  double value(const solution_type& s) const;
  cotangents<vector> weigh(const solution_type& s) const;
};

/// errors  misuse: a loss that is not known, a component that a state of this size does not have, the
///         time of an event where there are none
auto read_loss(std::string_view text, const erased_problem& problem, bool has_events = false)
    -> loss;

/// "sum of the final state", "y[2] summed over the save points", "time of event 0"
std::string describe(const loss& of, bool over_save_points);

}  // namespace revode::cli
