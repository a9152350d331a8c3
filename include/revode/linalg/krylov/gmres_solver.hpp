// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <revode/config.hpp>
#include <revode/linalg/krylov/solve_goal.hpp>

namespace revode {

/// Σ xᵢ yᵢ in eight sums, which the processor takes side by side: the same bits everywhere within a
/// build, and other ones than from left to right.
template <class T>
T dot_in_eight(const T* x, const T* y, int n) {
  T sum[8] = {};
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) sum[k] = muladd(x[i + k], y[i + k], sum[k]);
  for (; i < n; ++i) sum[i % 8] = muladd(x[i], y[i], sum[i % 8]);
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/// Restarted GMRES: A u = b from u = 0, until |b − A u| is down to the goal, a cycle does not halve what
/// is left, or `most` products are done. A rough goal is reached when the recurrence says so, others when
/// one product more does. The same b gives the same bits. Copies get no memory: it is
/// made at the first solve of a size.
/// cost    a product and, after k products of a cycle, 2 n k multiply-adds
/// memory  (restart + 2) n numbers
/// source  Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856–869
template <class T>
class gmres_solver {
 public:
  gmres_solver() = default;
  gmres_solver(const gmres_solver&) {}
  gmres_solver& operator=(const gmres_solver&) { return *this; }

  void resize(int n, int restart) {
    if (n == n_ && restart == restart_) return;
    const auto columns = static_cast<std::size_t>(restart);
    basis_.assign((columns + 1) * static_cast<std::size_t>(n), T(0));
    product_.assign(static_cast<std::size_t>(n), T(0));
    triangle_.assign(columns * columns, T(0));
    cosine_.assign(columns, T(0));
    sine_.assign(columns, T(0));
    right_.assign(columns + 1, T(0));
    n_ = n;  // behind what may fail
    restart_ = restart;
  }

  /// visit(bytes) for every block that resize(n, restart) will allocate.
  template <class Visit>
  void blocks_to_come(index n, index restart, Visit&& visit) const {
    const index each = sizeof(T), columns = restart < n ? restart : n;
    if (n == n_ && columns == restart_) return;
    for (const index numbers :
         {(columns + 1) * n, n, columns * columns, columns, columns, columns + 1})
      visit(numbers * each);
  }

  /// The solve below, of all of A.
  template <class Apply>
  int solve(const T* b, T* u, const Apply& apply, const solve_goal& until, int most) {
    const auto dot = [n = n_](const T* x, const T* y) { return dot_in_eight(x, y, n); };
    return solve(b, u, apply, dot, until, most);
  }
  /// apply(in, out): out = A in, of n numbers each; dot(x, y): over all of x and y, of which these may be
  /// a part. How many products were taken. u is NaN where the residual was not halved: a small u would
  /// pass for a small solution.
  template <class Apply, class Dot>
  int solve(const T* b, T* u, const Apply& apply, const Dot& dot, const solve_goal& until,
            int most) {
    const auto norm = [&](const T* x) {
      using std::sqrt;
      return sqrt(dot(x, x));
    };
    for (int i = 0; i < n_; ++i) u[i] = T(0);
    const T size = norm(b), goal = static_cast<T>(until.left_of(static_cast<double>(size)));
    const bool rough = until.is_rough(static_cast<double>(size));
    T before(-1);
    int products = 0;
    for (;;) {
      T* rest = basis(0);
      if (before < 0) {
        for (int i = 0; i < n_; ++i) rest[i] = b[i];
      } else {
        apply(u, product_.data());
        ++products;
        for (int i = 0; i < n_; ++i) rest[i] = b[i] - product_[static_cast<std::size_t>(i)];
      }
      const T left = before < 0 ? size : norm(rest);
      if (left - left != T(0)) {
        residual_ = left_ = left - left;
        return spoil(u, products);
      }
      const bool moved = !until.moves || products > 0 || size == T(0);
      if ((left <= goal && moved) || products >= most || (before >= 0 && left > before / 2)) {
        left_ = left;
        residual_ = size > T(0) ? left / size : T(0);
        const bool useful = residual_ <= T(0.5) || (left <= goal && (left < size || !until.moves));
        return useful ? products : spoil(u, products);
      }
      before = left;
      const int columns = cycle(left, goal, most - products, apply, dot);
      products += columns;
      add_combination(columns, u);
      const T rests = std::abs(at(right_, columns));
      if (rough && columns > 0 && rests <= goal && rests < size) {
        left_ = rests;
        residual_ = rests / size;
        return products;
      }
    }
  }

