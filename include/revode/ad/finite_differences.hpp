// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <revode/ad/faces.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// How far a central difference moves x: the balance of rounding and truncation.
template <class T>
requires std::is_floating_point_v<T> T difference_step(T x, double typical_size) {
  return std::cbrt(std::numeric_limits<T>::epsilon()) *
         std::fmax(std::abs(x), static_cast<T>(typical_size));
}

/// The longest h with which (t, y, p) + h (dt, dy, dp) moves no element farther than a difference of its own, and what
/// does not move has no say; infinite where nothing moves.
template <class T, class Y, class P>
T difference_step(T t, const Y& y, const P& p, T dt, const Y& dy, const P& dp, double typical_size,
                  double typical_time) {
  T h = std::numeric_limits<T>::infinity();
  const auto keep_near = [&](T x, T d, double size) {
    if (std::abs(d) > T(0)) h = std::fmin(h, difference_step(x, size) / std::abs(d));
  };
  keep_near(t, dt, typical_time);
  for (int i = 0, n = length(y); i < n; ++i) keep_near(y.data()[i], dy.data()[i], typical_size);
  for (int i = 0, n = length(p); i < n; ++i) keep_near(p.data()[i], dp.data()[i], typical_size);
  return h;
}

template <class F>
class finite_difference_rule {
 public:
  static constexpr bool autonomous = says_autonomous<std::remove_cvref_t<F>>;
  static constexpr bool complex_pairs = says_complex_pairs<std::remove_cvref_t<F>>;

  finite_difference_rule(F field, double typical_size, double typical_time)
      : field_(std::forward<F>(field)),
        typical_size_(typical_size),
        typical_time_(typical_time) {}

  template <class Entries>
  void mass(Entries& m) const requires requires(const std::remove_cvref_t<F>& f) {
    f.mass(m);
  }
  { field_.mass(m); }
  auto index() const requires requires(const std::remove_cvref_t<F>& f) { f.index(); }
  { return field_.index(); }
  template <class Face, class T, class Y, class P>
  requires requires(const F& f, const T& t, const Y& y, const P& p, Y& dy) {
    Face::value(f, t, y, p, dy);
  }
  void value(Face, const T& t, const Y& y, const P& p, Y& dy) const {
    Face::value(field_, t, y, p, dy);
  }

  /// out = f_t dt + f_y dy + f_p dp: one difference along the direction.
  template <class Face, class T, class Y, class P>
  requires(std::is_floating_point_v<T>&& has_face<Face, std::remove_cvref_t<F>, Y, P, T>) void push(
      Face face, T t, const Y& y, const P& p, T dt, const Y& dy, const P& dp, Y& out) const {
    const T h = difference_step(t, y, p, dt, dy, dp, typical_size_, typical_time_);
    if (!std::isfinite(h)) return fill(out, T(0));
    const Y above = moved(face, t, y, p, h, dt, dy, dp);
    const Y below = moved(face, t, y, p, -h, dt, dy, dp);
    for (int i = 0, n = length(out); i < n; ++i) {
      out.data()[i] = (above.data()[i] - below.data()[i]) / (h + h);
    }
  }

  /// gt += wᵀf_t, gy += wᵀf_y, gp += wᵀf_p
  template <class Face, class T, class Y, class P>
  requires(std::is_floating_point_v<T>&& has_face<Face, std::remove_cvref_t<F>, Y, P, T>) void pull(
      Face, T t, const Y& y, const P& p, const Y& w, T& gt, Y& gy, P& gp) const {
    Y x = y, column = zero_like(y);
    P q = p;
    difference(t, typical_time_, column, [&](Y& f) { Face::value(field_, t, y, p, f); });
    gt += dot(w, column);
    for (int j = 0, n = length(y); j < n; ++j) {
      difference(x.data()[j], typical_size_, column,
                 [&](Y& f) { Face::value(field_, t, x, p, f); });
      gy.data()[j] += dot(w, column);
    }
    for (int j = 0, n = length(p); j < n; ++j) {
      difference(q.data()[j], typical_size_, column,
                 [&](Y& f) { Face::value(field_, t, y, q, f); });
      gp.data()[j] += dot(w, column);
    }
  }

  /// jac(i, j) = df_i/dy_j
  template <class Face, class T, class Y, class P, class J>
  requires(std::is_floating_point_v<T>&& has_face<Face, std::remove_cvref_t<F>, Y, P,
                                                  T>) void matrix(Face, T t, const Y& y, const P& p,
                                                                  J& jac) const {
    Y x = y, column = zero_like(y);
    const int n = length(y);
    for (int j = 0; j < n; ++j) {
      difference(x.data()[j], typical_size_, column,
                 [&](Y& f) { Face::value(field_, t, x, p, f); });
      for (int i = 0; i < n; ++i) jac(i, j) = column.data()[i];
    }
  }

 private:
  /// column = df/dx, where evaluate sees x through its reference; x is left as it was.
  template <class T, class Y, class Evaluate>
  void difference(T& x, double size, Y& column, const Evaluate& evaluate) const {
    const T centre = x;
    const T h = difference_step(centre, size);
    Y below = zero_like(column);
    x = centre + h;
    const T upper = x;
    evaluate(column);
    x = centre - h;
    const T width = upper - x;  // what was really moved, after rounding
    evaluate(below);
    x = centre;
    for (int i = 0, n = length(column); i < n; ++i) {
      column.data()[i] = (column.data()[i] - below.data()[i]) / width;
    }
  }

  /// f(t + h dt, y + h dy, p + h dp)
  template <class Face, class T, class Y, class P>
  Y moved(Face, T t, Y y, P p, T h, T dt, const Y& dy, const P& dp) const {
    axpy(h, dy, y);
    axpy(h, dp, p);
    Y f = zero_like(y);
    const T at = t + h * dt;
    Face::value(field_, at, std::as_const(y), std::as_const(p), f);
    return f;
  }

  F field_;
  double typical_size_, typical_time_;
};

/// A field with central differences in place of derivatives, those of its parts as well, for right-hand
/// sides that accept one scalar type only. Asked for by name, never chosen silently. Host only.
///   df/dx ≈ (f(x + h) - f(x - h)) / 2h,  h = ε^(1/3) max(|x|, typical_size)
/// Along a direction (jvp) h is the longest with which no element that moves goes farther than that.
/// Error about ε^(2/3) (|f| + |f'''| typical_size³)/typical_size: 4e-11 in double for a well-scaled
/// field, so gradients are good to 10 digits at best and the dot-product law holds to those only.
/// Cost: two evaluations a direction (jvp), or a component of t, y and p (vjp), or of y (jacobian);
/// each call allocates when the state is dynamic. F is a reference when made from an lvalue.
template <class F>
using finite_difference_field = field_by<finite_difference_rule<F>>;

/// `solve(by_finite_differences(f), ...)`. typical_size: below which size of an element of t, y and
/// p the difference step shrinks no further; typical_time is that of t, where it is another one.
template <class F>
auto by_finite_differences(F&& field, double typical_size, double typical_time) {
  return finite_difference_field<F>{
      finite_difference_rule<F>(std::forward<F>(field), typical_size, typical_time)};
}
template <class F>
auto by_finite_differences(F&& field, double typical_size = 1.0) {
  return by_finite_differences(std::forward<F>(field), typical_size, typical_size);
}

}  // namespace revode
