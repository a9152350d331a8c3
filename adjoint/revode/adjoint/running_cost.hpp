// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/problem.hpp>

namespace revode {

/// The state with one more element at its end.
template <class Y>
struct lengthened {
  using type = Y;  // dynamic: the same type, one longer
};
template <class T, int N>
struct lengthened<vec<T, N>> {
  using type = vec<T, N + 1>;
};
template <class Y>
using lengthened_t = typename lengthened<Y>::type;

/// The first n elements of a longer dynamic state, seen as a state.
template <class T>
struct prefix {
  T* elements;
  int n;
  T& operator[](int i) const { return elements[i]; }
  T* data() const { return elements; }
  int size() const { return n; }
};

/// The field of (y, q): y' = f(t, y, p), q' = running(t, y, p).
template <class F, class Running>
struct field_with_running_cost {
  const F& f;
  const Running& running;

  template <class T, class P, class S, int N>
  void operator()(const T& t, const vec<S, N>& z, const P& p, vec<S, N>& dz) const {
    vec<S, N - 1> y, dy;
    for (int i = 0; i + 1 < N; ++i) y[i] = z[i];
    f(t, y, p, dy);
    for (int i = 0; i + 1 < N; ++i) dz[i] = dy[i];
    dz[N - 1] = running(t, y, p);
  }
  template <class T, class P, class Z>
  void operator()(const T& t, const Z& z, const P& p, Z& dz) const {
    using S = scalar_t<Z>;
    const int n = length(z) - 1;
    const prefix<const S> y{z.data(), n};
    prefix<S> dy{dz.data(), n};
    f(t, y, p, dy);
    dz.data()[n] = running(t, y, p);
  }
};

/// (y, 0), over y's own kind of container.
template <class Y>
lengthened_t<Y> lengthen(const Y& y) {
  lengthened_t<Y> z{};
  if constexpr (static_size_v<Y> < 0) {
    z.resize(y.size() + 1);
    z.data()[y.size()] = 0;
  } else {
    z.data()[length(y)] = 0;
  }
  for (int i = 0, n = length(y); i < n; ++i) z.data()[i] = y.data()[i];
  return z;
}

/// y of (y, q), in the shape of `like`.
template <class Y, class Z>
Y shorten(const Z& z, const Y& like) {
  Y y = like;
  copy(z, y);
  return y;
}

}  // namespace revode
