// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <revode/linalg/refinement.hpp>
#include <revode/solve/mass/mass_matrix.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// How large solutions of scaled systems may be, for right sides of 1, of those that are not singular but for rounding.
inline constexpr double largest_of_regular = 1e14;

/// Factors, by an algebra L, of the matrix K that has the rows of M, and those of J where M has none. Rows are scaled
/// by powers of two, solves refined.
/// cost  a factorisation of the algebra, and two of its solves or a few
template <class L, class Y>
class row_factors {
  using T = scalar_t<Y>;
  using matrix = typename L::template jacobian<Y>;

 public:
  /// False: as good as singular, or not finite.
  /// errors  an entry of M outside the band or pattern throws std::invalid_argument
  bool factor(const matrix& j, const mass_matrix& m) {
    negative_ = j;
    for (int i = 0; i < m.size(); ++i)
      if (!m.is_constrained(i)) each_in_row(negative_, i, [](int, T& element) { element = T(0); });
    m.subtract_from(negative_, T(1));
    scales_.assign(static_cast<std::size_t>(m.size()), T(0));
    std::vector<double> of_column(scales_.size());
    for (int i = 0; i < m.size(); ++i)
      if (!scale(i, m.is_constrained(i), of_column)) return false;
    return factors_.factor_shifted(negative_, T(0)) && is_regular(of_column);
  }

  /// x ← K⁻¹ x, or K⁻ᵀ x
  template <bool Transposed>
  void solve(Y& x) const {
    if constexpr (!Transposed) weigh(x);
    Y found[1]{zero_like(x)}, rest[1]{x};
    const auto residual = [&] {
      copy(x, rest[0]);
      if constexpr (Transposed)
        add_transposed_product(negative_, found[0], rest[0]);
      else
        add_product(negative_, found[0], rest[0]);
    };
    const auto correct = [&] { solve_once<Transposed>(rest[0]); };
    refine(found, rest, residual, correct, 5);
    copy(found[0], x);
    if constexpr (Transposed) weigh(x);
  }

 private:
  /// The largest element of row i between 1 and 2, less of a row below the least normal number, whose scale would be
  /// infinite; false where it is 0 or not finite.
  bool scale(int i, bool constrained, std::vector<double>& of_column) {
    double most = 0, sum = 0;
    each_in_row(negative_, i, [&](int, const T& element) {
      most = std::fmax(most, std::abs(static_cast<double>(element)));
      sum += static_cast<double>(element) * 0;
    });
    if (!(most > 0) || sum != 0) return false;
    constexpr int largest_power = std::numeric_limits<T>::max_exponent - 1;
    const T by(std::ldexp(1.0, std::min(-std::ilogb(most), largest_power)));
    scales_[static_cast<std::size_t>(i)] = by;
    each_in_row(negative_, i, [&](int k, T& element) {
      element = (constrained ? -by : by) * element;
      double& largest = of_column[static_cast<std::size_t>(k)];
      largest = std::fmax(largest, std::abs(static_cast<double>(element)));
    });
    return true;
  }
  /// By a right side without structure.
  bool is_regular(const std::vector<double>& of_column) const {
    const int n = static_cast<int>(of_column.size());
    std::vector<T> x(of_column.size());
    for (int i = 0; i < n; ++i)
      x[static_cast<std::size_t>(i)] = T((i % 2 == 0 ? 1 : -1) * (1 + 0.37 * i / n));
    factors_.solve(x);
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!(std::abs(static_cast<double>(x[k])) * of_column[k] < largest_of_regular)) return false;
    return true;
  }
  template <bool Transposed>
  void solve_once(Y& x) const {
    if constexpr (Transposed)
      factors_.solve_transposed(x);
    else
      factors_.solve(x);
  }
  void weigh(Y& x) const {
    for (std::size_t i = 0; i < scales_.size(); ++i) x.data()[i] = scales_[i] * x.data()[i];
  }

  matrix negative_{};  // −K, scaled
  typename L::template factors<Y> factors_{};
  std::vector<T> scales_{};
};

}  // namespace revode
