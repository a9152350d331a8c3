// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/dual.hpp>
#include <revode/ad/field_calls.hpp>
#include <revode/config.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// a.y = y + ε dy, a.p = p + ε dp over dual<T, 1>; an empty dp stands for 0.
template <class A, class Y, class P, class DP>
REVODE_HD void seed_direction(A& a, const Y& y, const P& p, const Y& dy, const DP& dp) {
  copy(y, a.y);
  copy(p, a.p);
  for (int i = 0, size = length(y); i < size; ++i) a.y.data()[i].d[0] = dy.data()[i];
  for (int i = 0, size = length(dp); i < size; ++i) a.p.data()[i].d[0] = dp.data()[i];
}

/// jac(i, j) = df_i/dy_j, as many columns a call of f as the duals of a, arrays of y's and p's shapes, have
/// directions. N: how many elements y has, where its type says so.
template <int N, class F, class T, class Y, class P, class A, class J>
REVODE_HD void jacobian_by_duals(const F& f, T t, const Y& y, const P& p, A& a, J& jac) {
  using D = scalar_t<decltype(a.y)>;
  constexpr int chunk = D::directions;
  copy(p, a.p);
  const int size = length(y);
  for (int from = 0; from < size; from += chunk) {
    // Of a fixed size the last chunk starts earlier, so that every chunk has the same length.
    const int first = N > 0 && size - from < chunk ? size - chunk : from;
    const int columns = N > 0 || size - first >= chunk ? chunk : size - first;
    copy(y, a.y);
    for (int j = 0; j < columns; ++j) a.y.data()[first + j] = D::input(y.data()[first + j], j);
    f(D(t), a.y, a.p, a.dy);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < columns; ++j) jac(i, first + j) = a.dy.data()[i].d[j];
  }
}

/// Products with the whole Jacobian of a field of fixed size, in one call of the field: a direction
/// for every y, then every p, then t. N is how many of them there are; without parameters (G empty)
/// or time, fewer. Host and device, no storage.
template <class Y, class P>
class dual_sweep {
  using T = scalar_t<Y>;
  using push_scalar = dual<T, 1>;
  static constexpr int n = static_size_v<Y>;
  static constexpr int np = static_size_v<P>;

 public:
  /// gt, gy, gp += wᵀ (f_t, f_y, f_p)
  template <int N, class F, class GP>
  REVODE_FLAT static void vjp(const F& f, T t, const Y& y, const P& p, const Y& w, T* gt, Y& gy,
                              GP& gp) {
    using D = dual<T, N>;
    field_arrays<Y, P, D> a;
    const D time = seed_all<GP, D>(t, y.data(), p.data(), a);
    f(time, a.y, a.p, a.dy);
    using pack = direction_pack<T, N>;
    pack g = pack::each([](int) { return pack::spread(T(-0.0)); });  // vanishes in an addition
    for (int i = 0; i < n; ++i) g = muladd(w.data()[i], a.dy.data()[i].d, g);
    hand_out<N>(g, gt, gy, gp);
  }

  /// gt, gy, gp += gradient of uᵀ(f_t kt + f_y k)
  template <int N, class F, class GP>
  REVODE_FLAT static void second(const F& f, T t, const Y& y, const P& p, const Y& u, T kt,
                                 const Y& k, T* gt, Y& gy, GP& gp) {
    using D = dual<push_scalar, N>;
    const vec<T, 0> still{};
    field_arrays<Y, P, push_scalar> moving;
    seed_direction(moving, y, p, k, still);
    push_scalar moving_time(t);
    moving_time.d[0] = kt;
    field_arrays<Y, P, D> a;
    const D time = seed_all<GP, D>(moving_time, moving.y.data(), moving.p.data(), a);
    f(time, a.y, a.p, a.dy);
    T g[N] = {};
    for (int i = 0; i < n; ++i) {
      const T weight = u.data()[i];
      for (int j = 0; j < N; ++j) g[j] = muladd(weight, a.dy.data()[i].d[j].d[0], g[j]);
    }
    hand_out<N>(g, gt, gy, gp);
  }

