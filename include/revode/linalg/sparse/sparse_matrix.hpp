// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/sparse/sparsity.hpp>

namespace revode {

/// A Jacobian on a pattern, row by row.
template <class T>
struct sparse_matrix {
  std::shared_ptr<const sparsity> pattern;
  std::vector<T> values;
  T outside{};

  int rows() const { return pattern->size(); }
  /// Outside the pattern: a place that forgets what is written.
  T& operator()(int i, int j) {
    const int entry = pattern->find(i, j);
    return entry < 0 ? outside = T(0) : values[static_cast<std::size_t>(entry)];
  }
  void clear() { std::fill(values.begin(), values.end(), T(0)); }

  /// The numbers of another matrix, compressed or Eigen's, on whatever pattern: what is in one place several times is
  /// added up. Throws for one that is not 0 outside this pattern.
  /// cost    a search in a row an entry
  template <class I, class S>
  void take(const compressed<I, S>& a) {
    clear();
    a.visit_entries([&](int i, int j, I which) {
      const int entry = i < rows() && j < rows() ? pattern->find(i, j) : -1;
      if (entry >= 0) {
        T& to = values[static_cast<std::size_t>(entry)];
        to = to + a.values[which];
      } else if (a.values[which] != S(0)) {
        throw std::invalid_argument("a Jacobian with entry (" + std::to_string(i) + ", " +
                                    std::to_string(j) +
                                    ") (the sparsity pattern has none there) make the pattern of "
                                    "the same matrix?");
      }
    });
  }
  template <compressed_matrix M>
  void take(const M& a) {
    take(compressed_of(a));
  }
  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (s.pattern != nullptr && pattern.get() != s.pattern)
      visit(s.pattern->entries() * static_cast<index>(sizeof(T)));
  }
  index bytes_in_passing(const matrix_shape& s) const {
    return 2 * s.n * static_cast<index>(sizeof(T));  // of evaluate_by_colours
  }
  const T* data() const { return values.data(); }
  std::size_t size() const { return values.size(); }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.values);
  }
};

/// act(column, element) for what the pattern has of row i.
template <class T, class Act>
void each_in_row(sparse_matrix<T>& a, int i, const Act& act) {
  for (int e = a.pattern->start(i); e < a.pattern->start(i + 1); ++e)
    act(a.pattern->column(e), a.values[static_cast<std::size_t>(e)]);
}

template <class T, class X, class Y>
void add_product(const sparse_matrix<T>& a, const X& x, Y& out) {
  for (int i = 0, n = a.rows(); i < n; ++i) {
    auto sum = out.data()[i];
    for (int e = a.pattern->start(i); e < a.pattern->start(i + 1); ++e)
      sum = muladd(a.values[static_cast<std::size_t>(e)], x.data()[a.pattern->column(e)], sum);
    out.data()[i] = sum;
  }
}
template <class T, class X, class Y>
void add_transposed_product(const sparse_matrix<T>& a, const X& x, Y& out) {
  for (int i = 0, n = a.rows(); i < n; ++i) {
    const auto weight = x.data()[i];
    for (int e = a.pattern->start(i); e < a.pattern->start(i + 1); ++e) {
      auto& sum = out.data()[a.pattern->column(e)];
      sum = muladd(a.values[static_cast<std::size_t>(e)], weight, sum);
    }
  }
}

/// One product a colour.
template <class System, class Y, class T>
void evaluate_by_colours(System& sys, double t, const Y& y, sparse_matrix<T>& j) {
  ++sys.counts.jacobian_evaluations;
  Y direction = y, out = y;
  fill(direction, T(0));
  for (int c = 0; c < j.pattern->colours(); ++c) {
    const std::vector<int>& columns = j.pattern->columns_of(c);
    for (const int k : columns) direction.data()[k] = T(1);
    multiply_by_jacobian(sys, t, y, direction, out);
    for (const int k : columns) direction.data()[k] = T(0);
    for (const auto [entry, row] : j.pattern->elements_of(c))
      j.values[static_cast<std::size_t>(entry)] = out.data()[row];
  }
}

/// Compares with a product whose direction has no period.
template <class System, class Y, class T>
void require_all_on_pattern(System& sys, double t, const Y& y, const sparse_matrix<T>& j) {
  Y direction = y, out = y;
  const int n = length(y);
  for (int i = 0; i < n; ++i)
    direction.data()[i] = T(1 + std::fmod(0.6180339887498949 * (i + 1), 1.0));
  multiply_by_jacobian(sys, t, y, direction, out);
  for (int i = 0; i < n; ++i) {
    T sum(0), size(0);
    for (int e = j.pattern->start(i); e < j.pattern->start(i + 1); ++e) {
      const T term = j.values[static_cast<std::size_t>(e)] * direction.data()[j.pattern->column(e)];
      sum = sum + term;
      size = size + (term < 0 ? -term : term);
    }
    const T difference = sum - out.data()[i];
    if (difference > 1e-6 * size || -difference > 1e-6 * size)
      throw std::invalid_argument("a sparsity pattern that misses an entry of row " +
                                  std::to_string(i) +
                                  " (the Jacobian has one elsewhere, behind a branch perhaps that "
                                  "was not taken where the pattern was found) add it, or take a "
                                  "dense matrix or gmres?");
  }
}

/// Fills j by the field's own sparse_jacobian, else by one product with it a colour. `check` compares with one more
/// product and throws for a pattern that misses an entry.
template <class System, class Y, class T>
void evaluate_on_pattern(System& sys, double t, const Y& y,
                         const std::shared_ptr<const sparsity>& pattern, bool check,
                         sparse_matrix<T>& j) {
  const int n = length(y);
  if (pattern == nullptr || pattern->size() != n)
    throw std::invalid_argument("a sparsity pattern of size " +
                                std::to_string(pattern == nullptr ? 0 : pattern->size()) +
                                " for a state of " + std::to_string(n) +
                                " (a Jacobian is square) give sparsity_of(problem)?");
  j.pattern = pattern;
  j.values.resize(static_cast<std::size_t>(pattern->entries()));
  if constexpr (requires { sys.sparse_jacobian(t, y, j); })
    sys.sparse_jacobian(t, y, j);
  else
    evaluate_by_colours(sys, t, y, j);
  if (check) require_all_on_pattern(sys, t, y, j);
}

}  // namespace revode
