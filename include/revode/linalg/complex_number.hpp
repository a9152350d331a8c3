// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>

namespace revode {

// What eliminations do with numbers and with complex numbers, whose products are written out, since
// std::complex would test each of them for NaN.

template <class T>
struct complex_number {
  T re{}, im{};
};

/// c − a b
template <class A, class B>
REVODE_HD B subtract_product(const A& a, const B& b, const B& c) {
  return muladd(-a, b, c);
}
template <class T, class S>
REVODE_HD complex_number<S> subtract_product(const complex_number<T>& a, const complex_number<S>& b,
                                             const complex_number<S>& c) {
  return {muladd(-a.re, b.re, muladd(a.im, b.im, c.re)),
          muladd(-a.re, b.im, muladd(-a.im, b.re, c.im))};
}

template <class A, class B>
REVODE_HD B product_of(const A& a, const B& b) {
  return a * b;
}
template <class T, class S>
REVODE_HD complex_number<S> product_of(const complex_number<T>& a, const complex_number<S>& b) {
  return {muladd(a.re, b.re, -(a.im * b.im)), muladd(a.re, b.im, a.im * b.re)};
}

template <class T>
REVODE_HD const T& conjugate(const T& a) {
  return a;
}
template <class T>
REVODE_HD complex_number<T> conjugate(const complex_number<T>& a) {
  return {a.re, -a.im};
}

template <class T>
REVODE_HD T size_of(const T& a) {
  using std::abs;
  return abs(a);
}
template <class T>
REVODE_HD T size_of(const complex_number<T>& a) {
  using std::abs;
  return abs(a.re) + abs(a.im);
}

template <class T>
REVODE_HD T reciprocal_of(const T& a) {
  return T(1) / a;
}
/// Scaled, so that nothing overflows on the way.
template <class T>
REVODE_HD complex_number<T> reciprocal_of(const complex_number<T>& a) {
  const T scale = size_of(a), x = a.re / scale, y = a.im / scale;
  const T square = scale * (x * x + y * y);
  return {x / square, -y / square};
}

/// a − b for a real b.
template <class T>
REVODE_HD T subtract_real(const T& a, const T& b) {
  return a - b;
}
template <class T>
REVODE_HD complex_number<T> subtract_real(const complex_number<T>& a, const T& b) {
  return {a.re - b, a.im};
}

/// A pivot can be divided by.
template <class S>
REVODE_HD bool is_pivot(const S& a) {
  const auto size = size_of(a);
  return size > 0 && size - size == 0;
}

}  // namespace revode
