// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/functions.hpp>

namespace revode {

// Functions of one argument that fewer fields use, on the terms of functions.hpp.

template <differentiable X>
REVODE_HD X log10(const X& x) {
  using std::log10;
  using T = inner_t<X>;
  return chained(x, log10(x.value), T(lift<T>(0.434294481903251827651) / x.value));
}

template <differentiable X>
REVODE_HD X log2(const X& x) {
  using std::log2;
  using T = inner_t<X>;
  return chained(x, log2(x.value), T(lift<T>(1.44269504088896340736) / x.value));
}

template <differentiable X>
REVODE_HD X exp2(const X& x) {
  using std::exp2;
  using T = inner_t<X>;
  const auto e = exp2(x.value);
  return chained(x, e, T(lift<T>(0.693147180559945309417) * e));
}

template <differentiable X>
REVODE_HD X cbrt(const X& x) {
  using std::cbrt;
  using T = inner_t<X>;
  const auto root = cbrt(x.value);
  return chained(x, root, T(lift<T>(1) / (lift<T>(3) * root * root)));
}

template <differentiable X>
REVODE_HD X asinh(const X& x) {
  using std::asinh;
  using std::sqrt;
  using T = inner_t<X>;
  const auto one = lift<T>(1);
  return chained(x, asinh(x.value), T(one / sqrt(one + x.value * x.value)));
}

template <differentiable X>
REVODE_HD X acosh(const X& x) {
  using std::acosh;
  using std::sqrt;
  using T = inner_t<X>;
  const auto one = lift<T>(1);
  return chained(x, acosh(x.value), T(one / sqrt((x.value - one) * (x.value + one))));
}

template <differentiable X>
REVODE_HD X atanh(const X& x) {
  using std::atanh;
  using T = inner_t<X>;
  const auto one = lift<T>(1);
  return chained(x, atanh(x.value), T(one / ((one - x.value) * (one + x.value))));
}

/// 2/√π exp(−x²), the slope of erf.
template <class T>
REVODE_HD T slope_of_erf(const T& x) {
  using std::exp;
  return lift<T>(1.12837916709551257390) * exp(-(x * x));
}
template <differentiable X>
REVODE_HD X erf(const X& x) {
  using std::erf;
  return chained(x, erf(x.value), slope_of_erf<inner_t<X>>(x.value));
}
template <differentiable X>
REVODE_HD X erfc(const X& x) {
  using std::erfc;
  using T = inner_t<X>;
  return chained(x, erfc(x.value), T(-slope_of_erf<T>(x.value)));
}

}  // namespace revode
