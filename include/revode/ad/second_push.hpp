// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/ad/dual.hpp>
#include <revode/ad/field_calls.hpp>
#include <revode/ad/functions.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// Tangents of products by the Jacobian, over duals of duals: for fields that bring no derivatives of their own.
template <class F, class Y, class P>
class second_push {
  using T = scalar_t<Y>;
  using push_scalar = dual<T, 1>;
  using S = dual<push_scalar, 1>;
  using arrays = field_arrays<Y, P, S>;
  static constexpr bool on_stack = static_size_v<Y> >= 0 && static_size_v<P> >= 0;
  struct nothing_kept {};

 public:
  static constexpr bool possible =
      !has_vjp<F, Y, P, T> && !has_jvp<F, Y, P, T> && call_accepts<F, Y, P, S>;

  /// out += the derivative of f_t kt + f_y k along (dt, dy, dp), kt and k held
  /// cost    one call
  REVODE_HD void add(const F& f, T t, const Y& y, const P& p, T kt, const Y& k, T dt, const Y& dy,
                     const P& dp, Y& out) requires possible {
    if constexpr (on_stack) {
      arrays a;
      add(f, seed(t, kt, dt), y, p, k, dy, dp, out, a);
    } else {
      kept_.fit(y, p);
      add(f, seed(t, kt, dt), y, p, k, dy, dp, out, kept_);
    }
  }

 private:
  REVODE_HD static S seed(T x, T along_k, T dx) {
    push_scalar moving(x);
    moving.d[0] = dx;
    S all(moving);
    all.d[0] = push_scalar(along_k);
    return all;
  }
  REVODE_HD static void add(const F& f, const S& t, const Y& y, const P& p, const Y& k, const Y& dy,
                            const P& dp, Y& out, arrays& a) {
    for (int i = 0, n = length(y); i < n; ++i)
      a.y.data()[i] = seed(y.data()[i], k.data()[i], dy.data()[i]);
    for (int i = 0, n = length(p); i < n; ++i)
      a.p.data()[i] = seed(p.data()[i], T(0), dp.data()[i]);
    f(t, a.y, a.p, a.dy);
    for (int i = 0, n = length(y); i < n; ++i)
      out.data()[i] = out.data()[i] + a.dy.data()[i].d[0].d[0];
  }

  [[no_unique_address]] std::conditional_t<on_stack, nothing_kept, arrays> kept_;
};

}  // namespace revode
