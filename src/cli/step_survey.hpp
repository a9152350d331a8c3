// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <cli/request.hpp>

namespace revode::cli {

/// What the accepted steps of a solve tell of what limited them: where they lie, what moves most, and h |λ|, where
/// λ is the eigenvalue of ∂f/∂y of the largest modulus among those with a negative real part (of up to
/// 64 components; beyond, the largest that a power iteration by products finds, of whatever sign).
/// cost    a comparison of n numbers a step; behind the solve, at most 64 Jacobians and their eigenvalues
class step_survey {
 public:
  step_survey(const run_request& r, const initial_value_problem& q);

  /// Sees the end of every accepted step; for erased_events::after_step.
  void step(double t, const vector& y);

  /// "why these steps", in lines, and what to try.
  std::string text(const solution_type& s) const;

 private:
  struct sample {
    double t, h;
    vector y;
  };

  double middle_stability() const;
  std::string where() const;
  std::string mover() const;
  std::string advice(const solution_type& s, double stability) const;

  const run_request& r_;
  const initial_value_problem& q_;
  std::vector<double> times_;
  vector before_;
  std::vector<index> moves_most_;  // of how many steps each component
  std::vector<sample> samples_;    // every stride_-th step
  index stride_ = 1;
};

}  // namespace revode::cli
