// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/dense_lu.hpp>
#include <revode/linalg/dense_matrix.hpp>
#include <revode/linalg/lu.hpp>
#include <revode/state/algebra.hpp>
#include <revode/status.hpp>

namespace revode {

/// Small states of fixed size, whose matrices lie beside them.
template <class Y>
inline constexpr bool has_small_matrix = static_size_v<Y> >= 0 && static_size_v<Y> <= 32;

/// J at a step's start, and the factors of W = 1/(h γ) − J.
template <class Y, bool Small = has_small_matrix<Y>>
struct stage_matrix {
  mat<scalar_t<Y>, static_size_v<Y>> j;
  lu<scalar_t<Y>, static_size_v<Y>> factors;
  stage_matrix() = default;
  REVODE_HD explicit stage_matrix(const Y&) {}
};
template <class Y>
struct stage_matrix<Y, false> {
  dense_matrix<scalar_t<Y>> j;
  dense_lu<scalar_t<Y>> factors;
  stage_matrix() = default;
  explicit stage_matrix(const Y& like) : j(length(like)), factors(length(like)) {}
};

/// Takes J at (t, y) and factors W. False when W is singular or not finite.
template <class System, class Y>
REVODE_HD bool factor_stage_matrix(System& sys, double t, double h_gamma, const Y& y,
                                   stage_matrix<Y>& matrix) {
  sys.jacobian(t, y, matrix.j);
  if constexpr (!has_small_matrix<Y>)  // dense_lu passes over rows whose multiplier is 0
    if (!all_finite(matrix.j)) return false;
  return matrix.factors.factor_shifted(matrix.j, scalar_t<Y>(1 / h_gamma));
}

/// Why a matrix had no factors.
template <class Y>
REVODE_HD status trouble_of(const stage_matrix<Y>& matrix) {
  bool finite = true;
  for (int i = 0; i < matrix.j.rows(); ++i)
    for (int k = 0; k < matrix.j.cols(); ++k)
      finite = finite && matrix.j(i, k) - matrix.j(i, k) == 0;
  return finite ? status::linear_solve_failure : status::non_finite_field;
}

}  // namespace revode
