// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <revode/concepts.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/linalg/dense/lu.hpp>
#include <revode/linalg/growth.hpp>
#include <revode/solve/lane_trouble.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>
#include <revode/status.hpp>

namespace revode {

/// Small states of fixed size, whose dense matrices lie beside them.
template <class M, class Y>
inline constexpr bool has_small_matrix =
    static_size_v<Y> >= 0 && static_size_v<Y> <= 32 && std::same_as<algebra_t<M>, dense_algebra>;

/// J at a step's start, and the factors of W = 1/(h γ) − J. With a mass matrix M both are of
/// M/(h γ) − J: what lies here as J has M/(h γ) subtracted.
template <class M, class Y, bool Small = has_small_matrix<M, Y>>
struct stage_matrix {
  mat<scalar_t<Y>, static_size_v<Y>> j;
  lu<scalar_t<Y>, static_size_v<Y>> factors;
  stage_matrix() = default;
  REVODE_HD explicit stage_matrix(const Y&) {}
};
template <class M, class Y>
struct stage_matrix<M, Y, false> {
  using algebra = algebra_t<M>;
  static constexpr bool on_heap = std::same_as<algebra, dense_algebra>;  // whatever Y's size
  std::conditional_t<on_heap, dense_matrix<scalar_t<Y>>, typename algebra::template jacobian<Y>> j;
  std::conditional_t<on_heap, dense_lu<scalar_t<Y>>, typename algebra::template factors<Y>> factors;
  stage_matrix() = default;
  explicit stage_matrix(const Y&) : j{}, factors{} {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.j);
    visit(self.factors);
  }
};

/// Takes J at (t, y) and factors W. False when W is singular or not finite.
template <class M, class System, class Y>
REVODE_HD bool factor_stage_matrix(const M& m, System& sys, double t, double h_gamma, const Y& y,
                                   stage_matrix<M, Y>& matrix) {
  if constexpr (has_small_matrix<M, Y>)
    sys.jacobian(t, y, matrix.j);
  else
    algebra_of(m).evaluate(sys, t, y, matrix.j);
  count_factorization(sys);
  if constexpr (is_spread_v<Y>)  // a preconditioner may be without factors on one rank
    return true_of_all(y, matrix.factors.factor_shifted(matrix.j, scalar_t<Y>(1 / h_gamma)));
  if constexpr (is_massive_v<System>) {
    sys.mass.subtract_from(matrix.j, scalar_t<Y>(1 / h_gamma));
    return matrix.factors.factor_shifted(matrix.j, scalar_t<Y>(0));
  }
  return matrix.factors.factor_shifted(matrix.j, scalar_t<Y>(1 / h_gamma));
}

/// Why a matrix had no factors, or those of a step over growth.
template <class M, class Y>
REVODE_HD status trouble_of(const stage_matrix<M, Y>& matrix) {
  bool finite = all_finite(matrix.j);
  if constexpr (is_spread_v<Y>) finite = true_of_all(matrix.j.state(), finite);
  return finite ? status::linear_solve_failure : status::non_finite_field;
}

/// The same as in the step, for its derivative; reports a matrix without factors. Lanes find the NaN
/// that comes of it.
template <class M, class System, class Y>
REVODE_HD void factor_again(const M& m, System& sys, double t, double h_gamma, const Y& y,
                            stage_matrix<M, Y>& matrix) {
  const bool solvable = factor_stage_matrix(m, sys, t, h_gamma, y, matrix);
  if constexpr (!goes_on_v<System>)
    if (!solvable) report(sys, trouble_of(matrix));
}

/// x = W⁻¹ x of the derivative, or W⁻ᵀ x; reports an iteration that has not come to its end.
template <bool Transposed, class M, class System, class Y>
REVODE_HD void solve_stage_derivative([[maybe_unused]] System& sys,
                                      const stage_matrix<M, Y>& matrix, Y& x) {
  if constexpr (requires { matrix.factors.template solve_to_rounding<Transposed>(x); })
    report(sys, matrix.factors.template solve_to_rounding<Transposed>(x));
  else if constexpr (Transposed)
    matrix.factors.solve_transposed(x);
  else
    matrix.factors.solve(x);
}

}  // namespace revode
