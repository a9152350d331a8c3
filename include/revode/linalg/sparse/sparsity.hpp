// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/linalg/attachments.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// Where a Jacobian may be nonzero, by rows and with the whole diagonal, and colours of columns:
/// two that share a row have different ones, so that one product with the sum of a colour's unit
/// vectors gives all of its columns.
/// source  Curtis, Powell & Reid, IMA J. Appl. Math. 13 (1974) 117–119
class sparsity {
 public:
  /// From pairs (row, column), in any order, the diagonal included or not.
  sparsity(int n, const std::vector<std::pair<int, int>>& entries) : n_(n) {
    std::vector<std::set<int>> rows(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) rows[static_cast<std::size_t>(i)].insert(i);
    for (const auto& [i, j] : entries) {
      if (i < 0 || j < 0 || i >= n || j >= n)
        throw std::invalid_argument("a sparsity pattern with entry (" + std::to_string(i) + ", " +
                                    std::to_string(j) + ") for a state of " + std::to_string(n) +
                                    " (rows and columns count from 0) correct it?");
      rows[static_cast<std::size_t>(i)].insert(j);
    }
    start_.push_back(0);
    for (const auto& row : rows) {
      column_.insert(column_.end(), row.begin(), row.end());
      start_.push_back(static_cast<int>(column_.size()));
    }
    colour();
    sort_by_colour();
  }

  int size() const { return n_; }
  int entries() const { return static_cast<int>(column_.size()); }
  int colours() const { return colours_; }
  /// Entries start(i) … start(i + 1) − 1 are those of row i.
  int start(int i) const { return start_[static_cast<std::size_t>(i)]; }
  int column(int entry) const { return column_[static_cast<std::size_t>(entry)]; }
  int colour_of(int column) const { return colour_[static_cast<std::size_t>(column)]; }
  const int* starts() const { return start_.data(); }
  const int* columns() const { return column_.data(); }
  /// The columns of a colour, and all of their entries.
  const std::vector<int>& columns_of(int colour) const { return columns_of_[at(colour)]; }
  struct element {
    int entry, row;
  };
  const std::vector<element>& elements_of(int colour) const { return elements_of_[at(colour)]; }
  /// Entry (i, j), −1 where there is none.
  int find(int i, int j) const {
    const auto first = column_.begin() + start(i), last = column_.begin() + start(i + 1);
    const auto found = std::lower_bound(first, last, j);
    return found != last && *found == j ? static_cast<int>(found - column_.begin()) : -1;
  }
  /// Most entries (i, j) come with an entry (j, i).
  bool nearly_symmetric() const {
    int both = 0;
    for (int i = 0; i < n_; ++i)
      for (int e = start(i); e < start(i + 1); ++e) both += find(column(e), i) >= 0 ? 1 : 0;
    return 2 * both > entries();
  }

  /// The pattern of the transpose, made once.
  std::shared_ptr<const sparsity> transposed() const {
    return kept.get<sparsity>([this] {
      std::vector<std::pair<int, int>> entries;
      for (int i = 0; i < n_; ++i)
        for (int e = start(i); e < start(i + 1); ++e) entries.emplace_back(column(e), i);
      return std::make_shared<sparsity>(n_, entries);
    });
  }

  /// What a library works out once for this pattern.
  attachments kept;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void sort_by_colour() {
    columns_of_.resize(at(colours_));
    elements_of_.resize(at(colours_));
    for (int j = 0; j < n_; ++j) columns_of_[at(colour_of(j))].push_back(j);
    for (int i = 0; i < n_; ++i)
      for (int e = start(i); e < start(i + 1); ++e)
        elements_of_[at(colour_of(column(e)))].push_back({e, i});
  }

  /// Greedily, from the first column to the last.
  void colour() {
    std::vector<std::vector<int>> rows_of(static_cast<std::size_t>(n_));
    for (int i = 0; i < n_; ++i)
      for (int e = start(i); e < start(i + 1); ++e)
        rows_of[static_cast<std::size_t>(column(e))].push_back(i);
    colour_.assign(static_cast<std::size_t>(n_), -1);
    std::vector<int> taken_by;  // by which column's neighbours a colour is taken
    for (int j = 0; j < n_; ++j) {
      for (const int i : rows_of[static_cast<std::size_t>(j)])
        for (int e = start(i); e < start(i + 1); ++e)
          if (const int c = colour_of(column(e)); c >= 0) taken_by[static_cast<std::size_t>(c)] = j;
      const auto free =
          std::find_if(taken_by.begin(), taken_by.end(), [&](int by) { return by != j; });
      colour_[static_cast<std::size_t>(j)] = static_cast<int>(free - taken_by.begin());
      if (free == taken_by.end()) taken_by.push_back(-1);
    }
    colours_ = static_cast<int>(taken_by.size());
  }

