// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/linalg/dense_matrix.hpp>

namespace revode {

/// P ((α + iβ) I − A) = L U for a real matrix A: the complex half of a Radau step. N is the size,
/// −1 when it is known at run time. Real and imaginary parts lie apart and products are written out,
/// since std::complex would test each of them for NaN.
/// cost    4 n³/3 multiply-adds to factor, 4 n² to solve
template <class T, int N>
class complex_lu {
 public:
  complex_lu() = default;

  /// False when a pivot is 0 or not finite: the factors are then useless. Pivots are the largest by
  /// |re| + |im|.
  template <class Matrix>
  bool factor_shifted(const Matrix& a, T alpha, T beta) {
    if constexpr (N < 0) resize(a.rows());
    const int n = size();
    for (int i = 0; i < n; ++i) {
      T* re = row(re_, i);
      T* im = row(im_, i);
      for (int j = 0; j < n; ++j) {
        re[j] = -a(i, j);
        im[j] = T(0);
      }
      re[i] = alpha + re[i];
      im[i] = beta;
    }
    bool regular = true;
    for (int k = 0; k < n; ++k) {
      exchange_rows(k);
      regular = invert_pivot(k) && regular;
      for (int i = k + 1; i < n; ++i) eliminate(k, i);
    }
    return regular;
  }

  /// x + iy = A⁻¹ (x + iy)
  template <class X>
  void solve(X& x, X& y) const {
    auto* u = x.data();
    auto* v = y.data();
    const int n = size();
    for (int k = 0; k < n; ++k) exchange(u, v, k, pivots_.data()[k]);
    const int whole = n - n % 2;
    for (int first = 0; first < whole; first += 2) solve_lower<2>(first, u, v);
    if (whole < n) solve_lower<1>(whole, u, v);
    if (whole < n) solve_upper<1>(whole, u, v);
    for (int first = whole - 2; first >= 0; first -= 2) solve_upper<2>(first, u, v);
  }

