// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/ad/functions.hpp>
#include <revode/linalg/krylov/product_jacobian.hpp>
#include <revode/state/whole.hpp>
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
    solve_parts<false>({x.data()}, tight());
  }
  template <class X>
  void solve_transposed(X& x) const requires(K == 1) {
    solve_parts<true>({x.data()}, tight());
  }
  /// Until the goal is reached, within the limits; |b − A x|, of values.
  template <class X>
  double solve_to_goal(const solve_goal& goal, X& x) const requires(K == 1) {
    solve_parts<false>({x.data()}, goal);
    return work_.left;
  }
  /// Until |b − A x| ≤ tolerance |b|, within the limits.
  template <bool Transposed, class X>
  void solve_to(double tolerance, X& x) const requires(K == 1) {
    const gmres_limits& at = j_.limits;
    solve_parts<Transposed>({x.data()}, {std::fmax(at.tolerance, std::fmin(tolerance, at.rough))});
  }
  template <class X>
  void solve(X& x, X& y) const requires(K == 2) {
    solve_parts<false>({x.data(), y.data()}, tight());
  }
  template <class X>
  void solve_adjoint(X& x, X& y) const requires(K == 2) {
    solve_parts<true>({x.data(), y.data()}, tight());
  }
  /// Did the last solve come to its tolerance, or so near that rounding kept it from that?
  status trouble() const {
    const auto eps = static_cast<double>(std::numeric_limits<number>::epsilon());
    const auto left = static_cast<double>(work_.solver.residual());
    if (!(left - left == 0)) return status::non_finite_gradient;
    return left <= std::fmax(j_.limits.tolerance, std::sqrt(eps)) ? status::success
                                                                  : status::linear_solve_failure;
  }
  /// Why a solve gave no numbers: the preconditioner did not, or the field.
  status trouble_of_numbers() const {
    const int n = j_.rows();
    bool finite = true;
    spread(work_.right.data(), work_.in);
    for (int k = 0; k < K; ++k) finite = finite && all_finite(work_.in[k]);
    if (!true_of_all(j_.state(), finite)) return status::non_finite_field;
    precondition<false>(work_.in);
    for (int k = 0; k < K; ++k)
      for (int i = 0; i < n; ++i) finite = finite && is_finite(value_of(work_.in[k].data()[i]));
    return true_of_all(j_.state(), finite) ? status::non_finite_field
                                           : status::linear_solve_failure;
  }
  const gmres_limits& limits() const { return j_.limits; }
  /// Where the products are taken is told before every iteration, so it is no part.
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
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
    double left = 0, left_of_last = 0;
    Solver<number> solver;
  };

  bool take(const product_jacobian<L, Y>& j, T alpha, T beta) {
    j_.take_place_of(j);
    alpha_ = alpha;
    beta_ = beta;
    return alpha - alpha == T(0) && beta - beta == T(0);
  }

  solve_goal tight() const { return {j_.limits.tolerance}; }
  static bool is_finite(number x) { return x - x == 0; }

  void fit(places& w) const {
    const int n = j_.rows();
    if (length(w.in[0]) != n || w.solution.size() != static_cast<std::size_t>(K * n)) {
      for (int k = 0; k < K; ++k) w.in[k] = w.out[k] = w.found[k] = j_.state();
      w.right.resize(static_cast<std::size_t>(K * n));
      w.solution.resize(w.right.size());
    }
    const double most = std::fmax(K * count_of(j_.state()), 1);
    w.solver.resize(K * n, j_.limits.restart < most ? j_.limits.restart : static_cast<int>(most));
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
  /// Σ xᵢ yᵢ over all of a state.
  struct dot_of_whole {
    const krylov_factors& of;
    number operator()(const number* x, const number* y) const {
      return dot_in_eight(x, y, K * of.j_.rows());
    }
  };
  /// The same of a spread one, in blocks; of many vectors x, `apart` numbers from each other, at once.
  struct dot_of_blocks {
    const krylov_factors& of;
    number operator()(const number* x, const number* y) const {
      number sum;
      many(x, 1, 0, y, &sum);
      return sum;
    }
    void many(const number* x, int count, std::ptrdiff_t apart, const number* y,
              number* sums) const {
      const int n = of.j_.rows();
      const auto of_block = [&](int from, int size, double* to) {
        for (int v = 0; v < count; ++v)
          for (int k = 0; k < K; ++k)
            to[v] += dot_in_eight(x + v * apart + k * n + from, y + k * n + from, size);
      };
      const auto all = whole<Y>::sums_of_blocks(of.j_.state(), count, of_block);
      for (int v = 0; v < count; ++v)
        sums[v] = static_cast<number>(all[static_cast<std::size_t>(v)]);
    }
  };
  using dot_type = std::conditional_t<is_spread_v<Y>, dot_of_blocks, dot_of_whole>;
  /// By which power of two right sides are multiplied whose squares are no numbers, and solutions divided; 1 of others,
  /// and of spread ones, which are not seen as a whole.
  static number scale_of(const std::vector<number>& right) {
    number largest(0);
    for (const number& x : right) largest = std::fmax(largest, std::abs(x));
    const int exponent = largest > 0 && largest - largest == 0 ? std::ilogb(largest) : 0;
    constexpr int most = std::numeric_limits<number>::max_exponent - 2;
    const int by = exponent < -most ? most : -exponent;  // of a number that is not normal, too
    return 4 * std::abs(exponent) > most && !is_spread_v<Y> ? std::ldexp(number(1), by) : number(1);
  }
  /// w.in = A⁻¹ w.right, in values
  template <bool Adjoint>
  void solve_values(places& w, solve_goal goal) const {
    const int n = j_.rows();
    const number scale = scale_of(w.right);
    if (scale != 1) {
      for (number& x : w.right) x *= scale;
      goal.absolute *= static_cast<double>(scale);
    }
    w.solver.solve(
        w.right.data(), w.solution.data(),
        [&](const number* in, number* out) {
          spread(in, w.in);
          precondition<Adjoint>(w.in);
          multiply<Adjoint>(w.in, w.out);
          for (int k = 0; k < K; ++k)
            for (int i = 0; i < n; ++i) out[k * n + i] = value_of(w.out[k].data()[i]);
        },
        dot_type{*this}, goal, j_.limits.most);
    w.left_of_last = static_cast<double>(w.solver.left()) / static_cast<double>(scale);
    if (scale != 1)
      for (number& x : w.solution) x /= scale;
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
  /// derivative of A does. Values are solved for once where there is a goal, as they are without duals.
  template <bool Adjoint>
  void solve_parts(const pointers& x, const solve_goal& goal) const {
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
      for (int q = round > 0 && goal.absolute > 0 ? 1 : 0; q < components; ++q) {
        for (int k = 0; k < K; ++k)
          for (int i = 0; i < n; ++i) {
            const auto place = static_cast<std::size_t>(k * n + i);
            w.right[place] = component(components > 1 ? rest[place] : x.at[k][i], q);
          }
        solve_values<Adjoint>(w, q == 0 ? goal : solve_goal{goal.relative});
        if (q == 0) w.left = w.left_of_last;
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

}  // namespace revode
