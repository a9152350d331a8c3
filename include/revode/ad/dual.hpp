// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>

namespace revode {

/// A value and its derivatives in N directions: forward mode, host and device.
///   f(dual{x, v}) = {f(x), f'(x) v}
/// T is float, double or itself a dual (second order: dual<dual<T, 1>, N>). Trivially copyable;
/// a constant has d = 0. The values have the bits of the same formula on T. Cost: one value and N
/// multiply-adds an operation, in plain loops, which is what compilers turn into vectors.
template <class T, int N>
struct dual {
  static_assert(N > 0, "a dual has at least one direction");

  T value;
  T d[N];

  static constexpr int directions = N;

  dual() = default;

  template <class C>
  requires(std::is_arithmetic_v<C> || std::same_as<C, T> || constant_for<C, T>)
      REVODE_HD constexpr dual(const C& c)
      : value(lift<T>(c)),
        d{} {}

  /// The i-th independent variable.
  template <class C>
  REVODE_HD static dual input(const C& c, int i) {
    dual x(c);
    x.d[i] = T(1);
    return x;
  }
};

template <class T, int N>
inline constexpr bool is_differentiable_v<dual<T, N>> = true;

/// True when x is 0 with all its derivatives.
template <class T>
REVODE_HD bool stands_still(const T& x) {
  return x == T(0);
}
template <class T, int N>
REVODE_HD bool stands_still(const dual<T, N>& x) {
  bool still = stands_still(x.value);
  for (int i = 0; i < N; ++i) still = still && stands_still(x.d[i]);
  return still;
}

/// slope * direction; a slope that does not exist does no harm to a direction it is not in.
template <class T>
REVODE_HD T along(const T& slope, const T& direction) {
  const T product = slope * direction;
  return stands_still(direction) ? T(0) : product;
}

template <class T, int N>
REVODE_HD dual<T, N> chain(const dual<T, N>& x, const T& value, const T& slope) {
  dual<T, N> r;
  r.value = value;
  for (int i = 0; i < N; ++i) r.d[i] = along(slope, x.d[i]);
  return r;
}

template <class T, int N>
REVODE_HD dual<T, N> chain(const dual<T, N>& a, const dual<T, N>& b, const T& value,
                           const T& slope_a, const T& slope_b) {
  dual<T, N> r;
  r.value = value;
  for (int i = 0; i < N; ++i) r.d[i] = along(slope_a, a.d[i]) + along(slope_b, b.d[i]);
  return r;
}

/// {value, slope a.d}: a product with a constant.
template <class T, int N>
REVODE_HD dual<T, N> scaled(const dual<T, N>& a, const T& value, const T& slope) {
  dual<T, N> r;
  r.value = value;
  for (int i = 0; i < N; ++i) r.d[i] = slope * a.d[i];
  return r;
}

template <class T, int N>
REVODE_HD dual<T, N> operator+(const dual<T, N>& a) {
  return a;
}

template <class T, int N>
REVODE_HD dual<T, N> operator-(const dual<T, N>& a) {
  dual<T, N> r;
  r.value = -a.value;
  for (int i = 0; i < N; ++i) r.d[i] = -a.d[i];
  return r;
}

template <class T, int N>
REVODE_HD dual<T, N> operator+(const dual<T, N>& a, const dual<T, N>& b) {
  dual<T, N> r;
  r.value = a.value + b.value;
  for (int i = 0; i < N; ++i) r.d[i] = a.d[i] + b.d[i];
  return r;
}

template <class T, int N>
REVODE_HD dual<T, N> operator-(const dual<T, N>& a, const dual<T, N>& b) {
  dual<T, N> r;
  r.value = a.value - b.value;
  for (int i = 0; i < N; ++i) r.d[i] = a.d[i] - b.d[i];
  return r;
}

template <class T, int N>
REVODE_HD dual<T, N> operator*(const dual<T, N>& a, const dual<T, N>& b) {
  dual<T, N> r;
  r.value = a.value * b.value;
  for (int i = 0; i < N; ++i) r.d[i] = muladd(a.value, b.d[i], a.d[i] * b.value);
  return r;
}

template <class T, int N>
REVODE_HD dual<T, N> operator/(const dual<T, N>& a, const dual<T, N>& b) {
  dual<T, N> r;
  r.value = a.value / b.value;
  const T inverse = lift<T>(1) / b.value;
  const T ratio = -r.value;
  for (int i = 0; i < N; ++i) r.d[i] = muladd(ratio, b.d[i], a.d[i]) * inverse;
  return r;
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> operator+(const dual<T, N>& a, const C& c) {
  dual<T, N> r = a;
  r.value = a.value + lift<T>(c);
  return r;
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> operator+(const C& c, const dual<T, N>& a) {
  dual<T, N> r = a;
  r.value = lift<T>(c) + a.value;
  return r;
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> operator-(const dual<T, N>& a, const C& c) {
  dual<T, N> r = a;
  r.value = a.value - lift<T>(c);
  return r;
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> operator-(const C& c, const dual<T, N>& a) {
  dual<T, N> r = -a;
  r.value = lift<T>(c) - a.value;
  return r;
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> operator*(const dual<T, N>& a, const C& c) {
  const T factor = lift<T>(c);
  return scaled(a, T(a.value * factor), factor);
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> operator*(const C& c, const dual<T, N>& a) {
  const T factor = lift<T>(c);
  return scaled(a, T(factor * a.value), factor);
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> operator/(const dual<T, N>& a, const C& c) {
  const T divisor = lift<T>(c);
  return scaled(a, T(a.value / divisor), T(lift<T>(1) / divisor));
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> operator/(const C& c, const dual<T, N>& a) {
  const T ratio = lift<T>(c) / a.value;
  return scaled(a, ratio, T(-ratio / a.value));
}

/// a*b + c with the value rounded as muladd of the values is: a dual run has its primal's bits.
template <class T, int N>
REVODE_HD dual<T, N> muladd(const dual<T, N>& a, const dual<T, N>& b, const dual<T, N>& c) {
  dual<T, N> r;
  r.value = muladd(a.value, b.value, c.value);
  for (int i = 0; i < N; ++i) {
    r.d[i] = muladd(a.value, b.d[i], muladd(a.d[i], b.value, c.d[i]));
  }
  return r;
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> muladd(const C& a, const dual<T, N>& b, const dual<T, N>& c) {
  const T factor = lift<T>(a);
  dual<T, N> r;
  r.value = muladd(factor, b.value, c.value);
  for (int i = 0; i < N; ++i) r.d[i] = muladd(factor, b.d[i], c.d[i]);
  return r;
}

template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> muladd(const dual<T, N>& a, const C& b, const dual<T, N>& c) {
  const T factor = lift<T>(b);
  dual<T, N> r;
  r.value = muladd(a.value, factor, c.value);
  for (int i = 0; i < N; ++i) r.d[i] = muladd(a.d[i], factor, c.d[i]);
  return r;
}

/// The same with a constant addend.
template <class T, int N, constant_for<dual<T, N>> C>
REVODE_HD dual<T, N> muladd(const dual<T, N>& a, const dual<T, N>& b, const C& c) {
  dual<T, N> r = a * b;
  r.value = muladd(a.value, b.value, lift<T>(c));
  return r;
}

}  // namespace revode