  /// x + iy = A⁻ᴴ (x + iy), the inverse of the conjugate transpose, from the same factors.
  template <class X>
  void solve_adjoint(X& x, X& y) const {
    auto* u = x.data();
    auto* v = y.data();
    const int n = size();
    for (int i = 0; i < n; ++i) {
      const T re = row(re_, i)[i], im = row(im_, i)[i], from = u[i];
      u[i] = muladd(re, from, im * v[i]);
      v[i] = muladd(re, v[i], -(im * from));
      subtract_conjugated(i, i + 1, n, u, v);
    }
    for (int i = n - 1; i > 0; --i) subtract_conjugated(i, 0, i, u, v);
    for (int k = n - 1; k >= 0; --k) exchange(u, v, k, pivots_.data()[k]);
  }

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.re_);
    visit(self.im_);
    visit(self.pivots_);
  }

 private:
  using elements = std::conditional_t<N >= 0, vec<T, (N > 0 ? N * N : 0)>, std::vector<T>>;
  using numbers = std::conditional_t<N >= 0, vec<int, (N > 0 ? N : 0)>, std::vector<int>>;

  void resize(int n) {
    if constexpr (N < 0) {
      if (n == n_) return;
      n_ = n;
      const auto count = static_cast<std::size_t>(n);
      re_.resize(count * count);
      im_.resize(count * count);
      pivots_.resize(count);
    }
  }
  int size() const {
    if constexpr (N >= 0)
      return N;
    else
      return n_;
  }
  T* row(elements& part, int i) { return part.data() + static_cast<std::ptrdiff_t>(i) * size(); }
  const T* row(const elements& part, int i) const {
    return part.data() + static_cast<std::ptrdiff_t>(i) * size();
  }

  template <class S>
  static void exchange(S* u, S* v, int k, int with) {
    std::swap(u[k], u[with]);
    std::swap(v[k], v[with]);
  }

  void exchange_rows(int k) {
    using std::abs;
    const int n = size();
    int best = k;
    T largest(0);
    for (int i = k; i < n; ++i) {
      const T here = abs(row(re_, i)[k]) + abs(row(im_, i)[k]);
      if (here > largest) {
        best = i;
        largest = here;
      }
    }
    pivots_.data()[k] = best;
    if (best == k) return;
    for (int j = 0; j < n; ++j) {
      std::swap(row(re_, k)[j], row(re_, best)[j]);
      std::swap(row(im_, k)[j], row(im_, best)[j]);
    }
  }

  /// The reciprocal of the pivot in its place, scaled so that nothing overflows.
  bool invert_pivot(int k) {
    using std::abs;
    T& re = row(re_, k)[k];
    T& im = row(im_, k)[k];
    const T scale = abs(re) + abs(im);
    const T a = re / scale, b = im / scale;
    const T square = scale * (a * a + b * b);
    re = a / square;
    im = -b / square;
    return scale > T(0) && scale - scale == T(0);
  }

  void eliminate(int k, int i) {
    const int n = size();
    T* __restrict re = row(re_, i);
    T* __restrict im = row(im_, i);
    const T* __restrict upper_re = row(re_, k);
    const T* __restrict upper_im = row(im_, k);
    if (re[k] == T(0) && im[k] == T(0)) return;
    const T a = muladd(re[k], upper_re[k], -(im[k] * upper_im[k]));
    const T b = muladd(re[k], upper_im[k], im[k] * upper_re[k]);
    re[k] = a;
    im[k] = b;
    for (int j = k + 1; j < n; ++j) {
      re[j] = muladd(-a, upper_re[j], muladd(b, upper_im[j], re[j]));
      im[j] = muladd(-a, upper_im[j], muladd(-b, upper_re[j], im[j]));
    }
  }

  /// Rows first … first + Rows − 1 of the triangles; see elimination.hpp.
  template <int Rows, class S>
  void solve_lower(int first, S* u, S* v) const {
    partial_sums<Rows, S> sum(first, u, v);
    for (int j = 0; j < first; ++j) sum.subtract(*this, 0, j, u[j], v[j]);
    for (int r = 0; r < Rows; ++r) {
      sum.store(r, u, v);
      sum.subtract(*this, r + 1, first + r, sum.x[r], sum.y[r]);
    }
  }
  template <int Rows, class S>
  void solve_upper(int first, S* u, S* v) const {
    partial_sums<Rows, S> sum(first, u, v);
    for (int j = size() - 1; j >= first + Rows; --j) sum.subtract(*this, 0, j, u[j], v[j]);
    for (int r = Rows - 1; r >= 0; --r) {
      const T re = row(re_, first + r)[first + r], im = row(im_, first + r)[first + r];
      const S from = sum.x[r];
      sum.x[r] = muladd(re, from, -(im * sum.y[r]));
      sum.y[r] = muladd(re, sum.y[r], im * from);
      sum.store(r, u, v);
      for (int q = 0; q < r; ++q) sum.subtract_one(*this, q, first + r, sum.x[r], sum.y[r]);
    }
  }

  /// u + iv of some rows, while products leave it.
  template <int Rows, class S>
  struct partial_sums {
    int first;
    S x[Rows], y[Rows];
    partial_sums(int first, const S* u, const S* v) : first(first) {
      for (int r = 0; r < Rows; ++r) {
        x[r] = u[first + r];
        y[r] = v[first + r];
      }
    }
    void subtract_one(const complex_lu& a, int r, int j, const S& u, const S& v) {
      const T re = a.row(a.re_, first + r)[j], im = a.row(a.im_, first + r)[j];
      x[r] = muladd(-re, u, muladd(im, v, x[r]));
      y[r] = muladd(-re, v, muladd(-im, u, y[r]));
    }
    void subtract(const complex_lu& a, int from, int j, const S& u, const S& v) {
      for (int r = from; r < Rows; ++r) subtract_one(a, r, j, u, v);
    }
    void store(int r, S* u, S* v) const {
      u[first + r] = x[r];
      v[first + r] = y[r];
    }
  };

  /// u + iv at first … last − 1 loses (conjugate of row i) times u + iv at i.
  template <class S>
  void subtract_conjugated(int i, int first, int last, S* u, S* v) const {
    const T* re = row(re_, i);
    const T* im = row(im_, i);
    const S x = u[i], y = v[i];
    for (int j = first; j < last; ++j) {
      u[j] = muladd(-re[j], x, muladd(-im[j], y, u[j]));
      v[j] = muladd(-re[j], y, muladd(im[j], x, v[j]));
    }
  }

  [[no_unique_address]] std::conditional_t<(N >= 0), vec<int, 0>, int> n_{};
  elements re_{}, im_{};  // on the diagonal: the reciprocals of the pivots
  numbers pivots_{};
};

template <class Y>
using complex_lu_t = complex_lu<scalar_t<Y>, static_size_v<Y>>;

}  // namespace revode
