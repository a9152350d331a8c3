// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/state/elements.hpp>

namespace revode {

/// What Gaussian elimination makes of the rows of a sparse matrix M: independent ones become pivots,
///   pivot p = row `row` of M + Σ of_pivots.value (pivot of_pivots.at), at < p,
/// with `value` in its column, in which later pivots have nothing. As many columns as M lacks of full rank are no
/// pivot's: their elements are open.
struct mass_elimination {
  struct entry {
    int at;
    double value;
  };
  using entries = std::vector<entry>;
  struct pivot {
    int row, column;
    double value;
    entries others, of_pivots;
  };
  std::vector<pivot> pivots;

  /// x ← the vector with (M x)ᵢ = bᵢ at each pivot's row i that has the open elements of x.
  template <class Y>
  void solve(const Y& b, Y& x) const {
    using T = scalar_t<Y>;
    std::vector<T> right;
    for (const pivot& p : pivots) {
      T sum = b.data()[p.row];
      for (const entry& e : p.of_pivots) sum = muladd(T(e.value), right[at(e)], sum);
      right.push_back(sum);
    }
    for (std::size_t k = pivots.size(); k-- > 0;) {
      const pivot& p = pivots[k];
      T sum = right[k];
      for (const entry& e : p.others) sum = muladd(T(-e.value), x.data()[e.at], sum);
      x.data()[p.column] = sum / T(p.value);
    }
  }
  /// The transpose: x̄ becomes that of the open elements, 0 elsewhere, and b̄ that of b, 0 where no pivot is.
  template <class Y>
  void pull(Y& x_bar, Y& b_bar) const {
    using T = scalar_t<Y>;
    std::vector<T> right;
    for (const pivot& p : pivots) {
      right.push_back(x_bar.data()[p.column] / T(p.value));
      x_bar.data()[p.column] = T(0);
      for (const entry& e : p.others)
        x_bar.data()[e.at] = muladd(T(-e.value), right.back(), x_bar.data()[e.at]);
    }
    fill(b_bar, T(0));
    for (std::size_t k = pivots.size(); k-- > 0;) {
      const pivot& p = pivots[k];
      b_bar.data()[p.row] = right[k];
      for (const entry& e : p.of_pivots) right[at(e)] = muladd(T(e.value), right[k], right[at(e)]);
    }
  }

 private:
  static std::size_t at(const entry& e) { return static_cast<std::size_t>(e.at); }
};

}  // namespace revode
