// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <cli/methods.hpp>

namespace revode::cli {

/// A loss of the final state, or summed over the save points where there are any:
/// sum Σ yᵢ, component y_I, squared Σ yᵢ².
struct loss {
  enum class form { sum, component, squared };
  form what = form::sum;
  int component = 0;

  double value(const solution_type& s) const;
  cotangents<vector> weigh(const solution_type& s) const;
};

/// errors  misuse: a loss that is not known, a component that a state of this size does not have
auto read_loss(std::string_view text, std::string_view problem, int size) -> loss;

/// "sum of the final state", "y[2] summed over the save points"
std::string describe(const loss& of, bool over_save_points);

}  // namespace revode::cli
