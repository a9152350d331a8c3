// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <cli/methods.hpp>
#include <revode/problems/honesty.hpp>

namespace revode::honesty {

/// A solve of the table: method, problem, rtol = 10^−digits, the absolute tolerance that goes with it
/// (the problem's own where it is stiff, rtol elsewhere).
struct row {
  std::string method, problem;
  int digits = 0;
  enum status status = status::success;
  double off = 0;        ///< the final error in tolerances
  double condition = 1;  ///< of the problem, see condition_of
  index steps = 0;
  double broken = 0;  ///< of rows over 100, see broken_invariants

  double relative() const { return off / condition; }
};

/// What belongs together: explicit methods and the problems that are not stiff, all others and those
/// that are.
struct family {
  std::vector<cli::method_entry> methods;
  std::vector<erased_problem> problems;
};
auto family_of(bool stiff) -> family;

/// A named problem that no rule was tuned on: the rest of DETEST, and the larger stiff ones.
bool is_untuned(const std::string& problem);

/// `limit` bounds steps × elements; a solve that needs more ends with max_steps and is left out.
auto solve_row(const cli::method_entry& m, const erased_problem& q, int digits, double limit)
    -> row;
inline constexpr double limit_explicit = 1e6, limit_implicit = 3e5;

/// How much an error of one tolerance in every element at some time before t1 grows until t1, in
/// tolerances at 1e-6: max over about 32 times t, equally many steps of an accurate solve apart, and 6
/// components i of
///   Σ_j |∂yᵢ(t1)/∂yⱼ(t)| (atol + rtol |yⱼ(t)|) / (atol + rtol |yᵢ(t1)|),
/// at least 1. By pullbacks of accurate solves from t, with a method that damps (an explicit one at the
/// bound of its stability magnifies what the flow does not); 1 for more than 100 elements, all of them
/// parabolic problems.
double condition_of(const erased_problem& q);

/// How many tolerances of the final error there are at least because wᵀy is not what it was at t0, for some
/// w with wᵀf = 0: |wᵀ(y − y0)| / Σ |wᵢ| (atol + rtol |yᵢ|). Every method of the table keeps such sums but
/// for rounding, so this is what rounding makes. 0 where f has none.
double broken_invariants(const erased_problem& q, const Eigen::VectorXd& y, double rtol,
                         double atol);

/// Of complete rows: the median of off, its largest value, and how many are over 100 by themselves and
/// relative to the condition.
struct summary {
  std::size_t rows = 0, over = 0, over_condition = 0;
  double median = 0, worst = 0, worst_relative = 0;
};
auto summary_of(const std::vector<row>& rows) -> summary;

/// Was it solved, as far as the method says?
inline bool is_claimed(const row& r) { return is_complete(r.status); }

}  // namespace revode::honesty
