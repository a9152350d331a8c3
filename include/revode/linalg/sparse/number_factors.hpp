// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <vector>

#include <revode/linalg/sparse/sparse_matrix.hpp>

namespace revode {

/// Factors over an array of numbers S, real ones R or complex ones of two such, as those of an algebra
/// (algebra.hpp), for states whose values are R. Inner has
///   factor_shifted(J, shift), solve<Transposed>(S* x); factor_negative, parts, price, sign_has_turned where it has some
/// Where a state's scalar is R itself, real solves are in place.
template <class Inner, class R, class S>
class number_factors {
  static constexpr bool is_complex = !std::is_same_v<S, R>;

 public:
  template <class Matrix = sparse_matrix<R>, class... Shift>
  bool factor_shifted(const Matrix& j, const Shift&... shift) {
    return inner_.factor_shifted(j, S{number(shift)...});
  }
  /// −(a + ib)
  template <class Matrix>
  bool factor_negative(const Matrix& a, const Matrix& b) {
    return inner_.factor_negative(a, b);
  }
  double price() const requires requires(const Inner& of) { of.price(); }
  { return inner_.price(); }
  bool sign_has_turned(bool backwards) const requires requires(const Inner& of) {
    of.sign_has_turned(false);
  }
  { return inner_.sign_has_turned(backwards); }

  template <class X>
  void solve(X& x) const {
    solve_real<false>(x);
  }
  template <class X>
  void solve_transposed(X& x) const {
    solve_real<true>(x);
  }
  template <class X>
  void solve(X& x, X& y) const {
    solve_complex<false>(x, y, R(1));
  }
  /// A⁻ᴴ b is the conjugate of A⁻ᵀ times the conjugate of b.
  template <class X>
  void solve_adjoint(X& x, X& y) const {
    solve_complex<true>(x, y, R(-1));
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    if constexpr (requires { Inner::parts(self.inner_, visit); }) visit(self.inner_);
  }
  template <class Self, class Visit>
  static void matrices(Self& self, Visit&& visit) {
    visit(self.inner_);
  }
  /// See matrix_shape.
  template <class Visit>
  void blocks_to_come(const matrix_shape& s, Visit&& visit) const {
    if (is_complex && place_.of.empty()) visit(s.n * static_cast<index>(sizeof(S)));
  }

 private:
  /// Copies make their own.
  struct place {
    place() = default;
    place(const place&) {}
    place& operator=(const place&) { return *this; }
    std::vector<S> of{};
  };
  template <class T>
  static R number(const T& x) {
    if constexpr (std::is_same_v<T, R>)
      return x;
    else
      return static_cast<R>(value_of(x));
  }
  static R real_part(const S& z) {
    if constexpr (requires { z.re; })
      return z.re;
    else
      return z.real();
  }
  static R imaginary_part(const S& z) {
    if constexpr (requires { z.im; })
      return z.im;
    else
      return z.imag();
  }

  template <bool Transposed, class X>
  void solve_real(X& x) const {
    if constexpr (std::is_same_v<scalar_t<X>, R>) {
      inner_.template solve<Transposed>(x.data());
    } else {
      const int n = length(x);
      S* at = make_place(n);
      for (int i = 0; i < n; ++i) at[i] = number(x.data()[i]);
      inner_.template solve<Transposed>(at);
      for (int i = 0; i < n; ++i) x.data()[i] = at[i];
    }
  }
  template <bool Transposed, class X>
  void solve_complex(X& x, X& y, const R& sign) const {
    const int n = length(x);
    S* at = make_place(n);
    for (int i = 0; i < n; ++i) at[i] = S{number(x.data()[i]), sign * number(y.data()[i])};
    inner_.template solve<Transposed>(at);
    for (int i = 0; i < n; ++i) {
      x.data()[i] = real_part(at[i]);
      y.data()[i] = sign * imaginary_part(at[i]);
    }
  }
  S* make_place(int n) const {
    place_.of.resize(static_cast<std::size_t>(n));
    return place_.of.data();
  }

  Inner inner_;
  mutable place place_;
};

}  // namespace revode
