// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <revode/solve/controllers.hpp>
#include <revode/solve/course/step_rounding.hpp>
#include <revode/solve/request/norm_request.hpp>

namespace revode {

class restart_journal;

/// Where the solution is kept besides its end. Points inside a step come from the method's dense
/// output, so they never change the steps. A point at the time of an event or a stop is the state
/// before it.
struct save_at {
  bool t0 = false;           ///< the initial state
  std::vector<double> ts{};  ///< these times, in the order of integration, within [t0, t1]
  bool t1 =
      false;  ///< the final state, that of a terminal event included (solution::y has it anyway)
  index every = 0;  ///< > 0: the state after every so many accepted steps, instead of a list
};

/// Everything about how to integrate; the defaults suit most problems. 0 means "chosen for me"
/// for the step sizes.
struct options {
  double rtol = 1e-6;
  double atol = 1e-9;
  error_norm norm{};      ///< tolerances by component, components outside, another norm
  double fixed_step = 0;  ///< > 0: N = ⌈|t1 − t0| / H⌉ equal steps, no error control
  /// t0 = g₀, g₁, …, g_N = t1: steps end exactly there, no error control. As times of a grid are, they
  /// are constants of the derivative, but for t0 and t1.
  std::vector<double> grid{};
  double first_step = 0;        ///< signed like t1 − t0; 0: Hairer's estimate
  double max_step = 0;          ///< > 0: no step is longer, that to a stop or to t1 included
  double min_step = 0;          ///< > 0: no step is shorter, unless a stop or t1 cuts it
  index max_steps = 1'000'000;  ///< bounds the attempts, rejected ones included
  pid_controller controller{};
  rounding step_rounding = rounding::none;  ///< which lengths an adaptive step may have
  std::vector<double> stops{};  ///< steps end exactly there; the length is restored behind
  /// Stops at which the field jumps: the step before ends one number earlier, the next begins one
  /// number later, and nothing computed before is used behind.
  std::vector<double> discontinuities{};
  int event_samples = 4;  ///< in how many places of a step the conditions of events are looked at
  save_at save{};
  /// How many threads share the elements of states of at least 100,000, and the rows of a field that tells
  /// them (ad/by_rows.hpp), with the same bits for every number. More than 1 takes OpenMP.
  int threads = 1;
  bool require_equal_bits = false;  ///< refuse to run where bits could depend on inlining
  /// Where the run is kept, and goes on when it was killed: kept_in({.file = "run.kept"}), of
  /// revode/io/restart.hpp. Looked at by `solve` and gradients of recursive_checkpoint.
  std::shared_ptr<restart_journal> restart{};
};

}  // namespace revode
