// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <revode/solve/course/step_log.hpp>
#include <revode/solve/options.hpp>
#include <revode/status.hpp>

// What the command and its lane programs share. Those are compiled for the batch system of the
// build, by nvcc for CUDA; so here is neither Eigen nor Thrust.

namespace revode::cli {

struct lanes_request {
  index lanes = 0;
  double t0 = 0, t1 = 1;
  options settings;
  /// Writes the initial state and the parameters of a lane.
  std::function<void(index lane, double* y0, double* p)> fill;
  bool own_y0 = false;  ///< the initial states of the lanes differ

  bool gradient = false;
  bool squared = false;  ///< loss Σ yᵢ² of the final state, not Σ yᵢ
  int component = -1;    ///< of that component alone
  index slots = 0;       ///< 0: what the budget gives
  index budget = 0;      ///< bytes; 0: the library's default
  step_replay log = step_replay::automatic;

  /// Runs `work`, and may say meanwhile how much of it has begun (0 … 1).
  std::function<void(const char* what, const std::function<double()>& begun,
                     const std::function<void()>& work)>
      watch;
};

/// Numbers of a lane lie together, lane after lane.
struct lanes_result {
  std::string_view device;
  std::vector<status> ended;
  std::vector<double> t, y;
  std::vector<index> accepted, rejected, evaluations;
  int width = 0;  ///< lanes that a core steps together, or threads
  double seconds = 0;

  std::vector<double> loss, y0_bar, p_bar;
  std::string_view plan;
  index slots = 0, resident_lanes = 0, bytes = 0, pulled_rounds = 0, replayed_rounds = 0;
  double reverse_seconds = 0;

  index attempts(std::size_t lane) const { return accepted[lane] + rejected[lane]; }
};

/// A problem of so many components whose lanes are compiled for a method; gradients take most of the
/// time to compile, so that not every one has them.
struct lane_program {
  std::string_view problem;
  int components = 0;
  std::string_view method;
  bool has_gradient = false;
  lanes_result (*run)(const lanes_request&) = nullptr;  ///< null: on threads
};

/// All of them, in the order of cmake/command.cmake, which writes a source a part; none without a
/// batch system.
auto lane_programs() -> std::vector<lane_program>;
template <int Part>
auto lane_programs_of() -> std::vector<lane_program>;

/// What lanes run on in this build: cpp, omp, tbb or cuda; empty without a batch system.
std::string_view lane_device();
/// The device of lanes that are solves of their own, by any method and problem.
inline constexpr std::string_view thread_device = "threads";

}  // namespace revode::cli
