// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <type_traits>

#include <revode/problem.hpp>
#include <revode/solve/complex_field.hpp>
#include <revode/solve/events.hpp>

/// One system in every form that an axis of tests/combinations asks for.
namespace revode::combinations {

/// Two oscillators (q₀, q₁, p₀, p₁), one pushed by the other and both by time: q' depends on p alone and
/// p' on q, the Jacobian is sparse, its band two wide on either side, and the force is the implicit part.
struct oscillators {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    drift(y, dy.data());
    force(t, y, p, dy.data());
  }
  template <class T, class Y, class P>
  void dq(const T&, const Y& y, const P&, Y& dy) const {
    drift(y, dy.data());
  }
  template <class T, class Y, class P>
  void dp(const T& t, const Y& y, const P& p, Y& dy) const {
    force(t, y, p, dy.data());
  }
  template <class T, class Y, class P>
  void implicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    force(t, y, p, dy.data());
    dy.data()[0] = dy.data()[1] = T(0) * t;
  }
  template <class T, class Y, class P>
  void explicit_part(const T& t, const Y& y, const P&, Y& dy) const {
    drift(y, dy.data());
    dy.data()[2] = dy.data()[3] = T(0) * t;
  }

 private:
  template <class Y, class S>
  static void drift(const Y& y, S* dy) {
    dy[0] = y.data()[2];
    dy[1] = y.data()[3] * y.data()[3];
  }
  template <class T, class Y, class P, class S>
  static void force(const T& t, const Y& y, const P& p, S* dy) {
    using std::cos, std::sin;
    const auto *q = y.data(), *k = p.data();
    dy[2] = -(k[0] * sin(q[0])) + k[1] * (q[1] - q[0]);
    dy[3] = -(k[0] * q[1]) + cos(t) * k[1];
  }
};

/// The same kind of thing with two complex numbers (z₀, z₁), analytic in both.
struct complex_oscillator {
  template <class T, class Z, class P, class D>
  void operator()(const T& t, const Z& z, const P& p, D& dz) const {
    dz[0] = z[1];
    force(t, z, p, dz[1]);
  }
  template <class T, class Z, class P, class D>
  void dq(const T&, const Z& z, const P&, D& dz) const {
    dz[0] = z[1];
  }
  template <class T, class Z, class P, class D>
  void dp(const T& t, const Z& z, const P& p, D& dz) const {
    force(t, z, p, dz[1]);
  }
  template <class T, class Z, class P, class D>
  void implicit_part(const T& t, const Z& z, const P& p, D& dz) const {
    force(t, z, p, dz[1]);
    dz[0] = T(0) * z[0];
  }
  template <class T, class Z, class P, class D>
  void explicit_part(const T&, const Z& z, const P&, D& dz) const {
    dz[0] = z[1];
    dz[1] = 0.0 * z[1];
  }

 private:
  template <class T, class Z, class P, class C>
  static void force(const T& t, const Z& z, const P& p, C& dz) {
    const auto* k = p.data();
    dz = -(k[0] * z[0]) + k[1] * z[0] * z[0] + C(t * k[1], k[1]);
  }
};

/// The first element falls through 0.3: the momentum behind it is turned and damped, all of it smooth.
struct turn {
  static constexpr auto direction = crossing::falling;
  static constexpr bool passes = true;  // a kick: the solution goes on through the surface
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y.data()[0] - T(0.3);
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new.data()[2] = y_new.data()[2] - p.data()[1] * y.data()[2];
  }
};

/// What a quadrature and a running cost integrate.
struct integrand {
  template <class T, class Y, class P>
  auto operator()(const T& t, const Y& y, const P& p) const {
    return p.data()[1] * y.data()[0] * y.data()[0] + t * y.data()[3];
  }
  template <class T, class Y, class P, class Q>
  void operator()(const T& t, const Y& y, const P& p, Q& dq) const {
    dq.data()[0] = (*this)(t, y, p);
  }
};

}  // namespace revode::combinations
