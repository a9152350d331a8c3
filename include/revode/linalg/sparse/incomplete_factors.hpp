// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <revode/linalg/complex_number.hpp>
#include <revode/linalg/sparse/sparse_matrix.hpp>

namespace revode {

/// ILU(0): L U ≈ s I − J with unit diagonal of L, both on the pattern of J, so that L U is s I − J there.
/// S is real or a complex_number; of duals the values count.
/// cost    O(entries × entries of a row) to factor, 2 entries a solve, transposed or not
/// memory  a number an entry
/// source  Meijerink & van der Vorst, Math. Comp. 31 (1977) 148–162
template <class S>
class incomplete_factors {
 public:
  /// False where a pivot is 0 or not finite.
  template <class T>
  bool factor_shifted(const sparse_matrix<T>& j, const S& shift) {
    if (pattern_ != j.pattern) {
      pattern_ = j.pattern;
      diagonal_ = diagonal_of(*pattern_);
      place_.assign(static_cast<std::size_t>(pattern_->size()), -1);
    }
    values_.resize(j.values.size());
    for (std::size_t e = 0; e < values_.size(); ++e) values_[e] = S{-value_of(j.values[e])};
    for (int i = 0; i < pattern_->size(); ++i)
      value(diagonal(i)) =
          subtract_real(shift, value_of(j.values[static_cast<std::size_t>(diagonal(i))]));
    for (int i = 0; i < pattern_->size(); ++i)
      if (!eliminate(i)) return false;
    return true;
  }

  /// x = (L U)⁻¹ x, or its transpose.
  template <bool Transposed>
  void solve(S* x) const {
    const int n = pattern_->size();
    if constexpr (Transposed) {
      for (int i = 0; i < n; ++i) {  // Uᵀ, a row of U at a time
        x[i] = product_of(x[i], reciprocal_of(value(diagonal(i))));
        for (int e = diagonal(i) + 1; e < pattern_->start(i + 1); ++e)
          x[pattern_->column(e)] = subtract_product(value(e), x[i], x[pattern_->column(e)]);
      }
      for (int i = n; i-- > 0;)
        for (int e = pattern_->start(i); e < diagonal(i); ++e)
          x[pattern_->column(e)] = subtract_product(value(e), x[i], x[pattern_->column(e)]);
    } else {
      for (int i = 0; i < n; ++i)
        for (int e = pattern_->start(i); e < diagonal(i); ++e)
          x[i] = subtract_product(value(e), x[pattern_->column(e)], x[i]);
      for (int i = n; i-- > 0;) {
        for (int e = diagonal(i) + 1; e < pattern_->start(i + 1); ++e)
          x[i] = subtract_product(value(e), x[pattern_->column(e)], x[i]);
        x[i] = product_of(x[i], reciprocal_of(value(diagonal(i))));
      }
    }
  }
  /// See matrix_shape; and where the diagonal lies, once a pattern.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (s.pattern == nullptr || pattern_.get() == s.pattern) return;
    visit(s.pattern->entries() * static_cast<index>(sizeof(S)));
    for (int of = 0; of < 2; ++of) visit(s.pattern->size() * static_cast<index>(sizeof(int)));
  }
  int size() const { return pattern_ == nullptr ? 0 : pattern_->size(); }
  const std::vector<S>& values() const { return values_; }

 private:
  S& value(int e) { return values_[static_cast<std::size_t>(e)]; }
  const S& value(int e) const { return values_[static_cast<std::size_t>(e)]; }
  int diagonal(int i) const { return diagonal_->of_row[static_cast<std::size_t>(i)]; }
  int& place(int column) { return place_[static_cast<std::size_t>(column)]; }

  /// Row i less multiples of the rows above it.
  bool eliminate(int i) {
    const int first = pattern_->start(i), last = pattern_->start(i + 1);
    for (int e = first; e < last; ++e) place(pattern_->column(e)) = e;
    for (int e = first; e < diagonal(i); ++e) {
      const int k = pattern_->column(e);
      const S factor = product_of(value(e), reciprocal_of(value(diagonal(k))));
      value(e) = factor;
      for (int f = diagonal(k) + 1; f < pattern_->start(k + 1); ++f)
        if (const int to = place(pattern_->column(f)); to >= 0)
          value(to) = subtract_product(factor, value(f), value(to));
    }
    for (int e = first; e < last; ++e) place(pattern_->column(e)) = -1;
    return is_pivot(value(diagonal(i)));
  }

  std::shared_ptr<const sparsity> pattern_;
  std::shared_ptr<const diagonal_places> diagonal_;
  std::vector<S> values_;
  std::vector<int> place_;
};

}  // namespace revode
