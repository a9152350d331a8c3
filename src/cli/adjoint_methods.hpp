// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cli/methods.hpp>
#include <revode/problems/erased_events.hpp>

namespace revode::cli {

/// How well a reverse pass that reconstructs states or solves backwards has done.
struct reverse_outcome {
  double reconstruction_error = 0;  ///< in tolerances
  statistics backward;              ///< of the solves backwards in time
};

/// Of the adjoints that do not say it themselves: the parts together.
inline index bytes_held(const reverse_statistics& v) {
  return v.snapshot_bytes + v.tape_bytes + v.log_bytes + v.work_bytes;
}

/// Gradients with their outcomes; none of these with recursive_checkpoint.
struct checked_differentiated : differentiated {
  std::vector<reverse_outcome> outcomes;

  checked_differentiated() = default;
  explicit checked_differentiated(differentiated d) : differentiated(std::move(d)) {}

  /// The solve's status, or that of the reverse pass for the loss where that failed.
  status ended() const {
    const bool failed =
        !gradients.empty() && gradients.front().bar.status != revode::status::success;
    return failed ? gradients.front().bar.status : result.status;
  }
  /// One that is not resolved is a gradient all the same.
  bool has_gradient() const {
    return !gradients.empty() && (is_complete(ended()) || ended() == status::gradient_not_resolved);
  }
};

/// An adjoint as the command lists it.
struct adjoint_text {
  std::string_view name;
  bool exact;
  std::string_view summary;
};
auto adjoint_texts() -> std::vector<adjoint_text>;

/// One of the adjoints besides recursive_checkpoint with a method that it is compiled for.
struct adjoint_method {
  std::string_view adjoint, method;
  checked_differentiated (*differentiate)(const initial_value_problem&, const options&, index every,
                                          std::span<const weighting>) = nullptr;
  checked_differentiated (*with_events)(const initial_value_problem&, const options&, index every,
                                        std::span<const weighting>,
                                        const erased_events&) = nullptr;  ///< may be null
};

/// The methods of an adjoint, all of them.
auto adjoint_methods(std::string_view adjoint) -> std::vector<adjoint_method>;

/// errors  misuse: the adjoint is not there for the method, or not through events
auto find_adjoint_method(std::string_view adjoint, std::string_view method, bool has_events)
    -> adjoint_method;

}  // namespace revode::cli
