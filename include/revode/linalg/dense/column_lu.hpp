// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/linalg/dense/column_factors.hpp>

namespace revode {

/// column_factors.hpp and its solves, block of rows by block of rows: sums stay in registers.
/// cost    n² multiply-adds, complex ones four times as many
template <class T, int N, int Parts>
class column_lu : public column_factors<T, N, Parts> {
  using base = column_factors<T, N, Parts>;
  using base::column;
  using base::order;
  using base::padded;
  static constexpr int rows = column_layout<T, N>::rows;

 public:
  using base::size;
  template <class S>
  using right_side = revode::right_side<S, T, N, Parts>;

  // x = A⁻¹ x, block of rows by block of rows, for those who solve several systems in turn:
  // take, every lower block, every upper block backwards, give. What is read as packs is written as
  // packs, or reading would wait for the writes.
  template <class S>
  REVODE_HD void take(S* const (&x)[Parts], right_side<S>& b) const {
    const int* from = order();
    for (int first = 0; first < padded(); first += rows) {
      in_parts<S, Parts> block[rows];
      for_constants<0, rows>([&](auto r) __attribute__((always_inline)) {
        for (int p = 0; p < Parts; ++p)
          block[r].of[p] = first + r < size() ? x[p][from[first + r]] : S(0);
      });
      b.store_block(first, block);
    }
  }
  template <class S>
  REVODE_HD void give(const right_side<S>& b, S* const (&x)[Parts]) const {
    for (int p = 0; p < Parts; ++p)
      for (int i = 0; i < size(); ++i) x[p][i] = b.at(p)[i];
  }
  REVODE_HD int blocks() const { return padded() / rows; }

  template <class S>
  REVODE_HD void solve_lower(int block, right_side<S>& b) const {
    const int first = block * rows;
    partial_sums<S> sum(first, b);
    for (int j = 0; j < first; ++j) sum.template subtract<0, rows>(*this, j, b.template load<S>(j));
    in_parts<S, Parts> known[rows];
    for_constants<0, rows>([&](auto r) __attribute__((always_inline)) {
      known[r] = sum.row(r);
      sum.template subtract<r + 1, rows>(*this, first + r, known[r]);
    });
    b.store_block(first, known);
  }
  template <class S>
  REVODE_HD void solve_upper(int block, right_side<S>& b) const {
    const int first = block * rows;
    partial_sums<S> sum(first, b);
    sum.scale(*this);
    for (int j = size() - 1; j >= first + rows; --j)
      sum.template subtract<0, rows>(*this, j, b.template load<S>(j));
    in_parts<S, Parts> known[rows];
    for_constants_down<rows, 0>([&](auto r) __attribute__((always_inline)) {
      known[r] = sum.row(r);
      sum.template subtract<0, r>(*this, first + r, known[r]);
    });
    b.store_block(first, known);
  }

  /// x = A⁻¹ x
  template <class S>
  REVODE_HD void solve(S* const (&x)[Parts]) const {
    auto b = this->template room<S>();
    take(x, b);
    for (int block = 0; block < blocks(); ++block) solve_lower(block, b);
    for (int block = blocks() - 1; block >= 0; --block) solve_upper(block, b);
    give(b, x);
  }
  /// x = A⁻ᴴ x, with the conjugate transpose, from the same factors.
  template <class S>
  REVODE_HD void solve_adjoint(S* const (&x)[Parts]) const {
    auto b = this->template room<S>();
    for (int p = 0; p < Parts; ++p)
      for (int i = 0; i < size(); ++i) b.at(p)[i] = x[p][i];
    for (int block = 0; block < blocks(); ++block) solve_upper_adjoint(block * rows, b);
    for (int j = 0; j < size(); ++j)
      b.store(j, this->template load<T>(j, j).template times<true>(b.template load<S>(j)));
    for (int block = blocks() - 1; block >= 0; --block) solve_lower_adjoint(block * rows, b);
    for (int i = 0; i < size(); ++i)
      for (int p = 0; p < Parts; ++p) x[p][order()[i]] = b.at(p)[i];
  }

