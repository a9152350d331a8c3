// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <revode/ad/direction_pack.hpp>
#include <revode/ad/further_functions.hpp>
#include <revode/config.hpp>

namespace revode {

/// A value and its derivatives in N directions: forward mode, host and device.
///   f(dual{x, v}) = {f(x), f'(x) v}
/// T is float, double or itself a dual (second order: dual<dual<T, 1>, N>). Trivially copyable;
/// a constant has d = 0. D is how the directions are held: direction_pack, or tracked_pack for a
/// Jacobian. The values have the bits of the same formula on T. Cost: one value and N multiply-adds
/// an operation, a register's worth at a time.
template <class T, int N, class D = direction_pack<T, N>>
struct dual {
  static_assert(N > 0, "a dual has at least one direction");

  T value;
  D d;

  static constexpr int directions = N;

  dual() = default;
  REVODE_HD constexpr dual(const T& v, const D& derivatives) : value(v), d(derivatives) {}

  template <class C>
  requires(std::is_arithmetic_v<C> || std::same_as<C, T> || constant_for<C, T>)
      REVODE_HD constexpr dual(const C& c)
      : value(lift<T>(c)),
        d{} {}

  /// The i-th independent variable.
  template <class C>
  REVODE_HD static dual input(const C& c, int i) {
    dual x(c);
    x.d = D::unit(i);
    return x;
  }
};

template <class T, int N, class D>
inline constexpr bool is_differentiable_v<dual<T, N, D>> = true;

template <class T, int N, class D>
REVODE_HD bool stands_still(const dual<T, N, D>& x) {
  bool still = stands_still(x.value);
  for (int i = 0; i < N; ++i) still = still && stands_still(x.d[i]);
  return still;
}

template <class T, int N, class D>
REVODE_HD dual<T, N, D> chained(const dual<T, N, D>& x, const T& value, const T& slope) {
  return {value, along(slope, x.d)};
}

template <class T, int N, class D>
REVODE_HD dual<T, N, D> chained(const dual<T, N, D>& a, const dual<T, N, D>& b, const T& value,
                                const T& slope_a, const T& slope_b) {
  return {value, along(slope_a, a.d) + along(slope_b, b.d)};
}

/// {value, slope a.d}: a product with a constant.
template <class T, int N, class D>
REVODE_HD dual<T, N, D> scaled(const dual<T, N, D>& a, const T& value, const T& slope) {
  return {value, slope * a.d};
}

template <class T, int N, class D>
REVODE_HD dual<T, N, D> operator+(const dual<T, N, D>& a) {
  return a;
}

template <class T, int N, class D>
REVODE_HD dual<T, N, D> operator-(const dual<T, N, D>& a) {
  return {T(-a.value), -a.d};
}

template <class T, int N, class D>
REVODE_HD dual<T, N, D> operator+(const dual<T, N, D>& a, const dual<T, N, D>& b) {
  return {T(a.value + b.value), a.d + b.d};
}

template <class T, int N, class D>
REVODE_HD dual<T, N, D> operator-(const dual<T, N, D>& a, const dual<T, N, D>& b) {
  return {T(a.value - b.value), a.d - b.d};
}

template <class T, int N, class D>
REVODE_HD dual<T, N, D> operator*(const dual<T, N, D>& a, const dual<T, N, D>& b) {
  return {T(a.value * b.value), muladd(a.value, b.d, b.value * a.d)};
}

template <class T, int N, class D>
REVODE_HD dual<T, N, D> operator/(const dual<T, N, D>& a, const dual<T, N, D>& b) {
  const T ratio = a.value / b.value, inverse = lift<T>(1) / b.value;
  return {ratio, inverse * muladd(T(-ratio), b.d, a.d)};
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> operator+(const dual<T, N, D>& a, const C& c) {
  return {T(a.value + lift<T>(c)), a.d};
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> operator+(const C& c, const dual<T, N, D>& a) {
  return {T(lift<T>(c) + a.value), a.d};
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> operator-(const dual<T, N, D>& a, const C& c) {
  return {T(a.value - lift<T>(c)), a.d};
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> operator-(const C& c, const dual<T, N, D>& a) {
  return {T(lift<T>(c) - a.value), -a.d};
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> operator*(const dual<T, N, D>& a, const C& c) {
  const T factor = lift<T>(c);
  return scaled(a, T(a.value * factor), factor);
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> operator*(const C& c, const dual<T, N, D>& a) {
  const T factor = lift<T>(c);
  return scaled(a, T(factor * a.value), factor);
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> operator/(const dual<T, N, D>& a, const C& c) {
  const T divisor = lift<T>(c);
  return scaled(a, T(a.value / divisor), T(lift<T>(1) / divisor));
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> operator/(const C& c, const dual<T, N, D>& a) {
  const T ratio = lift<T>(c) / a.value;
  return scaled(a, ratio, T(-ratio / a.value));
}

/// a*b + c with the value rounded as muladd of the values is: a dual run has its primal's bits.
template <class T, int N, class D>
REVODE_HD dual<T, N, D> muladd(const dual<T, N, D>& a, const dual<T, N, D>& b,
                               const dual<T, N, D>& c) {
  return {T(muladd(a.value, b.value, c.value)), muladd(a.value, b.d, muladd(b.value, a.d, c.d))};
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> muladd(const C& a, const dual<T, N, D>& b, const dual<T, N, D>& c) {
  const T factor = lift<T>(a);
  return {T(muladd(factor, b.value, c.value)), muladd(factor, b.d, c.d)};
}

template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> muladd(const dual<T, N, D>& a, const C& b, const dual<T, N, D>& c) {
  const T factor = lift<T>(b);
  return {T(muladd(a.value, factor, c.value)), muladd(factor, a.d, c.d)};
}

/// The same with a constant addend.
template <class T, int N, class D, constant_for<dual<T, N, D>> C>
REVODE_HD dual<T, N, D> muladd(const dual<T, N, D>& a, const dual<T, N, D>& b, const C& c) {
  return {T(muladd(a.value, b.value, lift<T>(c))), muladd(a.value, b.d, b.value * a.d)};
}

}  // namespace revode
