// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <revode/linalg/algebra.hpp>
#include <revode/solve/mass/consistency.hpp>
#include <revode/solve/statistics.hpp>

namespace revode {

/// Beside elements of index 2 or 3, those of index 1 that M does not see: as many of the algebraic equations
/// w f(t, y) = 0 determine them, whatever the others are. It is the place of `consistency` there, and changes them alone.
/// cost    a product by the Jacobian for each of d elements and d³/3 multiply-adds to factor
template <class System, class Y>
class direct_part {
  using T = scalar_t<Y>;

 public:
  direct_part(System& sys, double t, const Y& y)
      : sys_(sys),
        t_(t),
        y_(y),
        elements_(elements(sys.mass, length(y))) {}

  static std::vector<int> elements(const mass_matrix& m, int n) {
    std::vector<int> found;
    for (int i = 0; i < n; ++i)
      if (m.index_of(i) == 1 && m.column(i).empty()) found.push_back(i);
    return found;
  }
  bool empty() const { return elements_.empty(); }

  /// False: the equations do not determine them at once, or are not finite.
  bool factor() {
    const auto& all = sys_.mass.constraints();
    const std::size_t d = elements_.size();
    std::vector<T> slopes(all.size() * d);
    Y along = zero_like(y_), of_f = along;
    const auto held = sys_.held ? sys_.held(t_, y_) : nullptr;
    for (std::size_t k = 0; k < d; ++k) {
      fill(along, T(0));
      along.data()[elements_[k]] = T(1);
      multiply_by(held.get(), sys_, t_, y_, along, of_f);
      for (std::size_t i = 0; i < all.size(); ++i)
        slopes[i * d + k] =
            add_entries(all[i].weights, T(0), [&](int j) { return of_f.data()[j]; });
    }
    if (rows_.empty() && !choose_rows(slopes)) return false;
    square_.resize(static_cast<int>(d));
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t k = 0; k < d; ++k)
        square_(static_cast<int>(i), static_cast<int>(k)) = slopes[rows_[i] * d + k];
    count_factorization(sys_);
    return factors_.factor(square_);
  }

  /// x: what the equations lack, at their rows, in; by how much the elements change out.
  void solve(Y& x) const {
    std::vector<T> some;
    for (const std::size_t i : rows_) some.push_back(x.data()[sys_.mass.constraints()[i].row]);
    factors_.solve(some);
    fill(x, T(0));
    for (std::size_t k = 0; k < some.size(); ++k) x.data()[elements_[k]] = some[k];
  }
  /// The cotangent of f's elements that of these elements becomes.
  Y solve_transposed(const Y& bar) const {
    std::vector<T> some;
    for (const int i : elements_) some.push_back(bar.data()[i]);
    factors_.solve_transposed(some);
    Y rows = zero_like(bar);
    for (std::size_t k = 0; k < some.size(); ++k)
      rows.data()[sys_.mass.constraints()[rows_[k]].row] = some[k];
    return spread_constraints(sys_.mass, T(-1), rows);
  }
  /// x ← x without these elements.
  void leave_out(Y& x) const {
    for (const int i : elements_) x.data()[i] = T(0);
  }

 private:
  /// Rows whose elements are pivots, each measured by its largest.
  bool choose_rows(const std::vector<T>& slopes) {
    const std::size_t d = elements_.size(), m = slopes.size() / d;
    std::vector<double> a(slopes.size());
    std::vector<char> used(m, 0);
    for (std::size_t i = 0; i < m; ++i) {
      double most = 0;
      for (std::size_t k = 0; k < d; ++k) {
        a[i * d + k] = static_cast<double>(value_of(slopes[i * d + k]));
        most = std::fmax(most, std::abs(a[i * d + k]));
      }
      for (std::size_t k = 0; k < d && most > 0; ++k) a[i * d + k] /= most;
    }
    for (std::size_t k = 0; k < d; ++k) {
      std::size_t row = m;
      double most = 1e-10;
      for (std::size_t i = 0; i < m; ++i)
        if (used[i] == 0 && std::abs(a[i * d + k]) > most) most = std::abs(a[i * d + k]), row = i;
      if (row == m) return rows_.clear(), false;
      used[row] = 1;
      rows_.push_back(row);
      for (std::size_t i = 0; i < m; ++i) {
        if (used[i] != 0) continue;
        const double factor = a[i * d + k] / a[row * d + k];
        for (std::size_t j = k; j < d; ++j) a[i * d + j] -= factor * a[row * d + j];
      }
    }
    return true;
  }

  System& sys_;
  double t_;
  const Y& y_;
  std::vector<int> elements_;
  std::vector<std::size_t> rows_{};  // of the algebraic equations that determine them
  dense_matrix<T> square_{};
  dense_lu<T> factors_{};
};

}  // namespace revode