  /// |b − A u| / |b| of the last solve, by the recurrence where that was enough, NaN where that was not finite.
  T residual() const { return residual_; }
  /// The same, not divided by |b|.
  T left() const { return left_; }

 private:
  T* basis(int k) { return basis_.data() + static_cast<std::ptrdiff_t>(k) * n_; }
  T& triangle(int i, int k) { return triangle_[static_cast<std::size_t>(k * restart_ + i)]; }
  T& at(std::vector<T>& x, int k) { return x[static_cast<std::size_t>(k)]; }

  int spoil(T* u, int products) {
    for (int i = 0; i < n_; ++i) u[i] = T(std::nan(""));
    return products;
  }

  /// Columns of the basis and of the triangle until the residual's norm, which starts as `left`, is
  /// down to the goal.
  template <class Apply, class Dot>
  int cycle(T left, T goal, int most, const Apply& apply, const Dot& dot) {
    using std::abs;
    using std::sqrt;
    for (int i = 0; i < n_; ++i) basis(0)[i] = basis(0)[i] / left;
    at(right_, 0) = left;
    for (int k = 0;; ++k) {
      T* next = basis(k + 1);
      apply(basis(k), next);
      orthogonalise(k, next, dot);
      const T beyond = sqrt(dot(next, next));
      for (int i = 0; i < k; ++i) {
        const T upper = triangle(i, k), lower = triangle(i + 1, k);
        triangle(i, k) = muladd(at(cosine_, i), upper, at(sine_, i) * lower);
        triangle(i + 1, k) = muladd(at(cosine_, i), lower, -(at(sine_, i) * upper));
      }
      T& corner = triangle(k, k);
      const T length = sqrt(muladd(corner, corner, beyond * beyond));
      if (!(length > T(0))) return k;  // A is singular on this space
      at(cosine_, k) = corner / length;
      at(sine_, k) = beyond / length;
      corner = length;
      at(right_, k + 1) = -at(sine_, k) * at(right_, k);
      at(right_, k) = at(cosine_, k) * at(right_, k);
      if (abs(at(right_, k + 1)) <= goal || k + 1 >= restart_ || k + 1 >= most) return k + 1;
      for (int j = 0; j < n_; ++j) next[j] = next[j] / beyond;
    }
  }

  /// next less its parts along basis(0 … k), which go into the triangle, one after the other; where dots are
  /// dear all at once, and then once more.
  /// source  Giraud, Langou, Rozložník & van den Eshof, Numer. Math. 101 (2005) 87–100
  template <class Dot>
  void orthogonalise(int k, T* next, const Dot& dot) {
    if constexpr (requires(T * parts) { dot.many(next, 1, 0, next, parts); }) {
      std::vector<T> parts(static_cast<std::size_t>(k) + 1);
      for (int i = 0; i <= k; ++i) triangle(i, k) = T(0);
      for (int round = 0; round < 2; ++round) {
        dot.many(basis(0), k + 1, n_, next, parts.data());
        for (int i = 0; i <= k; ++i) {
          triangle(i, k) += at(parts, i);
          for (int j = 0; j < n_; ++j) next[j] = muladd(-at(parts, i), basis(i)[j], next[j]);
        }
      }
    } else {
      for (int i = 0; i <= k; ++i) {
        const T part = dot(basis(i), next);
        triangle(i, k) = part;
        for (int j = 0; j < n_; ++j) next[j] = muladd(-part, basis(i)[j], next[j]);
      }
    }
  }

  /// u += Σ_{k<columns} c_k basis(k), triangle c = right
  void add_combination(int columns, T* u) {
    for (int k = columns - 1; k >= 0; --k) {
      T sum = at(right_, k);
      for (int j = k + 1; j < columns; ++j) sum = muladd(-triangle(k, j), at(right_, j), sum);
      at(right_, k) = sum / triangle(k, k);
    }
    for (int k = 0; k < columns; ++k)
      for (int i = 0; i < n_; ++i) u[i] = muladd(at(right_, k), basis(k)[i], u[i]);
  }

  int n_ = 0, restart_ = 0;
  T residual_{0}, left_{0};
  std::vector<T> basis_, product_, triangle_, cosine_, sine_, right_;
};

}  // namespace revode