 private:
  /// y and p (when tracked) as the inputs 0 .. n + np - 1 of duals with N directions, t the last
  /// one where it fits; S is the scalar under the directions.
  template <class GP, class D, class S, class Sy, class Sp, class A>
  REVODE_HD static D seed_all(const S& t, const Sy* y, const Sp* p, A& a) {
    constexpr bool tracked = static_size_v<GP> != 0;
    constexpr int parameters = tracked ? np : 0;
    for (int i = 0; i < n; ++i) a.y.data()[i] = D::input(y[i], i);
    for (int i = 0; i < np; ++i) {
      if constexpr (tracked) {
        a.p.data()[i] = D::input(p[i], n + i);
      } else {
        a.p.data()[i] = D(p[i]);
      }
    }
    if constexpr (D::directions > n + parameters) {
      return D::input(t, n + parameters);
    } else {
      return D(t);
    }
  }

  /// Adds g = (of y, of p, of t) to the cotangents.
  template <int N, class GP, class G>
  REVODE_HD static void hand_out(const G& g, T* gt, Y& gy, GP& gp) {
    constexpr int parameters = static_size_v<GP> == 0 ? 0 : np;
    for (int j = 0; j < n; ++j) gy.data()[j] = gy.data()[j] + g[j];
    for (int j = 0; j < parameters; ++j) gp.data()[j] = gp.data()[j] + g[n + j];
    if constexpr (N > n + parameters) *gt = *gt + g[N - 1];
  }
};

/// The same for fields of any fixed size, a call a direction: what a device does, which keeps no recordings.
template <class Y, class P>
class direction_sweep {
  using T = scalar_t<Y>;
  using push_scalar = dual<T, 1>;
  static constexpr int n = static_size_v<Y>;

 public:
  template <class F, class GP>
  REVODE_HD static void vjp(const F& f, T t, const Y& y, const P& p, const Y& w, T* gt, Y& gy,
                            GP& gp) {
    const auto of = [](const T& bar) { return bar; };
    each(f, t, y.data(), p.data(), w, gt, gy, gp, of);
  }
  template <class F, class GP>
  REVODE_HD static void second(const F& f, T t, const Y& y, const P& p, const Y& u, T kt,
                               const Y& k, T* gt, Y& gy, GP& gp) {
    const vec<T, 0> still{};
    field_arrays<Y, P, push_scalar> moving;
    seed_direction(moving, y, p, k, still);
    push_scalar time(t);
    time.d[0] = kt;
    const auto of = [](const push_scalar& bar) { return bar.d[0]; };
    each(f, time, moving.y.data(), moving.p.data(), u, gt, gy, gp, of);
  }

 private:
  /// part(Σ wᵢ ∂fᵢ/∂x) for x each of y, p and t, over inputs of scalar S
  template <class F, class S, class GP, class Part>
  REVODE_HD static void each(const F& f, const S& t, const S* y, const S* p, const Y& w, T* gt,
                             Y& gy, GP& gp, const Part& part) {
    constexpr int parameters = static_size_v<GP>;
    using D = dual<S, 1>;
    field_arrays<Y, P, D> a;
    for (int j = 0, all = n + parameters + (gt != nullptr); j < all; ++j) {
      for (int i = 0; i < n; ++i) a.y.data()[i] = i == j ? D::input(y[i], 0) : D(y[i]);
      for (int i = 0; i < static_size_v<P>; ++i)
        a.p.data()[i] = n + i == j && i < parameters ? D::input(p[i], 0) : D(p[i]);
      f(j == n + parameters ? D::input(t, 0) : D(t), a.y, a.p, a.dy);
      S sum(-0.0);
      for (int i = 0; i < n; ++i) sum = muladd(w.data()[i], a.dy.data()[i].d[0], sum);
      if (j < n)  // nvcc 13 loses sums into one of three that is chosen by ?:
        gy.data()[j] = gy.data()[j] + part(sum);
      else if (j < n + parameters)
        gp.data()[j - n] = gp.data()[j - n] + part(sum);
      else
        *gt = *gt + part(sum);
    }
  }
};

}  // namespace revode
