// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <revode/ad/functions.hpp>
#include <revode/linalg/dense/right_side.hpp>
#include <revode/linalg/growth.hpp>
#include <revode/linalg/matrix_shape.hpp>

namespace revode {

/// P A = L U for a real matrix (one part) or a complex one (real and imaginary parts, each on its
/// own), column by column, so that packs of rows share every operation; zeros fill the last one. N is
/// the size, −1 when it is known at run time. One thread at a time: a solve of unknown size works in
/// memory of the factors.
/// cost    n³/3 multiply-adds, less where columns of L or rows of U have zeros; complex ones four
///         times as many
/// source  Golub & Van Loan, Matrix Computations, 4th ed., sections 3.2 and 3.4
template <class T, int N, int Parts>
class column_factors {
  using layout = column_layout<T, N>;
  using pack = typename layout::pack;
  static constexpr int rows = layout::rows;

 public:
  using number = in_parts<T, Parts>;
  template <class S>
  using right_side = revode::right_side<S, T, N, Parts>;

  REVODE_HD int size() const {
    if constexpr (N >= 0)
      return N;
    else
      return n_;
  }
  void resize(int n) {
    if constexpr (N < 0) {
      if (n == n_) return;
      const auto padded_n = static_cast<std::size_t>(layout::padded(n));
      for (auto& part : of_) part.assign(padded_n * padded_n, T(0));
      for (auto& part : work_) part.resize(padded_n);
      order_.resize(static_cast<std::size_t>(n));
      n_ = n;  // behind what may fail
    }
  }

  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come([[maybe_unused]] const matrix_shape& s,
                      [[maybe_unused]] Visit&& visit) const {
    if constexpr (N < 0) {
      if (s.n == n_) return;
      const index padded_n = layout::padded(static_cast<int>(s.n)), each = sizeof(T);
      for (int p = 0; p < Parts; ++p) {
        visit(padded_n * padded_n * each);
        visit(padded_n * each);
      }
      visit(s.n * static_cast<index>(sizeof(int)));
    }
  }

  /// The first part of a factorisation: takes the real numbers element(i, j). False when one is not
  /// finite.
  template <class Element>
  REVODE_HD bool take_matrix(const Element& element) {
    constexpr int width = pack_width<pack, T>;
    pack rest{};
    T last_rest(0);
    for (int j = 0; j < size(); ++j) {
      T* to = column(0, j);
      int i = 0;
      for (; i + width <= size(); i += width) {
        const pack x = make_pack<pack, T>([&](int l) __attribute__((always_inline)) {
          return element(i + l, j);
        });
        store_pack<pack>(x, to + i);
        rest = rest + (x - x);
      }
      for (; i < size(); ++i) {
        const T x = element(i, j);
        to[i] = x;
        last_rest = last_rest + (x - x);
      }
      for (; i < padded(); ++i)
        to[i] = T(0);  // a matrix that was not finite may have left something
    }
    for (int l = 0; l < width; ++l) last_rest = last_rest + lane_of<T>(rest, l);
    return last_rest == T(0);
  }
  REVODE_HD void take_matrix_of(const column_factors& other) { of_[0] = other.of_[0]; }

  /// The second part: `shift` onto the diagonal.
  REVODE_HD void start(const number& shift) {
    odd_ = false;
    for (int p = 1; p < Parts; ++p)
      for (T& e : of_[p]) e = T(0);
    for (int k = 0; k < size(); ++k) {
      column(0, k)[k] = shift.of[0] + column(0, k)[k];
      for (int p = 1; p < Parts; ++p) column(p, k)[k] = shift.of[p];
      order_.data()[k] = k;
    }
  }
  /// x onto element (i, j), behind the second part.
  REVODE_HD void add(const number& x, int i, int j) {
    for (int p = 0; p < Parts; ++p) column(p, j)[i] = x.of[p] + column(p, j)[i];
  }
  /// Step k of the elimination. False when the pivot, largest by the sum of its parts' sizes, is 0
  /// or not finite.
  REVODE_HD bool eliminate(int k) {
    const int end = exchange_rows(k);
    const bool regular = invert_pivot(k);
    if (end == k + 1) return regular;
    make_multipliers(k, end);
    for (int j = k + 1; j < size(); ++j) subtract_multiple(k, j, end);
    return regular;
  }

  /// The last part: rows of U divided by their pivots, so that a solve waits for no product with
  /// them.
  REVODE_HD void finish() {
    constexpr int width = pack_width<pack, T>;
    right_side<T> inverse(size(), work_);
    for (int j = 0; j < size(); ++j) {
      inverse.store(j, load<T>(j, j));
      const place to = at(j);
      int i = 0;
      for (; i + width <= j; i += width)
        to.template store<pack>(i, to.template load<pack>(i).times(inverse.template load<pack>(i)));
      for (; i < j; ++i)
        to.template store<T>(i, to.template load<T>(i).times(inverse.template load<T>(i)));
    }
  }

  /// See growth.hpp.
  REVODE_HD bool sign_has_turned(bool backwards) const {
    static_assert(Parts == 1);
    determinant_sign<decltype(value_of(T{}))> sign(size(), backwards);
    sign.exchange(odd_);
    for (int k = 0; k < size(); ++k) sign.pivot(value_of(load<T>(k, k).of[0]));
    return sign.has_turned();
  }

