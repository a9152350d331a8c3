// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/state/mat.hpp>
#include <revode/state/vec.hpp>

/// Three equations, three parameters, time: every second derivative is written out below.
struct mixed_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& state, const P& parameters, Y& dy) const {
    using std::exp;
    using std::sin;
    using std::tanh;
    const auto* y = state.data();
    const auto* p = parameters.data();
    dy.data()[0] = p[0] * y[0] * y[1] + sin(t) * y[2];
    dy.data()[1] = exp(-p[1] * y[1]) + y[0] * y[0];
    dy.data()[2] = p[2] * tanh(y[2]) - y[0] / y[1] + t * t * p[0];
  }
};

/// The derivatives of mixed_field by hand, at one point.
struct mixed_by_hand {
  revode::vec<double, 3> y, p;
  double t;
  double e = std::exp(-p[1] * y[1]), th = std::tanh(y[2]);

  revode::mat<double, 3> f_y() const {
    return {{p[0] * y[1], p[0] * y[0], std::sin(t),  //
             2 * y[0], -p[1] * e, 0,                 //
             -1 / y[1], y[0] / (y[1] * y[1]), p[2] * (1 - th * th)}};
  }
  revode::mat<double, 3> f_p() const {
    return {{y[0] * y[1], 0, 0, 0, -y[1] * e, 0, t * t, 0, th}};
  }
  revode::vec<double, 3> f_t() const { return {std::cos(t) * y[2], 0, 2 * t * p[0]}; }

  struct gradient {
    double t;
    revode::vec<double, 3> y, p;
  };
  /// of uᵀ(f_t kt + f_y k)
  gradient second(const revode::vec<double, 3>& u, double kt,
                  const revode::vec<double, 3>& k) const {
    const double s = 1 - th * th, q = 1 / (y[1] * y[1]);
    return {u[0] * (std::cos(t) * k[2] - std::sin(t) * y[2] * kt) + u[2] * 2 * p[0] * kt,
            {u[0] * p[0] * k[1] + 2 * u[1] * k[0] + u[2] * q * k[1],
             u[0] * p[0] * k[0] + u[1] * p[1] * p[1] * e * k[1] +
                 u[2] * (q * k[0] - 2 * y[0] * q / y[1] * k[1]),
             u[0] * std::cos(t) * kt - 2 * u[2] * p[2] * th * s * k[2]},
            {u[0] * (y[1] * k[0] + y[0] * k[1]) + u[2] * 2 * t * kt,
             u[1] * (p[1] * y[1] - 1) * e * k[1], u[2] * s * k[2]}};
  }
};

/// A ring of n oscillators, as many parameters: any length, any container.
struct ring_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& state, const P& parameters, Y& dy) const {
    using std::cos;
    using std::sin;
    const int n = static_cast<int>(state.size());
    for (int i = 0; i < n; ++i) {
      const auto& here = state.data()[i];
      const auto& next = state.data()[(i + 1) % n];
      dy.data()[i] = parameters.data()[i] * sin(next - here) + cos(t) * here * next;
    }
  }
};
