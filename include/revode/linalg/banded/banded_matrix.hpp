// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/linalg/dense/dense_matrix.hpp>

namespace revode {

/// A square matrix with `lower` diagonals below the main one and `upper` above it: the Jacobian of
/// a field over states Y. Row by row, a row being its part of the band, where elements that would
/// lie outside the matrix are 0. It brings the two states that evaluating it takes.
/// memory  (lower + upper + 3) n numbers
template <class Y>
class banded_matrix {
 public:
  using scalar = scalar_t<Y>;

  /// Allocates when n or a width is new; the elements are then zero, otherwise as they were.
  void resize(int n, int lower, int upper) {
    if (n == n_ && lower == lower_ && upper == upper_) return;
    const int in_row = lower + 1 + upper;
    elements_.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(in_row), scalar(0));
    n_ = n;  // behind what may fail
    lower_ = lower;
    upper_ = upper;
  }
  void clear() {
    for (scalar& element : elements_) element = scalar(0);
  }

  int rows() const { return n_; }
  int cols() const { return n_; }
  int lower() const { return lower_; }
  int upper() const { return upper_; }
  int width() const { return lower_ + 1 + upper_; }
  bool holds(int i, int j) const { return i - j <= lower_ && j - i <= upper_; }

  /// Row i from column i − lower on; the columns that there are run from first(i) to last(i).
  scalar* row(int i) { return elements_.data() + static_cast<std::ptrdiff_t>(i) * width(); }
  const scalar* row(int i) const {
    return elements_.data() + static_cast<std::ptrdiff_t>(i) * width();
  }
  int first(int i) const { return i > lower_ ? i - lower_ : 0; }
  int last(int i) const { return i + upper_ < n_ ? i + upper_ : n_ - 1; }

  scalar operator()(int i, int j) const { return holds(i, j) ? row(i)[j - i + lower_] : scalar(0); }
  /// Outside the band: a place that is 0 when read, and forgets what is written.
  scalar& operator()(int i, int j) {
    if (holds(i, j)) return row(i)[j - i + lower_];
    outside_ = scalar(0);
    return outside_;
  }

  scalar* data() { return elements_.data(); }
  const scalar* data() const { return elements_.data(); }
  std::size_t size() const { return elements_.size(); }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.elements_);
  }

  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    const index numbers = s.n * static_cast<index>(sizeof(scalar));
    if (s.n != n_ || s.lower != lower_ || s.upper != upper_)
      visit((s.lower + 1 + s.upper) * numbers);
    if (length(direction) != s.n && static_size_v<Y> < 0)
      for (int place = 0; place < 2; ++place) visit(numbers);
  }

  /// A direction and a product, of y's shape.
  void fit_places(const Y& y) {
    if (length(direction) == length(y)) return;
    direction = y;
    product = y;
  }
  Y direction{}, product{};

 private:
  int n_ = 0, lower_ = 0, upper_ = 0;
  std::vector<scalar> elements_;
  scalar outside_{};
};

/// act(column, element) for what the band has of row i.
template <class Y, class Act>
void each_in_row(banded_matrix<Y>& a, int i, const Act& act) {
  auto* row = a.row(i) + (a.lower() - i);
  for (int j = a.first(i); j <= a.last(i); ++j) act(j, row[j]);
}

template <class Z, class X, class Y>
void add_product(const banded_matrix<Z>& a, const X& x, Y& out) {
  for (int i = 0, n = a.rows(); i < n; ++i) {
    const auto* row = a.row(i) + (a.lower() - i);
    auto sum = out.data()[i];
    for (int j = a.first(i); j <= a.last(i); ++j) sum = muladd(row[j], x.data()[j], sum);
    out.data()[i] = sum;
  }
}

template <class Z, class X, class Y>
void add_transposed_product(const banded_matrix<Z>& a, const X& x, Y& out) {
  for (int i = 0, n = a.rows(); i < n; ++i) {
    const auto* row = a.row(i) + (a.lower() - i);
    const auto weight = x.data()[i];
    for (int j = a.first(i); j <= a.last(i); ++j)
      out.data()[j] = muladd(row[j], weight, out.data()[j]);
  }
}

/// Throws for widths that no matrix of n rows has.
inline void require_band(int lower, int upper, int n) {
  const int most = n > 0 ? n - 1 : 0;
  const int wrong = lower < 0 || lower > most ? lower : upper;
  if (wrong >= 0 && wrong <= most) return;
  throw std::invalid_argument(
      "a band with " + std::to_string(wrong) + " diagonals " +
      (wrong == lower ? "below" : "above") + " the main one for a state of " + std::to_string(n) +
      " (a matrix has from 0 to " + std::to_string(most) + ") give those, or band_of(problem)?");
}

}  // namespace revode
