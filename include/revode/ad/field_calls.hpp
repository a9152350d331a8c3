// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/recording/recording.hpp>
#include <revode/config.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// Same length, and for matrices same rows.
template <class A, class B>
REVODE_HD bool alike(const A& a, const B& b) {
  if constexpr (requires { a.rows() == b.rows(); }) {
    return a.rows() == b.rows() && a.cols() == b.cols();
  } else {
    return length(a) == length(b);
  }
}

/// What one call of a field touches, over scalar S: shapes of y, dy and p.
template <class Y, class P, class S>
struct field_arrays {
  rebind_t<Y, S> y, dy;
  rebind_t<P, S> p;

  /// Allocates when a shape is new; fixed sizes need no call. Each array is looked at by itself: an
  /// allocation that failed may have left them at different shapes.
  template <class Z, class Q>
  REVODE_HD void fit(const Z& like_y, const Q& like_p) {
    if (!alike(y, like_y)) y = rebind_like<S>(like_y);
    if (!alike(dy, like_y)) dy = rebind_like<S>(like_y);
    if (!alike(p, like_p)) p = rebind_like<S>(like_p);
  }
};

/// The field can be called with scalar S in every place.
template <class F, class Y, class P, class S>
concept call_accepts = requires(const F& f, const S& t, const rebind_t<Y, S>& y,
                                const rebind_t<P, S>& p, rebind_t<Y, S>& dy) {
  f(t, y, p, dy);
};

/// The field brings f.vjp(t, y, p, w, gt, gy, gp), which adds wᵀf_t to gt (a reference), and so on.
template <class F, class Y, class P, class S>
concept has_vjp = requires(const F& f, const S& t, const rebind_t<Y, S>& y, const rebind_t<P, S>& p,
                           S& gt, rebind_t<Y, S>& gy, rebind_t<P, S>& gp) {
  f.vjp(t, y, p, y, gt, gy, gp);
};

/// The field says that its vjp may be called with an empty gp (size 0), and then computes nothing for p:
/// a member `static constexpr bool vjp_without_parameters = true`.
template <class F>
inline constexpr bool vjp_without_parameters_v = requires {
  requires F::vjp_without_parameters;
};

/// The field brings f.jvp(t, y, p, dt, dy, dp, out), out = f_t dt + f_y dy + f_p dp.
template <class F, class Y, class P, class S>
concept has_jvp = requires(const F& f, const S& t, const rebind_t<Y, S>& y, const rebind_t<P, S>& p,
                           rebind_t<Y, S>& out) {
  f.jvp(t, y, p, t, y, p, out);
};

/// One recorded call of a field and its pull.
template <class F, class Y, class P, class S>
class recorded_field {
 public:
  /// Records f at (t, y, p) and pulls the weights through it; t and p are inputs when asked for.
  /// One copy of the code, wherever it is called from: it is long, and a call costs it nothing.
  template <class Z, class Q>
  [[gnu::noinline]] void pull(const F& f, const S& t, const Z& y, const Q& p, const S* weights,
                              bool time, bool parameters) {
    arrays_.fit(y, p);
    recording_.clear();
    const int n = length(y), np = length(p);
    for (int i = 0; i < n; ++i) arrays_.y.data()[i] = recording_.input(y.data()[i]);
    for (int i = 0; i < np; ++i) {
      arrays_.p.data()[i] = parameters ? recording_.input(p.data()[i]) : variable<S>(p.data()[i]);
    }
    first_parameter_ = n;
    time_ = parameters ? n + np : n;
    const variable<S> at = time ? recording_.input(t) : variable<S>(t);
    f(at, arrays_.y, arrays_.p, arrays_.dy);
    recording_.pull(arrays_.dy.data(), weights, n);
  }

  /// gt (unless null), gy, gp += wᵀ (f_t, f_y, f_p); nothing is recorded of p for an empty gp.
  template <class Z, class Q, class GY, class GP>
  void vjp(const F& f, const S& t, const Z& y, const Q& p, const Z& w, S* gt, GY& gy, GP& gp) {
    pull(f, t, y, p, w.data(), gt != nullptr, static_size_v<GP> != 0);
    add_to(gt, gy, gp, [](const S& bar) { return bar; });
  }

  const S& of_time() const { return recording_.adjoint(time_); }
  const S& of_state(int i) const { return recording_.adjoint(i); }
  const S& of_parameter(int i) const { return recording_.adjoint(first_parameter_ + i); }
  /// gt (unless null), gy, gp += part(of each)
  template <class T, class Z, class Q, class Part>
  void add_to(T* gt, Z& gy, Q& gp, const Part& part) const {
    const auto add = [&](T& sum, const S& bar) { sum = sum + part(bar); };
    if (gt != nullptr) add(*gt, of_time());
    for (int i = 0, n = length(gy); i < n; ++i) add(gy.data()[i], of_state(i));
    for (int i = 0, n = length(gp); i < n; ++i) add(gp.data()[i], of_parameter(i));
  }

 private:
  recording<S> recording_;
  field_arrays<Y, P, variable<S>> arrays_;
  int first_parameter_ = 0, time_ = 0;
};

}  // namespace revode