  int n_, colours_ = 0;
  std::vector<int> start_, column_, colour_;
  std::vector<std::vector<int>> columns_of_;
  std::vector<std::vector<element>> elements_of_;
};

/// The pattern of a field's Jacobian, from products with unit vectors at `points` states near y0,
/// no element of which is 0. Entries that are nonzero elsewhere only must be given by hand.
/// cost    n products a point, once
template <class F, class Y, class P>
sparsity sparsity_of(const F& f, double t, const Y& y0, const P& p, int points = 2) {
  using T = scalar_t<Y>;
  derivatives<F, Y, P> of;
  const int n = length(y0);
  std::vector<std::pair<int, int>> entries;
  Y y = y0, unit = y0, out = y0;
  const vec<T, 0> still{};
  for (int point = 0; point < points; ++point) {
    for (int i = 0; i < n; ++i)
      y.data()[i] = y0.data()[i] + T(0.01 * (1 + point + (i * 7919 % 101) / 101.0));
    for (int j = 0; j < n; ++j) {
      fill(unit, T(0));
      unit.data()[j] = T(1);
      of.jvp(f, T(t + 0.001 * point), y, p, T(0), unit, still, out);
      for (int i = 0; i < n; ++i)
        if (out.data()[i] != T(0)) entries.emplace_back(i, j);
    }
  }
  return sparsity(n, entries);
}
template <class Problem>
sparsity sparsity_of(const Problem& q) {
  return sparsity_of(q.f, q.t0, q.y0, q.p);
}

/// A Jacobian on a pattern, row by row.
template <class T>
struct sparse_matrix {
  std::shared_ptr<const sparsity> pattern;
  std::vector<T> values;

  int rows() const { return pattern->size(); }
  const T* data() const { return values.data(); }
  std::size_t size() const { return values.size(); }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.values);
  }
};

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

/// out = (∂f/∂y) direction, p held where the system can.
template <class System, class Y>
void multiply_by_jacobian(System& sys, double t, const Y& y, const Y& direction, Y& out) {
  using T = scalar_t<Y>;
  constexpr vec<T, 0> still{};
  if constexpr (requires { sys.jvp(t, y, T(0), direction, still, out); })
    sys.jvp(t, y, T(0), direction, still, out);
  else
    sys.jvp(t, y, T(0), direction, zero_like(sys.p), out);
}

/// Fills j by one product with the field's Jacobian a colour. `check` compares with one more
/// product and throws for a pattern that misses an entry.
template <class System, class Y, class T>
void evaluate_by_colours(System& sys, double t, const Y& y,
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
  ++sys.counts.jacobian_evaluations;
  Y direction = y, out = y;
  fill(direction, T(0));
  for (int c = 0; c < pattern->colours(); ++c) {
    const std::vector<int>& columns = pattern->columns_of(c);
    for (const int k : columns) direction.data()[k] = T(1);
    multiply_by_jacobian(sys, t, y, direction, out);
    for (const int k : columns) direction.data()[k] = T(0);
    for (const auto [entry, row] : pattern->elements_of(c))
      j.values[static_cast<std::size_t>(entry)] = out.data()[row];
  }
  if (!check) return;
  for (int i = 0; i < n; ++i)
    direction.data()[i] = T(1 + std::fmod(0.6180339887498949 * (i + 1), 1.0));
  multiply_by_jacobian(sys, t, y, direction, out);
  for (int i = 0; i < n; ++i) {
    T sum(0), size(0);
    for (int e = pattern->start(i); e < pattern->start(i + 1); ++e) {
      const T term = j.values[static_cast<std::size_t>(e)] * direction.data()[pattern->column(e)];
      sum = sum + term;
      size = size + (term < 0 ? -term : term);
    }
    const T difference = sum - out.data()[i];
    if (difference > 1e-6 * size || -difference > 1e-6 * size)
      throw std::invalid_argument("a sparsity pattern that misses an entry of row " +
                                  std::to_string(i) +
                                  " (the Jacobian has one elsewhere) add it, or use "
                                  "sparsity_of(problem)?");
  }
}

}  // namespace revode
