// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/ad/dual.hpp>
#include <revode/ad/field_calls.hpp>
#include <revode/ad/functions.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// Tangents of products by the Jacobian: of fields that bring no derivatives of their own over duals of duals, of
/// others by their f.jvp over duals where it takes them.
template <class F, class Y, class P>
class second_push {
  using T = scalar_t<Y>;
  using push_scalar = dual<T, 1>;
  static constexpr bool by_jvp = has_jvp<F, Y, P, push_scalar>;
  using S = std::conditional_t<by_jvp, push_scalar, dual<push_scalar, 1>>;
  static constexpr bool on_stack = static_size_v<Y> >= 0 && static_size_v<P> >= 0;
  struct nothing_kept {};
  /// Where the field is asked, and for its jvp also along what.
  struct places {
    field_arrays<Y, P, S> at;
    [[no_unique_address]] std::conditional_t<by_jvp, field_arrays<Y, P, S>, nothing_kept> along;

    void fit(const Y& y, const P& p) {
      at.fit(y, p);
      if constexpr (by_jvp) along.fit(y, p);
    }
  };

 public:
  static constexpr bool possible =
      by_jvp || (!has_vjp<F, Y, P, T> && !has_jvp<F, Y, P, T> && call_accepts<F, Y, P, S>);

  /// out += the derivative of f_t kt + f_y k along (dt, dy, dp), kt and k held
  /// cost    one call
  REVODE_HD void add(const F& f, T t, const Y& y, const P& p, T kt, const Y& k, T dt, const Y& dy,
                     const P& dp, Y& out) requires possible {
    if constexpr (on_stack) {
      places a;
      add(f, seed(t, kt, dt), y, p, kt, k, dy, dp, out, a);
    } else {
      kept_.fit(y, p);
      add(f, seed(t, kt, dt), y, p, kt, k, dy, dp, out, kept_);
    }
  }

 private:
  /// x, which moves by dx, and where the call itself is differentiated by along_k.
  REVODE_HD static S seed(T x, [[maybe_unused]] T along_k, T dx) {
    push_scalar moving(x);
    moving.d[0] = dx;
    S all(moving);
    if constexpr (!by_jvp) all.d[0] = push_scalar(along_k);
    return all;
  }
  REVODE_HD static void add(const F& f, const S& t, const Y& y, const P& p, [[maybe_unused]] T kt,
                            const Y& k, const Y& dy, const P& dp, Y& out, places& a) {
    for (int i = 0, n = length(y); i < n; ++i)
      a.at.y.data()[i] = seed(y.data()[i], k.data()[i], dy.data()[i]);
    for (int i = 0, n = length(p); i < n; ++i)
      a.at.p.data()[i] = seed(p.data()[i], T(0), dp.data()[i]);
    if constexpr (by_jvp) {
      copy(k, a.along.y);
      fill(a.along.p, S(0));
      f.jvp(t, a.at.y, a.at.p, S(kt), a.along.y, a.along.p, a.at.dy);
    } else {
      f(t, a.at.y, a.at.p, a.at.dy);
    }
    for (int i = 0, n = length(y); i < n; ++i) {
      if constexpr (by_jvp)
        out.data()[i] = out.data()[i] + a.at.dy.data()[i].d[0];
      else
        out.data()[i] = out.data()[i] + a.at.dy.data()[i].d[0].d[0];
    }
  }

  [[no_unique_address]] std::conditional_t<on_stack, nothing_kept, places> kept_;
};

}  // namespace revode