  /// An empty right side for these factors.
  template <class S>
  REVODE_HD right_side<S> room() const {
    return right_side<S>(size(), work_);
  }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto& part : self.of_) visit(part);
    visit(self.order_);
  }

 protected:
  REVODE_HD int padded() const { return layout::padded(size()); }
  REVODE_HD T* column(int part, int j) {
    return of_[part].data() + static_cast<std::ptrdiff_t>(j) * padded();
  }
  REVODE_HD const T* column(int part, int j) const {
    return of_[part].data() + static_cast<std::ptrdiff_t>(j) * padded();
  }
  template <class V>
  REVODE_HD in_parts<V, Parts> load(int i, int j) const {
    in_parts<V, Parts> x;
    for (int p = 0; p < Parts; ++p) x.of[p] = load_pack<V>(column(p, j) + i);
    return x;
  }
  template <class V>
  REVODE_HD void store(const in_parts<V, Parts>& x, int i, int j) {
    for (int p = 0; p < Parts; ++p) store_pack<V>(x.of[p], column(p, j) + i);
  }

  REVODE_HD const int* order() const { return order_.data(); }

 private:
  /// Brings the pivot to row k. The end of the rows where column k is not zero.
  REVODE_HD int exchange_rows(int k) {
    int best = k;
    T largest(0);
    for (int i = k; i < size(); ++i) {
      const T here = load<T>(i, k).magnitude();
      if (here > largest) {
        best = i;
        largest = here;
      }
    }
    if (best != k) {
      odd_ = !odd_;
      exchange_if(true, order_.data()[k], order_.data()[best]);
      for (int j = 0; j < size(); ++j)
        for (int p = 0; p < Parts; ++p) exchange_if(true, column(p, j)[k], column(p, j)[best]);
    }
    int end = size();
    if constexpr (std::is_floating_point_v<T>)  // a dual that is 0 may have a derivative
      while (end > k + 1 && load<T>(end - 1, k).magnitude() == T(0)) --end;
    return end;
  }

  /// The reciprocal of the pivot in its place, scaled so that nothing overflows.
  REVODE_HD bool invert_pivot(int k) {
    const number x = load<T>(k, k);
    if constexpr (Parts == 1) {
      store<T>({{T(1) / x.of[0]}}, k, k);
      return x.magnitude() > T(0) && x.of[0] - x.of[0] == T(0);
    } else {
      const T size = x.magnitude();
      T a = x.of[0], b = x.of[1], square = a * a + b * b;
      if (!(square > T(1e-36) && square < T(1e36))) {
        a = a / size;
        b = b / size;
        square = size * (a * a + b * b);
      }
      store<T>({{a / square, -b / square}}, k, k);
      return size > T(0) && size - size == T(0);
    }
  }

  /// A column of every part.
  struct place {
    T* of[Parts];
    template <class V>
    REVODE_HD in_parts<V, Parts> load(std::ptrdiff_t i) const {
      in_parts<V, Parts> x;
      for (int p = 0; p < Parts; ++p) x.of[p] = load_pack<V>(of[p] + i);
      return x;
    }
    template <class V>
    REVODE_HD void store(std::ptrdiff_t i, const in_parts<V, Parts>& x) const {
      for (int p = 0; p < Parts; ++p) store_pack<V>(x.of[p], of[p] + i);
    }
  };
  REVODE_HD place at(int j) {
    place found;
    for (int p = 0; p < Parts; ++p) found.of[p] = column(p, j);
    return found;
  }
  /// body(i, V()) for the rows from `first` to `end` at least: single ones, then packs.
  template <class Body>
  REVODE_HD void for_rows(std::ptrdiff_t first, std::ptrdiff_t end, Body&& body) const {
    constexpr int width = pack_width<pack, T>;
    std::ptrdiff_t i = first;
    if constexpr (width == 2) {
      if (i % 2 != 0) body(i++, T());
    } else {
      for (; i % width != 0; ++i) body(i, T());
    }
    for (; i < end; i += width) body(i, pack());
  }
  /// Column k of L.
  REVODE_HD void make_multipliers(int k, int end) {
    const place l = at(k);
    const number pivot = l.template load<T>(k);
    for_rows(
        k + 1, end, [&](std::ptrdiff_t i, auto kind) __attribute__((always_inline)) {
          using V = decltype(kind);
          l.template store<V>(i, l.template load<V>(i).times(pivot));
        });
  }
  /// Column j loses what column k of L times its row k is.
  REVODE_HD void subtract_multiple(int k, int j, int end) {
    const place l = at(k), to = at(j);
    const number factor = to.template load<T>(k);
    if constexpr (std::is_floating_point_v<T>)  // a dual that is 0 may have a derivative
      if (factor.magnitude() == T(0)) return;
    for_rows(
        k + 1, end, [&](std::ptrdiff_t i, auto kind) __attribute__((always_inline)) {
          using V = decltype(kind);
          to.template store<V>(i,
                               to.template load<V>(i).minus(l.template load<V>(i).times(factor)));
        });
  }

  [[no_unique_address]] std::conditional_t<(N >= 0), vec<int, 0>, int> n_{};
  alignas(16)
      typename layout::matrix of_[Parts]{};  // on the diagonal: the reciprocals of the pivots
  typename layout::numbers order_{};         // of the rows, after all exchanges
  bool odd_ = false;                         // is the number of exchanges
  mutable typename layout::work work_[Parts]{};
};

}  // namespace revode
