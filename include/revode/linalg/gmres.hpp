// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/ad/functions.hpp>
#include <revode/linalg/krylov/product_jacobian.hpp>
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
  bool factor_shifted(const product_jacobian<L, Y>& j, T shift) requires(K == 1) {
    return take(j, shift, T(0)) && near_.factor_shifted(j.near, shift);
  }
  bool factor_shifted(const product_jacobian<L, Y>& j, T alpha, T beta) requires(K == 2) {
    return take(j, alpha, beta) && near_.factor_shifted(j.near, alpha, beta);
  }
  template <class X>
  void solve(X& x) const requires(K == 1) {
    solve_parts<false>({x.data()}, j_.limits.tolerance);
  }
  template <class X>
  void solve_transposed(X& x) const requires(K == 1) {
    solve_parts<true>({x.data()}, j_.limits.tolerance);
  }
  /// Until |b − A x| ≤ tolerance |b|, within the limits.
  template <bool Transposed, class X>
  void solve_to(double tolerance, X& x) const requires(K == 1) {
    const gmres_limits& at = j_.limits;
    solve_parts<Transposed>({x.data()}, std::fmax(at.tolerance, std::fmin(tolerance, at.rough)));
  }
  template <class X>
  void solve(X& x, X& y) const requires(K == 2) {
    solve_parts<false>({x.data(), y.data()}, j_.limits.tolerance);
  }
  template <class X>
  void solve_adjoint(X& x, X& y) const requires(K == 2) {
    solve_parts<true>({x.data(), y.data()}, j_.limits.tolerance);
  }
  /// Did the last solve come to its tolerance, or so near that rounding kept it from that?
  status trouble() const {
    const auto eps = static_cast<double>(std::numeric_limits<number>::epsilon());
    const auto left = static_cast<double>(work_.solver.residual());
    if (!(left - left == 0)) return status::non_finite_gradient;
    return left <= std::fmax(j_.limits.tolerance, std::sqrt(eps)) ? status::success
                                                                  : status::linear_solve_failure;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.j_);
    visit(self.near_);
  }

 private:
  struct pointers {
    T* at[K];
  };
  /// Like the solver: copies make their own.
  struct places {
    places() = default;
    places(const places&) {}
    places& operator=(const places&) { return *this; }
    Y in[K], out[K], found[K];
    std::vector<number> right, solution;
    Solver<number> solver;
  };

  bool take(const product_jacobian<L, Y>& j, T alpha, T beta) {
    j_ = j;
    alpha_ = alpha;
    beta_ = beta;
    return alpha - alpha == T(0) && beta - beta == T(0);
  }

  void fit(places& w) const {
    const int n = j_.rows();
    if (length(w.in[0]) != n || w.solution.size() != static_cast<std::size_t>(K * n)) {
      for (int k = 0; k < K; ++k) w.in[k] = w.out[k] = w.found[k] = j_.state();
      w.right.resize(static_cast<std::size_t>(K * n));
      w.solution.resize(w.right.size());
    }
    const int most = K * n > 0 ? K * n : 1;
    w.solver.resize(K * n, j_.limits.restart < most ? j_.limits.restart : most);
  }

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

  void spread(const number* from, Y (&to)[K]) const {
    const int n = j_.rows();
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < n; ++i) to[k].data()[i] = T(from[k * n + i]);
  }
  /// w.in = A⁻¹ w.right, in values
  template <bool Adjoint>
  void solve_values(places& w, double tolerance) const {
    const int n = j_.rows();
    w.solver.solve(
        w.right.data(), w.solution.data(),
        [&](const number* in, number* out) {
          spread(in, w.in);
          precondition<Adjoint>(w.in);
          multiply<Adjoint>(w.in, w.out);
          for (int k = 0; k < K; ++k)
            for (int i = 0; i < n; ++i) out[k * n + i] = value_of(w.out[k].data()[i]);
        },
        static_cast<number>(tolerance), j_.limits.most);
    spread(w.solution.data(), w.in);
    precondition<Adjoint>(w.in);
  }

  /// Component q of a number: its value, then its derivatives.
  template <class S>
  static S& component(S& x, int) requires std::is_floating_point_v<S> {
    return x;
  }
  template <class S, int N>
  static S& component(dual<S, N>& x, int q) {
    static_assert(std::is_floating_point_v<S>,
                  "GMRES with duals of duals: take another algebra for second derivatives?");
    return q == 0 ? x.value : x.d[q - 1];
  }
  static constexpr int components = [] {
    if constexpr (std::is_floating_point_v<T>)
      return 1;
    else
      return 1 + T::directions;
  }();

  /// Duals: by two rounds of solves with the values of A, the second of which brings what the
  /// derivative of A does.
  template <bool Adjoint>
  void solve_parts(const pointers& x, double tolerance) const {
    places& w = work_;
    fit(w);
    const int n = j_.rows();
    for (Y& part : w.found) fill(part, T(0));
    for (int round = 0; round < (components > 1 ? 2 : 1); ++round) {
      std::vector<T> rest;
      if constexpr (components > 1) {
        multiply<Adjoint>(w.found, w.out);
        for (int k = 0; k < K; ++k)
          for (int i = 0; i < n; ++i) rest.push_back(x.at[k][i] - w.out[k].data()[i]);
      }
      for (int q = 0; q < components; ++q) {
        for (int k = 0; k < K; ++k)
          for (int i = 0; i < n; ++i) {
            const auto place = static_cast<std::size_t>(k * n + i);
            w.right[place] = component(components > 1 ? rest[place] : x.at[k][i], q);
          }
        solve_values<Adjoint>(w, tolerance);
        for (int k = 0; k < K; ++k)
          for (int i = 0; i < n; ++i) {
            T& to = w.found[k].data()[i];
            component(to, q) = component(to, q) + value_of(w.in[k].data()[i]);
          }
      }
    }
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < n; ++i) x.at[k][i] = w.found[k].data()[i];
  }

  product_jacobian<L, Y> j_;
  near_factors near_{};
  T alpha_{}, beta_{};
  mutable places work_;
};

