// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include <revode/ad/dual.hpp>
#include <revode/solve/split.hpp>
#include <revode/state/elements.hpp>

namespace revode {

template <class F, class D>
struct moving_step_rule {
  static constexpr bool autonomous = false, complex_pairs = says_complex_pairs<F>;
  const F& f;
  double t, t_new;
  D from, to;

  template <class Entries>
  void mass(Entries& m) const requires requires {
    f.mass(m);
  }
  { f.mass(m); }
  auto index() const requires requires { f.index(); }
  { return f.index(); }
  /// dτ/dt, a dual of value 1
  D pace() const { return D(1) + (to - from) / (t_new - t); }
  template <class Face, class S, class Y, class P>
  requires has_face<Face, F, Y, P, S>
  void value(Face, const S& s, const Y& y, const P& p, Y& dy) const {
    Face::value(f, moved(s), y, p, dy);
    const D scale = pace();
    for (int i = 0, n = length(dy); i < n; ++i) dy.data()[i] = dy.data()[i] * scale;
  }
  /// dτ/ds is the pace, too.
  template <class Face, class S, class Y, class P>
  requires has_face_vjp<Face, F, Y, P, S>
  void pull(Face, const S& s, const Y& y, const P& p, const Y& w, S& gt, Y& gy, P& gp) const {
    const D scale = pace();
    Y scaled = w;
    for (int i = 0, n = length(w); i < n; ++i) scaled.data()[i] = scaled.data()[i] * scale;
    S of_time(0);
    Face::vjp(f, moved(s), y, p, scaled, of_time, gy, gp);
    gt = gt + of_time * scale;
  }

 private:
  template <class S>
  S moved(const S& s) const {
    const S theta = (s - t) / (t_new - t);
    return s + (theta * (to - from) + from);
  }
};

/// The field as seen within a step whose ends move: all values, the times the method knows among
/// them, stay what they are, and the derivatives of `from` and `to`, duals of value 0, carry the motion.
///   f(τ + τ_dot, y, p) (1 + (to − from)/h),  τ_dot linear from `from` to `to`
/// The step over duals is then that of f between the moved ends.
template <class F, class D = dual<double, 1>>
using moving_step_field = field_by<moving_step_rule<F, D>>;

/// p'(θ) of a polynomial of degree < Nodes from its values: Σ weight[j] p(node(j)).
/// source  the derivative of Lagrange's form at Chebyshev's points
template <int Nodes>
struct polynomial_slope {
  static double node(int j) {
    return (1 - std::cos((2 * j + 1) * 3.14159265358979 / (2 * Nodes))) / 2;
  }
  explicit polynomial_slope(double theta) {
    for (int j = 0; j < Nodes; ++j)
      for (int k = 0; k < Nodes; ++k) {
        if (k == j) continue;
        double product = 1 / (node(j) - node(k));
        for (int i = 0; i < Nodes; ++i)
          if (i != j && i != k) product *= (theta - node(i)) / (node(j) - node(i));
        weight[static_cast<std::size_t>(j)] += product;
      }
  }
  std::array<double, static_cast<std::size_t>(Nodes)> weight{};
};

}  // namespace revode
