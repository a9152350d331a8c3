// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <cli/step_file.hpp>
#include <cli/watched_field.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>

namespace revode::cli {

using vector = Eigen::VectorXd;
using initial_value_problem = problem<const watched_field&, vector, vector>;
using solution_type = solution<vector>;
using gradient_type = gradient<vector, vector>;

struct timed_solution {
  solution_type result;
  double seconds = 0;
};

/// The cotangents of a solution: a loss, or the weights of a test.
using weighting = std::function<cotangents<vector>(const solution_type&)>;

struct timed_gradient {
  gradient_type bar;
  double seconds = 0;
};

/// A solve and one gradient for each weighting; none when the solve is not complete.
struct differentiated : timed_solution {
  std::vector<timed_gradient> gradients;
  memory_plan plan;
};

/// A method as the command sees it: what it says of itself, and its three uses, each compiled once.
struct method_entry {
  std::string_view name, source;
  int order = 0;
  bool has_estimate = false;
  timed_solution (*solve)(const initial_value_problem&, const options&, logged_steps) = nullptr;
  differentiated (*differentiate)(const initial_value_problem&, const options&,
                                  const recursive_checkpoint&,
                                  std::span<const weighting>) = nullptr;
  pushed_solution<vector> (*push)(const initial_value_problem&, const options&,
                                  const tangents<vector, vector>&) = nullptr;
};

/// All of them: explicit ones, Rosenbrock methods, then implicit Runge–Kutta methods.
auto method_table() -> std::vector<method_entry>;

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The method of a name; misuse if there is none.
auto find_method(std::string_view name) -> method_entry;

/// The name of the method for this tolerance when none is asked for.
auto method_for(double rtol, bool stiff) -> std::string_view;

}  // namespace revode::cli
