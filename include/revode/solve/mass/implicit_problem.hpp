// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/ad/faces.hpp>
#include <revode/problem.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// z' = (s, F(t, y, s, p)) of z = (y, s), with M = diag(1, …, 1, 0, …, 0).
template <class F>
struct implicit_rule {
  F callable;
  int n;

  template <class Entries>
  void mass(Entries& m) const {
    for (int i = 0; i < n; ++i) m(i, i) = 1;
  }
  template <class T, class Z, class P>
  void value(whole_face, const T& t, const Z& z, const P& p, Z& dz) const {
    const auto count = static_cast<std::size_t>(n);
    const std::span<const T> y(z.data(), count), slope(z.data() + n, count);
    for (int i = 0; i < n; ++i) dz.data()[i] = slope[static_cast<std::size_t>(i)];
    std::span<T> left(dz.data() + n, count);
    callable(t, y, slope, p, left);
  }
};
template <class F>
using implicit_field = field_by<implicit_rule<F>>;

/// The initial value problem F(t, y, y', p) = 0 with a regular ∂F/∂y', such as M(t, y) y' = f, as one with a mass
/// matrix for (y, y'):
///
///   auto q = implicit_problem([](auto t, auto y, auto slope, const auto& p, auto& left) {
///     left[0] = (1.0 + y[0] * y[0]) * slope[0] + p[0] * y[0];
///   }, vec{1.0}, vec{0.0}, 0.0, 2.0, vec{0.5});
///   auto s = solve(q, rodas5p{});    // y in the first half of s.y, y' in the second
///
/// F is generic in its scalar; y, slope and left are spans. The slope given is a guess; slopes are in the
/// error norm, unless options::norm leaves them out.
/// cost    systems of twice the size
/// errors  a singular ∂F/∂y' throws as equations of index 2 do (consistent_start.hpp)
template <class F, class Y, class P = vec<scalar_t<Y>, 0>>
auto implicit_problem(F&& f, const Y& y0, const Y& slope, double t0, double t1, const P& p = {}) {
  with_quadrature_t<Y, Y> z{};
  const int n = length(y0);
  if (length(slope) != n)
    throw std::invalid_argument("a slope of " + std::to_string(length(slope)) +
                                " elements for a state of " + std::to_string(n) +
                                " (each has one) give as many?");
  if constexpr (static_size_v<Y> < 0) z.resize(2 * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    z.data()[i] = y0.data()[i];
    z.data()[n + i] = slope.data()[i];
  }
  return problem{implicit_field<F>{{std::forward<F>(f), n}}, z, t0, t1, p};
}

}  // namespace revode
