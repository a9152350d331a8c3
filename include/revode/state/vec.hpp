// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/config.hpp>

namespace revode {

/// N scalars side by side, for host and device: the state of a small problem, or its parameters.
/// An aggregate: `vec<double, 3> y{1, 0, 0}`; trivially copyable when T is.
template <class T, int N>
struct vec {
  T elements[N];

  REVODE_HD constexpr T& operator[](int i) { return elements[i]; }
  REVODE_HD constexpr const T& operator[](int i) const { return elements[i]; }
  REVODE_HD constexpr T* data() { return elements; }
  REVODE_HD constexpr const T* data() const { return elements; }
  REVODE_HD constexpr T* begin() { return elements; }
  REVODE_HD constexpr const T* begin() const { return elements; }
  REVODE_HD constexpr T* end() { return elements + N; }
  REVODE_HD constexpr const T* end() const { return elements + N; }
  REVODE_HD static constexpr int size() { return N; }
  friend constexpr bool operator==(const vec&, const vec&) = default;
};

/// Nothing at all: the parameters of a field that has none.
template <class T>
struct vec<T, 0> {
  REVODE_HD constexpr T& operator[](int) { return *data(); }
  REVODE_HD constexpr const T& operator[](int) const { return *data(); }
  REVODE_HD constexpr T* data() { return nullptr; }
  REVODE_HD constexpr const T* data() const { return nullptr; }
  REVODE_HD constexpr T* begin() { return nullptr; }
  REVODE_HD constexpr const T* begin() const { return nullptr; }
  REVODE_HD constexpr T* end() { return nullptr; }
  REVODE_HD constexpr const T* end() const { return nullptr; }
  REVODE_HD static constexpr int size() { return 0; }
  friend constexpr bool operator==(const vec&, const vec&) = default;
};

template <class T, class... U>
vec(T, U...) -> vec<T, 1 + static_cast<int>(sizeof...(U))>;

}  // namespace revode
