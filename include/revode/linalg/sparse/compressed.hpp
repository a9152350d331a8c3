// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace revode {

/// A square matrix as libraries hold it, referred to, not copied: entries starts[k] … starts[k + 1] − 1 are those of
/// column k (of row k: by_rows), in the rows `inner`, with these values. Where there are `counts`, column k has so many.
template <class I, class T>
struct compressed {
  int n;
  const I *starts, *inner;
  const T* values = nullptr;  ///< null: the pattern alone
  bool by_rows = false;
  const I* counts = nullptr;

  /// visit(row, column, which) for each entry.
  template <class Visit>
  void visit_entries(Visit&& visit) const {
    for (int k = 0; k < n; ++k) {
      const I last = counts == nullptr ? starts[k + 1] : starts[k] + counts[k];
      for (I e = starts[k]; e < last; ++e) {
        const int other = static_cast<int>(inner[e]);
        visit(by_rows ? k : other, by_rows ? other : k, e);
      }
    }
  }
  std::vector<std::pair<int, int>> entries() const {
    std::vector<std::pair<int, int>> found;
    visit_entries([&](int i, int j, I) { found.emplace_back(i, j); });
    return found;
  }
};

/// A matrix of Eigen's, SparseMatrix or a Map of one.
template <class M>
concept compressed_matrix = requires(const M& m) {
  m.outerIndexPtr();
  m.innerIndexPtr();
  m.innerNonZeroPtr();
  m.valuePtr();
};

/// Such a matrix, referred to.
template <compressed_matrix M>
auto compressed_of(const M& m) {
  using I = std::remove_cvref_t<decltype(*m.innerIndexPtr())>;
  using T = std::remove_cvref_t<decltype(*m.valuePtr())>;
  if (m.rows() != m.cols())
    throw std::invalid_argument("a sparse matrix of " + std::to_string(m.rows()) + " rows and " +
                                std::to_string(m.cols()) +
                                " columns (a Jacobian is square) give another?");
  return compressed<I, T>{static_cast<int>(m.rows()), m.outerIndexPtr(),
                          m.innerIndexPtr(),          m.valuePtr(),
                          bool(M::IsRowMajor),        m.innerNonZeroPtr()};
}

}  // namespace revode
