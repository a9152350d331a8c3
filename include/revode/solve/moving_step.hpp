// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/dual.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

/// The field as seen within a step whose ends move by t_dot and t_new_dot: all values, the times the
/// method knows among them, stay what they are, and tangents carry the motion.
///   f(τ + τ_dot, y, p) (1 + (t_new_dot − t_dot)/h),  τ_dot linear from t_dot to t_new_dot
/// The step over duals is then that of f between the moved ends.
template <class F, class T = double>
struct moving_step_field {
  const F& f;
  double t, t_new, t_dot, t_new_dot;

  /// dτ/dt, a dual of value 1
  dual<T, 1> pace() const {
    dual<T, 1> scale(1);
    scale.d[0] = static_cast<T>((t_new_dot - t_dot) / (t_new - t));
    return scale;
  }
  template <class S, class Y, class P>
  void operator()(const S& s, const Y& y, const P& p, Y& dy) const {
    dual<T, 1> motion(0);
    motion.d[0] = 1;
    const S theta = (s - t) / (t_new - t);
    const S at = s + (theta * (t_new_dot - t_dot) + t_dot) * motion;
    f(at, y, p, dy);
    const dual<T, 1> scale = pace();
    for (int i = 0, n = length(dy); i < n; ++i) dy.data()[i] = dy.data()[i] * scale;
  }
};

}  // namespace revode
