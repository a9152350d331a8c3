// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <revode/any/compiled.hpp>
#include <revode/problems/erased_problem.hpp>

namespace revode::cli {

using compiled::adjoint_entry, compiled::method_entry, compiled::initial_value_problem,
    compiled::reverse_outcome, compiled::solution_type, compiled::gradient_type, compiled::vector;

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
  std::vector<reverse_outcome> outcomes;  ///< as many; 0 where nothing is solved backwards

  /// The solve's status, or that of the reverse pass for the loss where that failed.
  status ended() const;
  /// One that is not resolved is a gradient all the same.
  bool has_gradient() const;
};

/// Of the adjoints that do not say it themselves: the parts together.
inline index bytes_held(const reverse_statistics& v) {
  return v.snapshot_bytes + v.tape_bytes + v.log_bytes + v.work_bytes;
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Solves by a compiled method, and pulls back.
auto differentiate(const std::function<std::unique_ptr<compiled::differentiable>()>& solve,
                   std::span<const weighting> weightings) -> differentiated;
auto differentiate(const method_entry& m, const initial_value_problem& q, const options& o,
                   const recursive_checkpoint& adjoint, std::span<const weighting> weightings,
                   const erased_events& events = {}) -> differentiated;

/// The method of a name; misuse if there is none.
auto find_method(std::string_view name) -> method_entry;

/// The linear algebra of a name; misuse if there is none, or this build has it not.
auto find_algebra(std::string_view name) -> const compiled::algebra_text&;

/// Misuse if the method is not compiled for the events or the mass matrix of the problem.
void expect_compiled_for(const erased_problem& q, const method_entry& m);

/// The name of the method for this tolerance when none is asked for.
auto method_for(double rtol, bool stiff) -> std::string_view;

/// The methods of an adjoint besides recursive_checkpoint, all of them.
auto adjoint_methods(std::string_view adjoint) -> std::vector<adjoint_entry>;

/// errors  misuse: the adjoint is not there for the method, not through events, not for mass matrices
auto find_adjoint_method(std::string_view adjoint, std::string_view method, const erased_problem& q)
    -> adjoint_entry;

}  // namespace revode::cli
