// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cli/lanes.hpp>
#include <cli/request.hpp>

namespace revode::cli {

/// Number `at` of the parameters, or of the initial state, goes from lo to hi.
struct sweep {
  bool of_state = false;
  int at = 0;
  double lo = 0, hi = 1;
  bool logarithmic = false;

  /// Value k of m: both ends are values, unless m = 1 (lo).
  double value(index k, index m) const;
};

/// What `revode ensemble` was asked for. Lanes differ by a product grid of the sweeps, the last
/// fastest, or without any by parameters p (1 + 0.1 u), u in [0, 1) at random.
struct ensemble_request : run_request {
  explicit ensemble_request(run_request r) : run_request(std::move(r)) {}

  lane_program program;
  lanes_request in_lanes;
  std::vector<sweep> sweeps;
  std::string sweep_text;  ///< as they were given
  index side = 1;          ///< values of each sweep
  index first = 0;         ///< the number of the first lane that is solved
  index all = 0;           ///< how many lanes the ensemble has
  loss of;
  std::string histogram;                     ///< empty: none
  std::shared_ptr<restart_journal> restart;  ///< of all lanes; null: they are not kept

  /// The initial state and the parameters of a lane.
  void fill(index lane, double* y0, double* p) const;
  /// How a lane on a thread goes back.
  recursive_checkpoint checkpoints() const;
};

/// Each lane a solve of its own, on as many threads as there are cores, in the bits of `revode solve` and `grad`.
auto solve_on_threads(const ensemble_request& r) -> lanes_result;

/// errors  misuse
auto read_ensemble(const arguments& given) -> ensemble_request;

}  // namespace revode::cli
