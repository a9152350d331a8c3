// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>
#include <utility>

#include <revode/config.hpp>

namespace revode {

/// The elementary functions of a differentiable scalar, each with its derivative, written once for
/// `dual` (forward) and `variable` (reverse). A scalar X is differentiable when it has a member
/// `value` and the two overloads
///   chained(x, value, slope)                     d(value) = slope dx
///   chained(a, b, value, slope_a, slope_b)       d(value) = slope_a da + slope_b db
/// Functions are found by argument-dependent lookup: write `using std::sin; sin(x)` in a field.
/// A derivative that does not exist (sqrt at 0, log at 0, hypot at the origin) comes out as inf or
/// NaN, and only in directions in which the argument moves; abs, min and max take the one-sided
/// derivative of the branch they return.
template <class X>
inline constexpr bool is_differentiable_v = false;

template <class X>
concept differentiable = is_differentiable_v<X>;

template <differentiable X>
using inner_t = std::remove_cvref_t<decltype(std::declval<X&>().value)>;

template <class C, class X>
struct is_constant_for : std::is_arithmetic<C> {};
template <class C, differentiable X>
struct is_constant_for<C, X>
    : std::bool_constant<std::is_arithmetic_v<C> || std::same_as<C, inner_t<X>> ||
                         (differentiable<inner_t<X>> && is_constant_for<C, inner_t<X>>::value)> {};

/// What stands beside an X in a formula without a derivative: numbers, and what X is made of.
template <class C, class X>
concept constant_for = differentiable<X> && is_constant_for<C, X>::value;

/// The number under all layers of derivatives.
template <class X>
REVODE_HD auto value_of(const X& x) {
  if constexpr (differentiable<X>) {
    return value_of(x.value);
  } else {
    return x;
  }
}

/// A constant converted for arithmetic with T: numbers become T's own, so that float stays float.
template <class T, class C>
REVODE_HD constexpr T lift(const C& c) {
  if constexpr (std::is_arithmetic_v<C> && std::is_arithmetic_v<T>) {
    return static_cast<T>(c);
  } else {
    return T(c);
  }
}

/// An X and a constant beside it, in either order, and which is the X.
template <class A, class B>
concept beside_constant = constant_for<B, A> || constant_for<A, B>;
template <class A, class B>
using outer_t = std::conditional_t<constant_for<B, A>, A, B>;

/// x as an X.
template <class X, class C>
REVODE_HD constexpr decltype(auto) lifted(const C& x) {
  if constexpr (std::same_as<X, C>)
    return (x);
  else
    return X(x);
}
/// The value of a, or a itself where it is a constant beside a B.
template <class B, class A>
REVODE_HD constexpr decltype(auto) value_beside(const A& a) {
  if constexpr (constant_for<A, B>)
    return lift<inner_t<B>>(a);
  else
    return (a.value);
}

// Comparisons look at values alone: a branch of a field is taken as its primal would take it.
template <class A, class B>
concept comparable = beside_constant<A, B> ||(differentiable<A>&& std::same_as<A, B>);

template <class A, class B>
requires comparable<A, B> REVODE_HD constexpr bool operator==(const A& a, const B& b) {
  return value_beside<B>(a) == value_beside<A>(b);
}
template <class A, class B>
requires comparable<A, B> REVODE_HD constexpr bool operator<(const A& a, const B& b) {
  return value_beside<B>(a) < value_beside<A>(b);
}
template <class A, class B>
requires comparable<A, B> REVODE_HD constexpr bool operator>(const A& a, const B& b) {
  return value_beside<B>(a) > value_beside<A>(b);
}
template <class A, class B>
requires comparable<A, B> REVODE_HD constexpr bool operator<=(const A& a, const B& b) {
  return value_beside<B>(a) <= value_beside<A>(b);
}
template <class A, class B>
requires comparable<A, B> REVODE_HD constexpr bool operator>=(const A& a, const B& b) {
  return value_beside<B>(a) >= value_beside<A>(b);
}

template <differentiable X, class C>
requires constant_for<C, X> || std::same_as<C, X> REVODE_HD X& operator+=(X& a, const C& b) {
  return a = a + b;
}
template <differentiable X, class C>
requires constant_for<C, X> || std::same_as<C, X> REVODE_HD X& operator-=(X& a, const C& b) {
  return a = a - b;
}
template <differentiable X, class C>
requires constant_for<C, X> || std::same_as<C, X> REVODE_HD X& operator*=(X& a, const C& b) {
  return a = a * b;
}
template <differentiable X, class C>
requires constant_for<C, X> || std::same_as<C, X> REVODE_HD X& operator/=(X& a, const C& b) {
  return a = a / b;
}

// --- one argument ---------------------------------------------------------------------------------

template <differentiable X>
REVODE_HD X sqrt(const X& x) {
  using std::sqrt;
  const auto root = sqrt(x.value);
  return chained(x, root, inner_t<X>(lift<inner_t<X>>(0.5) / root));
}

template <differentiable X>
REVODE_HD X exp(const X& x) {
  using std::exp;
  const auto e = exp(x.value);
  return chained(x, e, e);
}

template <differentiable X>
REVODE_HD X expm1(const X& x) {
  using std::exp;
  using std::expm1;
  return chained(x, expm1(x.value), exp(x.value));
}

template <differentiable X>
REVODE_HD X log(const X& x) {
  using std::log;
  return chained(x, log(x.value), inner_t<X>(lift<inner_t<X>>(1) / x.value));
}

template <differentiable X>
REVODE_HD X log1p(const X& x) {
  using std::log1p;
  using T = inner_t<X>;
  return chained(x, log1p(x.value), T(lift<T>(1) / (lift<T>(1) + x.value)));
}

template <differentiable X>
REVODE_HD X sin(const X& x) {
  using std::cos;
  using std::sin;
  return chained(x, sin(x.value), cos(x.value));
}

template <differentiable X>
REVODE_HD X cos(const X& x) {
  using std::cos;
  using std::sin;
  return chained(x, cos(x.value), inner_t<X>(-sin(x.value)));
}

template <differentiable X>
REVODE_HD X tan(const X& x) {
  using std::tan;
  const auto t = tan(x.value);
  return chained(x, t, inner_t<X>(lift<inner_t<X>>(1) + t * t));
}

template <differentiable X>
REVODE_HD X asin(const X& x) {
  using std::asin;
  using std::sqrt;
  const auto one = lift<inner_t<X>>(1);
  return chained(x, asin(x.value), inner_t<X>(one / sqrt((one - x.value) * (one + x.value))));
}

template <differentiable X>
REVODE_HD X acos(const X& x) {
  using std::acos;
  using std::sqrt;
  const auto one = lift<inner_t<X>>(1);
  return chained(x, acos(x.value), inner_t<X>(-one / sqrt((one - x.value) * (one + x.value))));
}

template <differentiable X>
REVODE_HD X atan(const X& x) {
  using std::atan;
  const auto one = lift<inner_t<X>>(1);
  return chained(x, atan(x.value), inner_t<X>(one / (one + x.value * x.value)));
}

template <differentiable X>
REVODE_HD X sinh(const X& x) {
  using std::cosh;
  using std::sinh;
  return chained(x, sinh(x.value), cosh(x.value));
}

template <differentiable X>
REVODE_HD X cosh(const X& x) {
  using std::cosh;
  using std::sinh;
  return chained(x, cosh(x.value), sinh(x.value));
}

template <differentiable X>
REVODE_HD X tanh(const X& x) {
  using std::tanh;
  const auto t = tanh(x.value);
  const auto one = lift<inner_t<X>>(1);
  return chained(x, t, inner_t<X>((one - t) * (one + t)));
}

template <differentiable X>
REVODE_HD X abs(const X& x) {
  return x.value < lift<inner_t<X>>(0) ? X(-x) : x;
}

template <differentiable X>
REVODE_HD X fabs(const X& x) {
  return abs(x);
}

// --- two arguments --------------------------------------------------------------------------------

/// Does S look for what numbers depend on (dependencies)? A field with branches shows all of them then.
template <class S>
inline constexpr bool sees_both_v = requires(S x) {
  x.home->sees_both;
};

/// a where the condition holds, b elsewhere; the derivative is that of what is returned.
template <class A, class B>
REVODE_HD auto choose(bool condition, const A& a, const B& b) {
  using either = decltype(a + b);
  if constexpr (sees_both_v<either>)
    return chained(either(a), either(b), condition ? either(a).value : either(b).value,
                   inner_t<either>(1), inner_t<either>(1));
  else
    return condition ? either(a) : either(b);
}

/// The smaller of both, and its derivative; a when they are equal. A constant may stand on either
/// side.
template <differentiable X>
REVODE_HD X min(const X& a, const X& b) {
  return choose(b.value < a.value, b, a);
}
template <class A, class B>
requires beside_constant<A, B> REVODE_HD auto min(const A& a, const B& b) {
  return min(lifted<outer_t<A, B>>(a), lifted<outer_t<A, B>>(b));
}

/// The larger of both, and its derivative; a when they are equal.
template <differentiable X>
REVODE_HD X max(const X& a, const X& b) {
  return choose(a.value < b.value, b, a);
}
template <class A, class B>
requires beside_constant<A, B> REVODE_HD auto max(const A& a, const B& b) {
  return max(lifted<outer_t<A, B>>(a), lifted<outer_t<A, B>>(b));
}

/// x^e for a constant e: slope e x^(e-1), and 0 for e = 0, so that x = 0 is safe for e >= 1.
template <differentiable X, constant_for<X> C>
REVODE_HD X pow(const X& x, const C& e) {
  using std::pow;
  using T = inner_t<X>;
  if constexpr (std::is_arithmetic_v<C> && differentiable<T>) {
    const T slope = e == C(0) ? T(0) : T(pow(x.value, e - C(1)) * e);
    return chained(x, T(pow(x.value, e)), slope);
  } else {
    const T a = lift<T>(e), one = lift<T>(1), zero = lift<T>(0);
    const bool flat = a == zero && x.value == zero;
    const T slope = flat ? zero : T(a * pow(x.value, T(a - one)));
    return chained(x, T(pow(x.value, a)), slope);
  }
}

/// c^x for a constant c: slope c^x log c, and 0 for 0^x.
template <differentiable X, constant_for<X> C>
REVODE_HD X pow(const C& c, const X& x) {
  using std::log;
  using std::pow;
  using T = inner_t<X>;
  const T a = lift<T>(c), power = pow(a, x.value);
  return chained(x, power, T(a == lift<T>(0) ? lift<T>(0) : T(power * log(a))));
}

/// a^b. The slope in b does not exist for a < 0: NaN, unless b carries no derivative.
template <differentiable X>
REVODE_HD X pow(const X& a, const X& b) {
  using std::log;
  using std::pow;
  using T = inner_t<X>;
  const T one = lift<T>(1), zero = lift<T>(0), power = pow(a.value, b.value);
  const bool flat = b.value == zero && a.value == zero;
  const T slope_a = flat ? zero : T(b.value * pow(a.value, T(b.value - one)));
  const T slope_b = a.value == zero ? zero : T(power * log(a.value));
  return chained(a, b, power, slope_a, slope_b);
}

template <differentiable X>
REVODE_HD X atan2(const X& y, const X& x) {
  using std::atan2;
  using T = inner_t<X>;
  const T square = y.value * y.value + x.value * x.value;
  return chained(y, x, atan2(y.value, x.value), T(x.value / square), T(-y.value / square));
}
template <class A, class B>
requires beside_constant<A, B> REVODE_HD auto atan2(const A& y, const B& x) {
  return atan2(lifted<outer_t<A, B>>(y), lifted<outer_t<A, B>>(x));
}

template <differentiable X>
REVODE_HD X hypot(const X& a, const X& b) {
  using std::hypot;
  const inner_t<X> h = hypot(a.value, b.value);
  return chained(a, b, h, inner_t<X>(a.value / h), inner_t<X>(b.value / h));
}
template <class A, class B>
requires beside_constant<A, B> REVODE_HD auto hypot(const A& a, const B& b) {
  return hypot(lifted<outer_t<A, B>>(a), lifted<outer_t<A, B>>(b));
}

}  // namespace revode