/// No preconditioner: for problems whose stiffness lies in a few directions.
struct unconditioned {
  struct matrix {
    const double* data() const { return nullptr; }
    std::size_t size() const { return 0; }
  };
  struct identity {
    template <class... Shift>
    bool factor_shifted(const matrix&, const Shift&...) {
      return true;
    }
    template <class... X>
    void solve(X&...) const {}
    template <class X>
    void solve_transposed(X&) const {}
    template <class X>
    void solve_adjoint(X&, X&) const {}
  };
  template <class Y>
  using jacobian = matrix;
  template <class Y>
  using factors = identity;
  template <class Y>
  using complex_factors = identity;
  template <class System, class Y>
  void evaluate(System&, double, const Y&, matrix&) const {}
};

/// Implicit methods without a Jacobian matrix (see algebra.hpp): a Krylov space of products J v of the
/// field's JVP, for transposed solves of its VJP. The preconditioner, from the right, is any algebra,
/// one of the user's as well: it is given the same system and may take a nearer matrix for J.
/// cost    a JVP (VJP) and a preconditioner's solve a product, two of each in Radau's complex half
/// limits  solves end at tolerance |b|, those of Newton iterations and of refinement, which takes
///         adjoints to rounding, before; one that does not get there within `most` products is a
///         failed Newton iteration
template <class L, template <class> class Solver>
struct krylov {
  L preconditioner{};
  gmres_limits limits{};

  template <class Y>
  using jacobian = product_jacobian<L, Y>;
  template <class Y>
  using factors = krylov_factors<L, Solver, Y, 1>;
  template <class Y>
  using complex_factors = krylov_factors<L, Solver, Y, 2>;

  template <class System, class Y>
  void evaluate(System& sys, double t, const Y& y, product_jacobian<L, Y>& j) const {
    if (limits.restart < 1 || limits.most < 1)
      throw std::invalid_argument("GMRES that restarts after " + std::to_string(limits.restart) +
                                  " and ends after " + std::to_string(limits.most) +
                                  " products (it takes one at least) give more?");
    ++sys.counts.jacobian_evaluations;
    j.limits = limits;
    j.take(sys, t, y);
    preconditioner.evaluate(sys, t, y, j.near);
  }
};

///   with_algebra<kencarp4, gmres<banded>> m{{}, {.preconditioner = {1, 1}}};
/// memory  (restart + 8) n numbers an object, 2 (restart + 8) n in the complex half
template <class L = unconditioned>
using gmres = krylov<L, gmres_solver>;

}  // namespace revode
