// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <vector>

#include <revode/linalg/dense/pack.hpp>
#include <revode/linalg/dense/small_elimination.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// How column_lu.hpp lays out a matrix of size N, −1 for one known at run time: columns that end in
/// zeros, so that they are whole blocks of rows.
template <class T, int N>
struct column_layout {
  static constexpr bool small = N >= 0 && N <= most_written_out;  // packs would be half empty
  static constexpr int rows = small ? (N > 0 ? N : 1) : 4;        // of a block
  static constexpr int fixed = N > 0 ? (N + rows - 1) / rows* rows : 1;

  using pack = typename std::conditional_t<small, std::type_identity<T>, pack_type<T>>::type;
  using matrix = std::conditional_t<N >= 0, vec<T, fixed * fixed>, std::vector<T>>;
  using numbers = std::conditional_t<N >= 0, vec<int, fixed>, std::vector<int>>;
  using work = std::conditional_t<N >= 0, vec<T, 0>, std::vector<T>>;

  REVODE_HD static int padded(int n) {
    if constexpr (N >= 0)
      return fixed;
    else
      return (n + rows - 1) / rows * rows;
  }
};

/// A right side of column_lu, of numbers S in parts, with room for whole packs. Where sizes are
/// known at run time it lies in memory of the factors, if that is of S.
template <class S, class T, int N, int Parts>
class right_side {
  using layout = column_layout<T, N>;
  static constexpr bool borrows = N < 0 && std::is_same_v<S, T>;

 public:
  using pack = typename std::conditional_t<std::is_same_v<S, T>, std::type_identity<layout>,
                                           std::type_identity<column_layout<S, 0>>>::type::pack;

  REVODE_HD right_side(int n, typename layout::work (&work)[Parts]) {
    const int end = layout::padded(n);
    if constexpr (N < 0) {
      for (int p = 0; p < Parts; ++p) {
        if constexpr (!borrows) own_[p].resize(static_cast<std::size_t>(end));
        if constexpr (borrows)
          at_[p] = work[p].data();
        else
          at_[p] = own_[p].data();
      }
    }
    for (int p = 0; p < Parts; ++p)
      for (int i = n; i < end; ++i) at(p)[i] = S(0);
  }
  right_side(const right_side&) = delete;

  REVODE_HD S* at(int part) {
    if constexpr (N >= 0)
      return own_[part];
    else
      return at_[part];
  }
  REVODE_HD const S* at(int part) const { return const_cast<right_side*>(this)->at(part); }
  template <class V>
  REVODE_HD in_parts<V, Parts> load(int i) const {
    in_parts<V, Parts> x;
    for (int p = 0; p < Parts; ++p) x.of[p] = load_pack<V>(at(p) + i);
    return x;
  }
  REVODE_HD void store(int i, const in_parts<S, Parts>& x) {
    for (int p = 0; p < Parts; ++p) at(p)[i] = x.of[p];
  }
  /// Rows first … first + Rows − 1, as packs: reading packs would wait for single numbers.
  template <int Rows>
  REVODE_HD void store_block(int first, const in_parts<S, Parts> (&x)[Rows]) {
    constexpr int width = pack_width<pack, S>;
    for (int p = 0; p < Parts; ++p) {
      for_constants<0, Rows / width>([&](auto q) __attribute__((always_inline)) {
        const pack block = make_pack<pack, S>([&](int l) __attribute__((always_inline)) {
          return x[q * width + l].of[p];
        });
        store_pack<pack>(block, at(p) + first + q * width);
      });
    }
  }

 private:
  using memory = std::conditional_t<N >= 0, S[layout::fixed],
                                    std::conditional_t<borrows, vec<S, 0>, std::vector<S>>>;
  alignas(16) memory own_[Parts];
  [[no_unique_address]] std::conditional_t<(N >= 0), vec<int, 0>, S* [Parts]> at_;
};

}  // namespace revode
