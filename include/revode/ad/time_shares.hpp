// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace revode {

/// act(of_time), a number or null, is added to gt, which is none: a cotangent of a time in shares (state/whole.hpp).
template <class T, class Bar, class Act>
void add_number(Bar* gt, const Act& act) {
  T of_time(0);
  act(gt != nullptr ? &of_time : nullptr);
  if (gt != nullptr) *gt += Bar(of_time);
}

/// `of`.vjp(f, …), of the derivatives of f, where gt has shares: the field's own product adds to them, where it knows them;
/// elsewhere a number of the part that is here is added.
template <class Derivatives, class F, class T, class Y, class P, class Bar, class GP>
void vjp_in_shares(Derivatives& of, const F& f, T t, const Y& y, const P& p, const Y& w, Bar* gt,
                   Y& gy, GP& gp) {
  if constexpr (requires(Bar & bar, P & of_p) { f.vjp(t, y, p, w, bar, gy, of_p); })
    of.own_vjp(f, t, y, p, w, gt, gy, gp);
  else
    add_number<T>(gt, [&](T* of_time) { of.vjp(f, t, y, p, w, of_time, gy, gp); });
}

}  // namespace revode
