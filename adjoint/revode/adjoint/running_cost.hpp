// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include <revode/problem.hpp>
#include <revode/solve/quadrature.hpp>

namespace revode {

/// The elements of a state Y and one more: of fixed length where Y's is.
template <class Y>
struct lengthened {
  using type = std::vector<scalar_t<Y>>;
};
template <class Y>
requires(static_size_v<Y> >= 0) struct lengthened<Y> {
  using type = vec<scalar_t<Y>, static_size_v<Y> + 1>;
};
template <class Y>
using lengthened_t = typename lengthened<Y>::type;

/// The field of (y, q): y' = f(t, y, p), q' = running(t, y, p). Both see y in its own kind of
/// container. A dynamic y is kept between calls, so an object serves one solve at a time.
template <class F, class Running, class Y>
struct field_with_running_cost {
  const F& f;
  const Running& running;
  const Y& like;
  mutable scratch_by_type scratch{};

  template <class T, class P, class Z>
  void operator()(const T& t, const Z& z, const P& p, Z& dz) const {
    using S = scalar_t<Z>;
    using state = rebind_t<Y, S>;
    if constexpr (static_size_v<Y> >= 0) {
      std::pair<state, state> work{};
      evaluate(t, z, p, dz, work.first, work.second);
    } else {
      auto& work = scratch.template get<std::pair<state, state>>(
          [this] { return std::pair(rebind_like<S>(like), rebind_like<S>(like)); });
      evaluate(t, z, p, dz, work.first, work.second);
    }
  }

 private:
  template <class T, class P, class Z, class State>
  void evaluate(const T& t, const Z& z, const P& p, Z& dz, State& y, State& dy) const {
    const int n = length(y);
    copy(z, y);
    f(t, std::as_const(y), p, dy);
    for (int i = 0; i < n; ++i) dz.data()[i] = dy.data()[i];
    dz.data()[n] = running(t, std::as_const(y), p);
  }
};

/// (y, 0)
template <class Y>
lengthened_t<Y> lengthen(const Y& y) {
  lengthened_t<Y> z{};
  const int n = length(y);
  if constexpr (static_size_v<Y> < 0) z.resize(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i < n; ++i) z.data()[i] = y.data()[i];
  z.data()[n] = 0;
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
