// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <revode/linalg/sparse/incomplete_factors.hpp>
#include <revode/linalg/sparse/number_factors.hpp>

namespace revode {

/// Incomplete factors on a pattern as the preconditioner of Krylov spaces, of complex shifts as well:
///   auto pattern = std::make_shared<sparsity>(sparsity_of(q));
///   with_algebra<esdirk547, gmres<ilu0>> m{{}, {.preconditioner = {pattern}}};
/// Alone it is no algebra: its solves are approximate. Duals are preconditioned by their values.
/// cost    a product a colour of the pattern a Jacobian, or the field's own sparse_jacobian;
///         incomplete_factors.hpp
/// errors  std::invalid_argument for a pattern of another size; a pivot of 0: the step is shortened, and
///         status::linear_solve_failure where that does not help
struct ilu0 {
  std::shared_ptr<const sparsity> pattern{};
  bool check = false;  ///< one product more a Jacobian, to find entries that the pattern misses

  template <class Y>
  using number = decltype(value_of(scalar_t<Y>{}));
  template <class Y>
  using jacobian = sparse_matrix<scalar_t<Y>>;
  template <class Y>
  using factors = number_factors<incomplete_factors<number<Y>>, number<Y>, number<Y>>;
  template <class Y>
  using complex_factors = number_factors<incomplete_factors<complex_number<number<Y>>>, number<Y>,
                                         complex_number<number<Y>>>;

  template <class System, class Y, class T>
  void evaluate(System& sys, double t, const Y& y, sparse_matrix<T>& j) const {
    evaluate_on_pattern(sys, t, y, pattern, check, j);
  }
};

}  // namespace revode
