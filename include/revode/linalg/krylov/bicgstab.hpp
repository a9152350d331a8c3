// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <revode/linalg/gmres.hpp>

namespace revode {

/// BiCGSTAB: A u = b from u = 0, until |b − A u| is down to the goal by its recurrence, that stagnates
/// or breaks down, or `most` products are done; u is then the best that there was, NaN where that
/// has neither halved the residual nor reached the goal. The same b gives the same bits. Copies get no memory: it is made at the
/// first solve of a size.
/// cost    two products and 12 n multiply-adds an iteration, however many went before
/// memory  7 n numbers
/// source  van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631–644
template <class T>
class bicgstab_solver {
 public:
  bicgstab_solver() = default;
  bicgstab_solver(const bicgstab_solver&) {}
  bicgstab_solver& operator=(const bicgstab_solver&) { return *this; }

  void resize(int n, int) {
    if (n == n_) return;
    for (auto* x : {&rest_, &shadow_, &direction_, &of_direction_, &half_, &of_half_, &best_})
      x->assign(static_cast<std::size_t>(n), T(0));
    n_ = n;  // behind what may fail
  }

  /// visit(bytes) for every block that resize(n, …) will allocate.
  template <class Visit>
  void blocks_to_come(index n, index, Visit&& visit) const {
    for (int of = 0; of < 7 && n != n_; ++of) visit(n * static_cast<index>(sizeof(T)));
  }

  /// The solve below, of all of A.
  template <class Apply>
  int solve(const T* b, T* u, const Apply& apply, const solve_goal& until, int most) {
    const auto dot = [n = n_](const T* x, const T* y) { return dot_in_eight(x, y, n); };
    return solve(b, u, apply, dot, until, most);
  }
  /// apply(in, out): out = A in, of n numbers each; dot as for GMRES. How many products were taken.
  template <class Apply, class Dot>
  int solve(const T* b, T* u, const Apply& apply, const Dot& dot_of, const solve_goal& until,
            int most) {
    const auto dot = [&](const std::vector<T>& x, const std::vector<T>& y) {
      return dot_of(x.data(), y.data());
    };
    for (int i = 0; i < n_; ++i) {
      u[i] = T(0);
      rest_[at(i)] = shadow_[at(i)] = direction_[at(i)] = b[i];
    }
    T rho = dot(shadow_, rest_), least = rho;
    const T given = rho;
    const auto part = static_cast<T>(until.left_of(static_cast<double>(std::sqrt(rho))));
    const T goal = part * part;
    best_.assign(u, u + n_);
    const bool rough = until.is_rough(static_cast<double>(std::sqrt(rho)));
    int products = 0, since_best = 0;
    bool still = until.moves && rho > T(0);  // nothing has moved yet
    while ((still || least > goal) && products < most && since_best < 10) {
      apply(direction_.data(), of_direction_.data());
      const T alpha = rho / dot(shadow_, of_direction_);
      for (int i = 0; i < n_; ++i)
        half_[at(i)] = muladd(-alpha, of_direction_[at(i)], rest_[at(i)]);
      if (const T left = dot(half_, half_); rough && left <= goal && left < least) {
        ++products;
        still = false;
        least = left;
        for (int i = 0; i < n_; ++i) best_[at(i)] = muladd(alpha, direction_[at(i)], u[i]);
        break;
      }
      apply(half_.data(), of_half_.data());
      products += 2;
      const T square = dot(of_half_, of_half_);
      const T omega = square > T(0) ? dot(of_half_, half_) / square : T(0);
      for (int i = 0; i < n_; ++i) {
        u[i] = muladd(alpha, direction_[at(i)], muladd(omega, half_[at(i)], u[i]));
        rest_[at(i)] = muladd(-omega, of_half_[at(i)], half_[at(i)]);
      }
      const T left = dot(rest_, rest_);
      if (left - left != T(0)) break;
      ++since_best;
      if (left < least || (still && left <= goal)) {
        still = false;
        if (left < T(0.25) * least) since_best = 0;
        least = left;
        best_.assign(u, u + n_);
      }
      const T before = rho;
      rho = dot(shadow_, rest_);
      const T beta = (rho / before) * (alpha / omega);
      if (beta - beta != T(0)) break;
      for (int i = 0; i < n_; ++i)
        direction_[at(i)] =
            muladd(beta, muladd(-omega, of_direction_[at(i)], direction_[at(i)]), rest_[at(i)]);
    }
    left_ = std::sqrt(least);
    residual_ = given > T(0) ? std::sqrt(least / given) : given;
    const bool useful = !still && (residual_ <= T(0.5) || least <= goal || given == T(0));
    for (int i = 0; i < n_; ++i) u[i] = useful ? best_[at(i)] : static_cast<T>(std::nan(""));
    return products;
  }

  /// |b − A u| / |b| of the last solve, by the recurrence.
  T residual() const { return residual_; }
  /// The same, not divided by |b|.
  T left() const { return left_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int n_ = 0;
  T residual_{0}, left_{0};
  std::vector<T> rest_, shadow_, direction_, of_direction_, half_, of_half_, best_;
};

/// The matrix-free algebra with short recurrences, where products are cheap beside 2 n k multiply-adds
/// of GMRES with k directions:
///   with_algebra<esdirk547, bicgstab<>> m{};
/// memory  15 n numbers an object, 30 n in the complex half
template <class L = unconditioned>
using bicgstab = krylov<L, bicgstab_solver>;

}  // namespace revode
