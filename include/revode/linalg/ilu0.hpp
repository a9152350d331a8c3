// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include <revode/linalg/sparse/incomplete_factors.hpp>

namespace revode {

/// What makes approximate factors over numbers (Inner: factor_shifted(J, shift), solve<Transposed>(x),
/// size(), values()) those of an algebra, for states of any scalar: duals are preconditioned by values.
template <class Inner, class Y, class S>
class value_factors {
  using T = decltype(value_of(scalar_t<Y>{}));
  static constexpr bool is_complex = !std::is_same_v<S, T>;

 public:
  template <class Matrix, class... Shift>
  bool factor_shifted(const Matrix& j, const Shift&... shift) {
    return inner_.factor_shifted(j, S{static_cast<T>(value_of(shift))...});
  }
  template <class X>
  void solve(X& x) const {
    solve_as<false>(x, static_cast<X*>(nullptr));
  }
  template <class X>
  void solve_transposed(X& x) const {
    solve_as<true>(x, static_cast<X*>(nullptr));
  }
  template <class X>
  void solve(X& x, X& y) const {
    solve_as<false>(x, &y);
  }
  template <class X>
  void solve_adjoint(X& x, X& y) const {
    solve_as<true>(x, &y);
  }
  template <class Self, class Visit>
  static void parts(Self&, Visit&&) {
  }  // values that depend on nothing but the Jacobian and the shift

 private:
  template <bool Adjoint, class X>
  void solve_as(X& x, [[maybe_unused]] X* y) const {
    const int n = inner_.size();
    work_.resize(static_cast<std::size_t>(n));
    // A⁻ᴴ b is the conjugate of A⁻ᵀ times the conjugate of b
    for (int i = 0; i < n; ++i) {
      S& to = work_[static_cast<std::size_t>(i)];
      if constexpr (is_complex)
        to = {value_of(x.data()[i]), Adjoint ? -value_of(y->data()[i]) : value_of(y->data()[i])};
      else
        to = value_of(x.data()[i]);
    }
    inner_.template solve<Adjoint>(work_.data());
    for (int i = 0; i < n; ++i) {
      const S& from = work_[static_cast<std::size_t>(i)];
      if constexpr (is_complex) {
        x.data()[i] = from.re;
        y->data()[i] = Adjoint ? -from.im : from.im;
      } else {
        x.data()[i] = from;
      }
    }
  }

  Inner inner_;
  mutable std::vector<S> work_;
};

/// Incomplete factors on a pattern as the preconditioner of Krylov spaces, of complex shifts as well:
///   auto pattern = std::make_shared<sparsity>(sparsity_of(q));
///   with_algebra<esdirk547, gmres<ilu0>> m{{}, {.preconditioner = {pattern}}};
/// Alone it is no algebra: its solves are approximate.
/// cost    a product a colour of the pattern a Jacobian, or the field's own sparse_jacobian;
///         incomplete_factors.hpp
/// errors  std::invalid_argument for a pattern of another size; a pivot of 0: the step is shortened, and
///         status::linear_solve_failure where that does not help
struct ilu0 {
  std::shared_ptr<const sparsity> pattern{};
  bool check = false;  ///< one product more a Jacobian, to find entries that the pattern misses

  template <class Y>
  using number = decltype(value_of(scalar_t<Y>{}));
  template <class Y>
  using jacobian = sparse_matrix<scalar_t<Y>>;
  template <class Y>
  using factors = value_factors<incomplete_factors<number<Y>>, Y, number<Y>>;
  template <class Y>
  using complex_factors =
      value_factors<incomplete_factors<complex_number<number<Y>>>, Y, complex_number<number<Y>>>;

  template <class System, class Y, class T>
  void evaluate(System& sys, double t, const Y& y, sparse_matrix<T>& j) const {
    evaluate_on_pattern(sys, t, y, pattern, check, j);
  }
};

}  // namespace revode
