// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <type_traits>

#include <revode/ad/further_functions.hpp>
#include <revode/config.hpp>

namespace revode {

template <class T>
class recording;

/// A number whose formula is being recorded. Constants have no home and leave no trace.
template <class T, class Home = recording<T>>
struct variable {
  T value{};
  int id = -1;  // its node in the recording
  Home* home = nullptr;

  variable() = default;
  variable(const T& v, int node, Home* where) : value(v), id(node), home(where) {}

  template <class C>
  requires(std::is_arithmetic_v<C> || std::same_as<C, T> || constant_for<C, T>) variable(const C& c)
      : value(lift<T>(c)) {}

  /// A float from a double, or the other way round: a node of both recordings.
  template <std::floating_point U>
  requires(std::floating_point<T> && !std::same_as<U, T>) variable(const variable<U>& x)
      : variable(x.home == nullptr ? variable(static_cast<T>(x.value))
                                   : x.home->template cast<T>(x)) {}
};

template <class T, class Home>
inline constexpr bool is_differentiable_v<variable<T, Home>> = true;

/// The slope of a sum or difference, 1 or −1, known by its type: recordings that write out their
/// arithmetic have no product to make for it.
template <int Sign>
struct unit_slope {
  template <class T>
  [[gnu::always_inline]] operator T() const {
    return T(Sign);
  }
};

template <class T, class H, class Slope>
[[gnu::always_inline]] inline variable<T, H> chained(const variable<T, H>& x, const T& value,
                                                     const Slope& slope) {
  if (x.home == nullptr) return variable<T, H>(value);
  return {value, x.home->push(x.id, -1, slope, T(0)), x.home};
}

template <class T, class H, class SlopeA, class SlopeB>
[[gnu::always_inline]] inline variable<T, H> chained(const variable<T, H>& a,
                                                     const variable<T, H>& b, const T& value,
                                                     const SlopeA& slope_a, const SlopeB& slope_b) {
  H* const home = a.home != nullptr ? a.home : b.home;
  if (home == nullptr) return variable<T, H>(value);
  // variables of two recordings do not meet
  REVODE_EXPECT(a.home == nullptr || b.home == nullptr || a.home == b.home);
  return {value, home->push(a.id, b.id, slope_a, slope_b),
          home};  // a constant's id is −1, no parent
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator+(const variable<T, H>& a) {
  return a;
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator-(const variable<T, H>& a) {
  return chained(a, T(-a.value), unit_slope<-1>());
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator+(const variable<T, H>& a,
                                                       const variable<T, H>& b) {
  return chained(a, b, T(a.value + b.value), unit_slope<1>(), unit_slope<1>());
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator-(const variable<T, H>& a,
                                                       const variable<T, H>& b) {
  return chained(a, b, T(a.value - b.value), unit_slope<1>(), unit_slope<-1>());
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator*(const variable<T, H>& a,
                                                       const variable<T, H>& b) {
  return chained(a, b, T(a.value * b.value), b.value, a.value);
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator/(const variable<T, H>& a,
                                                       const variable<T, H>& b) {
  const T ratio = a.value / b.value;
  const T inverse = T(1) / b.value;
  return chained(a, b, ratio, inverse, T(-ratio * inverse));
}

// x + constant moves with x: it shares x's node.
template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator+(const variable<T, H>& a, const C& c) {
  return {T(a.value + lift<T>(c)), a.id, a.home};
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator+(const C& c, const variable<T, H>& a) {
  return {T(lift<T>(c) + a.value), a.id, a.home};
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator-(const variable<T, H>& a, const C& c) {
  return {T(a.value - lift<T>(c)), a.id, a.home};
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator-(const C& c, const variable<T, H>& a) {
  return chained(a, T(lift<T>(c) - a.value), unit_slope<-1>());
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator*(const variable<T, H>& a, const C& c) {
  const T factor = lift<T>(c);
  return chained(a, T(a.value * factor), factor);
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator*(const C& c, const variable<T, H>& a) {
  const T factor = lift<T>(c);
  return chained(a, T(factor * a.value), factor);
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator/(const variable<T, H>& a, const C& c) {
  const T divisor = lift<T>(c);
  return chained(a, T(a.value / divisor), T(T(1) / divisor));
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator/(const C& c, const variable<T, H>& a) {
  const T ratio = lift<T>(c) / a.value;
  return chained(a, ratio, T(-ratio / a.value));
}

/// a*b + c with the value rounded as muladd of the values is.
template <class A, class B, class C, class T>
[[gnu::always_inline]] inline auto muladd_recorded(const A& a, const B& b, const C& c,
                                                   const T& value) {
  auto r = a * b + c;
  r.value = value;
  return r;
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> muladd(const variable<T, H>& a,
                                                    const variable<T, H>& b,
                                                    const variable<T, H>& c) {
  return muladd_recorded(a, b, c, T(muladd(a.value, b.value, c.value)));
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> muladd(const C& a, const variable<T, H>& b,
                                                    const variable<T, H>& c) {
  return muladd_recorded(a, b, c, T(muladd(lift<T>(a), b.value, c.value)));
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> muladd(const variable<T, H>& a, const C& b,
                                                    const variable<T, H>& c) {
  return muladd_recorded(a, b, c, T(muladd(a.value, lift<T>(b), c.value)));
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> muladd(const variable<T, H>& a,
                                                    const variable<T, H>& b, const C& c) {
  return muladd_recorded(a, b, c, T(muladd(a.value, b.value, lift<T>(c))));
}

/// x as a U: cast<float>(t) in a body whose t is a double, or a variable<double>.
template <std::floating_point U, std::floating_point T>
U cast(const T& x) {
  return static_cast<U>(x);
}
template <std::floating_point U, std::floating_point T>
variable<U> cast(const variable<T>& x) {
  return variable<U>(x);
}

// A float beside a double gives a double, as for plain numbers.
template <class A, class B>
concept float_and_double = std::floating_point<A> && std::floating_point<B> && !std::same_as<A, B>;

template <class A, class B>
requires float_and_double<A, B>
auto operator+(const variable<A>& a, const variable<B>& b) {
  using C = variable<std::common_type_t<A, B>>;
  return C(a) + C(b);
}

template <class A, class B>
requires float_and_double<A, B>
auto operator-(const variable<A>& a, const variable<B>& b) {
  using C = variable<std::common_type_t<A, B>>;
  return C(a) - C(b);
}

template <class A, class B>
requires float_and_double<A, B>
auto operator*(const variable<A>& a, const variable<B>& b) {
  using C = variable<std::common_type_t<A, B>>;
  return C(a) * C(b);
}

template <class A, class B>
requires float_and_double<A, B>
auto operator/(const variable<A>& a, const variable<B>& b) {
  using C = variable<std::common_type_t<A, B>>;
  return C(a) / C(b);
}

template <class A, class B>
requires float_and_double<A, B> variable<A>
&operator+=(variable<A>& a, const variable<B>& b) { return a = a + b; }

template <class A, class B>
requires float_and_double<A, B> variable<A>
&operator-=(variable<A>& a, const variable<B>& b) { return a = a - b; }

template <class A, class B>
requires float_and_double<A, B> variable<A>
&operator*=(variable<A>& a, const variable<B>& b) { return a = a * b; }

template <class A, class B>
requires float_and_double<A, B> variable<A>
&operator/=(variable<A>& a, const variable<B>& b) { return a = a / b; }

template <class A, class B>
requires float_and_double<A, B>
auto operator<=>(const variable<A>& a, const variable<B>& b) { return a.value <=> b.value; }

}  // namespace revode
