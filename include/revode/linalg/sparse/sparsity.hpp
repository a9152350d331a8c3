// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/linalg/attachments.hpp>
#include <revode/linalg/sparse/compressed.hpp>
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
    if (n < 0)
      throw std::invalid_argument("a sparsity pattern for a state of " + std::to_string(n) +
                                  " (elements are 0 or more) give their number?");
    for (const auto& [i, j] : entries)
      if (i < 0 || j < 0 || i >= n || j >= n)
        throw std::invalid_argument("a sparsity pattern with entry (" + std::to_string(i) + ", " +
                                    std::to_string(j) + ") for a state of " + std::to_string(n) +
                                    " (rows and columns count from 0) correct it?");
    sort_into_rows(entries);
    colour();
    sort_by_colour();
  }
  /// From compressed columns or rows, and from a sparse matrix of Eigen's.
  template <class I, class T>
  explicit sparsity(const compressed<I, T>& a) : sparsity(a.n, a.entries()) {}
  template <compressed_matrix M>
  explicit sparsity(const M& a) : sparsity(compressed_of(a)) {}

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

  /// By counting: O(entries), but for the order within rows.
  void sort_into_rows(const std::vector<std::pair<int, int>>& entries) {
    std::vector<int> past(at(n_) + 1, 0);  // of row i − 1, then of row i
    for (const auto& [i, j] : entries) ++past[at(i) + 1];
    for (int i = 0; i < n_; ++i) past[at(i) + 1] += past[at(i)] + 1;  // and the diagonal
    std::vector<int> columns(at(past[at(n_)]));
    for (int i = n_; i-- > 0;) columns[at(past[at(i)])] = i;
    for (int i = 0; i < n_; ++i) ++past[at(i)];
    for (const auto& [i, j] : entries) columns[at(past[at(i)]++)] = j;
    start_.reserve(at(n_) + 1);
    start_.push_back(0);
    auto first = columns.begin();
    for (int i = 0; i < n_; ++i) {
      const auto last = columns.begin() + past[at(i)];
      std::sort(first, last);
      column_.insert(column_.end(), first, std::unique(first, last));
      start_.push_back(static_cast<int>(column_.size()));
      first = last;
    }
  }

  void sort_by_colour() {
    columns_of_.resize(at(colours_));
    elements_of_.resize(at(colours_));
    for (int j = 0; j < n_; ++j) columns_of_[at(colour_of(j))].push_back(j);
    for (int i = 0; i < n_; ++i)
      for (int e = start(i); e < start(i + 1); ++e)
        elements_of_[at(colour_of(column(e)))].push_back({e, i});
  }

  /// Greedily, from the first column to the last; beside a full row each has its own.
  void colour() {
    for (int i = 0; i < n_; ++i) {
      if (start(i + 1) - start(i) < n_) continue;
      colour_.resize(at(n_));
      std::iota(colour_.begin(), colour_.end(), 0);
      colours_ = n_;
      return;
    }
    std::vector<int> past(at(n_) + 1, 0), rows(at(entries()));  // of each column
    for (const int j : column_) ++past[at(j)];
    std::partial_sum(past.begin(), past.end(), past.begin());
    for (int i = n_; i-- > 0;)
      for (int e = start(i); e < start(i + 1); ++e) rows[at(--past[at(column(e))])] = i;
    colour_.assign(at(n_), -1);
    std::vector<int> taken_by;  // by which column's neighbours a colour is taken
    for (int j = 0; j < n_; ++j) {
      for (int k = past[at(j)]; k < past[at(j) + 1]; ++k) {
        const int i = rows[at(k)];
        for (int e = start(i); e < start(i + 1); ++e)
          if (const int c = colour_of(column(e)); c >= 0) taken_by[at(c)] = j;
      }
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

/// Where the diagonal lies in each row of a pattern. It belongs to the pattern.
struct diagonal_places {
  std::vector<int> of_row;
  explicit diagonal_places(const sparsity& p) {
    for (int i = 0; i < p.size(); ++i) of_row.push_back(p.find(i, i));
  }
};
inline std::shared_ptr<const diagonal_places> diagonal_of(const sparsity& p) {
  return p.kept.get<diagonal_places>([&] { return std::make_shared<diagonal_places>(p); });
}

}  // namespace revode