 private:
  /// A block of a right side, while products leave it. Lanes of rows that are done go on unused.
  template <class S>
  struct partial_sums {
    using V = typename right_side<S>::pack;
    using A = std::conditional_t<std::is_same_v<S, T>, V, T>;
    static constexpr int width = pack_width<V, S>;
    int first;
    in_parts<V, Parts> sum[rows / width];

    REVODE_HD partial_sums(int first, const right_side<S>& b) : first(first) {
      for_constants<0, rows / width>([&](auto q) __attribute__((always_inline)) {
        sum[q] = b.template load<V>(first + q * width);
      });
    }
    REVODE_HD static in_parts<A, Parts> some(const column_lu& a, int i, int j) {
      in_parts<A, Parts> x;
      for (int p = 0; p < Parts; ++p) x.of[p] = load_pack<A>(a.column(p, j) + i);
      return x;
    }
    /// Rows First … Last − 1 lose column j times x.
    template <int First, int Last>
    REVODE_HD void subtract(const column_lu& a, int j, const in_parts<S, Parts>& x) {
      for_constants<First / width, (Last + width - 1) / width>([&](auto q) __attribute__((
          always_inline)) { sum[q] = sum[q].minus(some(a, first + q * width, j).times(x)); });
    }
    /// Divided by the pivots.
    REVODE_HD void scale(const column_lu& a) {
      for_constants<0, rows / width>([&](auto q) __attribute__((always_inline)) {
        in_parts<A, Parts> inverse;
        for (int p = 0; p < Parts; ++p) {
          inverse.of[p] = make_pack<A, T>([&](int l) __attribute__((always_inline)) {
            const int i = first + q * width + l;
            return a.column(p, i)[i];
          });
        }
        sum[q] = inverse.times(sum[q]);
      });
    }
    template <class I>
    REVODE_HD in_parts<S, Parts> row(I r) const {
      in_parts<S, Parts> x;
      for (int p = 0; p < Parts; ++p) x.of[p] = lane_of<S>(sum[r / width].of[p], r % width);
      return x;
    }
  };

  /// Rows first … first + rows − 1 of Uᴴ, those above being solved, and of Lᴴ, those below being
  /// solved.
  template <class S>
  REVODE_HD void solve_upper_adjoint(int first, right_side<S>& b) const {
    adjoint_sums<S> sum(first, b);
    for (int i = 0; i < first; ++i) sum.template subtract<0, rows>(*this, i, b.template load<S>(i));
    for_constants<0, rows>([&](auto r) __attribute__((always_inline)) {
      b.store(first + r, sum.sum[r]);
      sum.template subtract<r + 1, rows>(*this, first + r, sum.sum[r]);
    });
  }
  template <class S>
  REVODE_HD void solve_lower_adjoint(int first, right_side<S>& b) const {
    adjoint_sums<S> sum(first, b);
    for (int i = size() - 1; i >= first + rows; --i)
      sum.template subtract<0, rows>(*this, i, b.template load<S>(i));
    for_constants_down<rows, 0>([&](auto r) __attribute__((always_inline)) {
      b.store(first + r, sum.sum[r]);
      sum.template subtract<0, r>(*this, first + r, sum.sum[r]);
    });
  }
  template <class S>
  struct adjoint_sums {
    int first;
    in_parts<S, Parts> sum[rows];

    REVODE_HD adjoint_sums(int first, const right_side<S>& b) : first(first) {
      for (int r = 0; r < rows; ++r) sum[r] = b.template load<S>(first + r);
    }
    /// Rows First … Last − 1 lose the conjugates of row i times x.
    template <int First, int Last>
    REVODE_HD void subtract(const column_lu& a, int i, const in_parts<S, Parts>& x) {
      for_constants<First, Last>([&](auto r) __attribute__((always_inline)) {
        sum[r] = sum[r].minus(a.template load<T>(i, first + r).template times<true>(x));
      });
    }
  };
};

}  // namespace revode
