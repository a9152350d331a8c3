// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include <revode/linalg/krylov/krylov_space.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/status.hpp>

namespace revode {

/// Solves with s I − J (K = 1), or with (α + iβ) I − J on real and imaginary parts (K = 2), by the
/// solver of a Krylov space (gmres_solver, bicgstab_solver).
template <class L, template <class> class Solver, class Y, int K>
class krylov_factors {
  using T = scalar_t<Y>;
  using number = decltype(value_of(T{}));
  using near_factors = std::conditional_t<K == 1, typename L::template factors<Y>,
                                          typename L::template complex_factors<Y>>;

 public:
  /// The products and the preconditioner of J there; `move` takes the products alone elsewhere.
  bool factor_shifted(const product_jacobian<L, Y>& j, T shift) requires(K == 1) {
    return take(j, shift, T(0)) && near_.factor_shifted(j.near, shift);
  }
  bool factor_shifted(const product_jacobian<L, Y>& j, T alpha, T beta) requires(K == 2) {
    return take(j, alpha, beta) && near_.factor_shifted(j.near, alpha, beta);
  }
  /// From here on the products are those of s I − J(t, y), s as given: an iteration has the Jacobian of
  /// where it is. The preconditioner stays. Costs a copy of y.
  template <class X>
  void move(double t, const X& y, T shift) requires(K == 1) {
    j_.move(t, y);
    alpha_ = shift;
  }
  template <class X>
  void solve(X& x) const requires(K == 1) {
    solve_in_space<false>({{x.data()}}, tight());
  }
  template <class X>
  void solve_transposed(X& x) const requires(K == 1) {
    solve_in_space<true>({{x.data()}}, tight());
  }
  /// Until the goal is reached, within the limits; |b − A x|, of values.
  template <class X>
  double solve_to_goal(const solve_goal& goal, X& x) const requires(K == 1) {
    solve_in_space<false>({{x.data()}}, goal);
    return space_.left();
  }
  /// Until |b − A x| ≤ tolerance |b|, within the limits.
  template <bool Transposed, class X>
  void solve_to(double tolerance, X& x) const requires(K == 1) {
    const gmres_limits& at = j_.limits;
    solve_in_space<Transposed>({{x.data()}},
                               {std::fmax(at.tolerance, std::fmin(tolerance, at.rough))});
  }
  template <class X>
  void solve(X& x, X& y) const requires(K == 2) {
    solve_in_space<false>({{x.data(), y.data()}}, tight());
  }
  template <class X>
  void solve_adjoint(X& x, X& y) const requires(K == 2) {
    solve_in_space<true>({{x.data(), y.data()}}, tight());
  }
  /// To rounding, for derivatives; what is wrong where refinement does not end. Takes three states' memory.
  template <bool Transposed>
  status solve_to_rounding(Y& x) const requires(K == 1) {
    const Y right = x;
    Y found[1]{x}, rest[1]{x};
    const auto residual = [&] {
      multiply<Transposed>(found, rest);
      for (int i = 0, n = j_.rows(); i < n; ++i)
        rest[0].data()[i] = right.data()[i] - rest[0].data()[i];
    };
    status why = status::success;
    if (!refine_from_zero<Transposed>(*this, found, rest, residual, 30)) {
      const double size = std::abs(static_cast<double>(value_of(alpha_))) + j_.largest();
      why = trouble_of_solution(&right, found, rest, 1, size, j_, residual);
    }
    copy(found[0], x);
    return why;
  }
  /// Why a solve gave no numbers: the preconditioner did not, or the field.
  status trouble_of_numbers() const {
    const int n = j_.rows();
    bool finite = true;
    Y(&right)[K] = space_.last_right();
    for (int k = 0; k < K; ++k) finite = finite && all_finite(right[k]);
    if (!true_of_all(j_.state(), finite)) return status::non_finite_field;
    precondition<false>(right);
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < n; ++i) finite = finite && is_finite(value_of(right[k].data()[i]));
    return true_of_all(j_.state(), finite) ? status::non_finite_field
                                           : status::linear_solve_failure;
  }
  const gmres_limits& limits() const { return j_.limits; }
  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    j_.blocks_to_come(s, visit);
    space_.blocks_to_come(s, visit);
  }
  index bytes_in_passing(const matrix_shape& s) const requires(K == 1) {
    return static_size_v<Y> < 0 ? 3 * s.n * static_cast<index>(sizeof(T)) : 0;
  }
  /// Where the products are taken is told before every iteration, so it is no part.
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.near_);
  }

 private:
  using space = krylov_space<Y, K, Solver>;

  bool take(const product_jacobian<L, Y>& j, T alpha, T beta) {
    j_.take_place_of(j);
    alpha_ = alpha;
    beta_ = beta;
    return alpha - alpha == T(0) && beta - beta == T(0);
  }

  solve_goal tight() const { return {j_.limits.tolerance}; }
  static bool is_finite(number x) { return x - x == 0; }

  /// y = ((α ± iβ) I − J) x, − for the adjoint
  template <bool Adjoint>
  void multiply(const Y (&x)[K], Y (&y)[K]) const {
    for (int k = 0; k < K; ++k) j_.template multiply<Adjoint>(x[k], y[k]);
    const T beta = Adjoint ? T(-beta_) : beta_;
    for (int i = 0, n = j_.rows(); i < n; ++i) {
      const T re = y[0].data()[i];
      if constexpr (K == 1) {
        y[0].data()[i] = muladd(alpha_, x[0].data()[i], T(-re));
      } else {
        const T u = x[0].data()[i], v = x[1].data()[i], im = y[1].data()[i];
        y[0].data()[i] = muladd(alpha_, u, muladd(T(-beta), v, T(-re)));
        y[1].data()[i] = muladd(alpha_, v, muladd(beta, u, T(-im)));
      }
    }
  }
  template <bool Adjoint>
  void precondition(Y (&x)[K]) const {
    if constexpr (K == 2)
      Adjoint ? near_.solve_adjoint(x[0], x[1]) : near_.solve(x[0], x[1]);
    else
      Adjoint ? near_.solve_transposed(x[0]) : near_.solve(x[0]);
  }

  template <bool Adjoint>
  void solve_in_space(const typename space::parts_of& x, const solve_goal& goal) const {
    space_.fit(j_.state(), j_.limits);
    space_.template solve<Adjoint>(
        x, goal, [this](const Y(&of)[K], Y(&out)[K]) { multiply<Adjoint>(of, out); },
        [this](Y(&of)[K]) { precondition<Adjoint>(of); });
  }

  product_jacobian<L, Y> j_;
  near_factors near_{};
  T alpha_{}, beta_{};
  mutable space space_;
};

}  // namespace revode
