// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <revode/ad/functions.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/linalg/banded/banded_lu.hpp>
#include <revode/linalg/banded/banded_stages.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>

namespace revode {

/// Banded Jacobians for implicit methods (see algebra.hpp), in natural order of the unknowns:
///   with_algebra<radau_iia5, banded> m{{}, {.lower = 1, .upper = 1}};   or {{}, band_of(q)}
/// J = ∂f/∂y has J(i, j) = 0 for i − j > lower and for j − i > upper; what the field has elsewhere is
/// left out (check finds it).
/// J       by the field's own jacobian, into a matrix of zeros, else by as many products with
///         directions as the band is wide: columns that far apart share no row
/// cost    lower + upper + 1 JVPs a Jacobian, O(n lower (lower + upper)) a factorisation,
///         O(n (lower + upper)) a solve, transposed or not
/// memory  O(n (lower + upper)); nothing is allocated after the first Jacobian and factors of a
///         shape, as long as the parameters' size is fixed or 0
/// errors  std::invalid_argument for widths beyond the matrix; with `check`, for elements outside
struct banded {
  int lower = 1, upper = 1;
  bool check = false;  ///< one product more a Jacobian, to find elements that the band misses

  template <class Y>
  using jacobian = banded_matrix<Y>;
  template <class Y>
  using factors = banded_lu<scalar_t<Y>>;
  template <class Y>
  using complex_factors = banded_complex_lu<scalar_t<Y>>;

  template <class System, class Y>
  void evaluate(System& sys, double t, const Y& y, banded_matrix<Y>& j) const {
    require_band(lower, upper, length(y));
    j.resize(length(y), lower, upper);
    j.fit_places(y);
    if constexpr (brings_jacobian<System, banded_matrix<Y>>) {
      sys.jacobian(t, y, j);
    } else {
      evaluate_by_products(sys, t, y, j);
    }
    if (check) require_all_inside(sys, t, y, j);
  }

  /// x = (a ⊗ M − diag J)⁻¹ right, or its transpose, over the stages of a step.
  template <bool Transposed, int S, class Mass, class Y>
  static bool solve_stages(const scalar_t<Y> (&a)[S][S], const Mass& mass,
                           const banded_matrix<Y> (&j)[S], const Y (&right)[S], Y (&x)[S]) {
    return solve_banded_stages<Transposed>(a, mass, j, right, x);
  }

 private:
  template <class System, class Y>
  static void evaluate_by_products(System& sys, double t, const Y& y, banded_matrix<Y>& j) {
    using T = scalar_t<Y>;
    const int n = j.rows(), width = j.width();
    ++sys.counts.jacobian_evaluations;
    for (int colour = 0; colour < width && colour < n; ++colour) {
      fill(j.direction, T(0));
      for (int column = colour; column < n; column += width) j.direction.data()[column] = T(1);
      multiply_by_jacobian(sys, t, y, j.direction, j.product);
      for (int column = colour; column < n; column += width) {
        const int above = column - j.upper(), below = column + j.lower();
        for (int i = above > 0 ? above : 0; i <= below && i < n; ++i)
          j(i, column) = j.product.data()[i];
      }
    }
  }

  /// Compares with a product whose direction has no period.
  template <class System, class Y>
  static void require_all_inside(System& sys, double t, const Y& y, banded_matrix<Y>& j) {
    using T = scalar_t<Y>;
    using number = decltype(value_of(T{}));
    using std::abs;
    const double most =
        std::pow(static_cast<double>(std::numeric_limits<number>::epsilon()), 2. / 3);
    for (int i = 0; i < j.rows(); ++i)
      j.direction.data()[i] = T(number(1 + std::fmod(0.6180339887498949 * (i + 1), 1.0)));
    multiply_by_jacobian(sys, t, y, j.direction, j.product);
    for (int i = 0; i < j.rows(); ++i) {
      double sum = 0, size = 0;
      for (int column = j.first(i); column <= j.last(i); ++column) {
        const auto term = static_cast<double>(value_of(j(i, column) * j.direction.data()[column]));
        sum += term;
        size += abs(term);
      }
      if (!(abs(sum - static_cast<double>(value_of(j.product.data()[i]))) > most * size)) continue;
      throw std::invalid_argument("a band with " + std::to_string(j.lower()) +
                                  " diagonals below the main one and " + std::to_string(j.upper()) +
                                  " above that misses an element of row " + std::to_string(i) +
                                  " (the Jacobian has one elsewhere, behind a branch perhaps that "
                                  "was not taken where the band was found) widen it, or take a "
                                  "dense matrix or gmres?");
    }
  }
};

/// The least band that holds a pattern.
inline banded band_of(const sparsity& pattern) {
  banded band{0, 0};
  for (int i = 0; i < pattern.size(); ++i)
    for (int e = pattern.start(i); e < pattern.start(i + 1); ++e) {
      const int below = i - pattern.column(e);
      band.lower = below > band.lower ? below : band.lower;
      band.upper = -below > band.upper ? -below : band.upper;
    }
  return band;
}
/// The band of a problem's Jacobian near its start; see sparsity_of.
template <class Problem>
requires(requires(const Problem& q) { q.y0; }) banded band_of(const Problem& q) {
  return band_of(sparsity_of(q));
}

}  // namespace revode
