// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>
#include <utility>

#include <revode/ad/derivatives.hpp>
#include <revode/problem.hpp>
#include <revode/solve/options.hpp>

/// One field with its parts, generic and for double alone, and a running cost likewise.
namespace revode::parted_fields {

using pair_of = vec<double, 2>;

/// A stiff, driven pair and its parts.
struct parted {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = -p[0] * (y[0] - cos(p[1] * t)) + y[1] * y[1];
    dy[1] = y[0] * y[1] * cos(t) - p[1] * y[1];
  }
  template <class T, class Y, class P>
  void implicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = -p[0] * (y[0] - cos(p[1] * t));
    dy[1] = 0 * y[1];
  }
  template <class T, class Y, class P>
  void explicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = y[1] * y[1];
    dy[1] = y[0] * y[1] * cos(t) - p[1] * y[1];
  }
};

/// The same for double alone, so that nothing can differentiate it; whole_vjp brings the derivative.
struct closed {
  void operator()(double t, const pair_of& y, const pair_of& p, pair_of& dy) const {
    parted{}(t, y, p, dy);
  }
  void implicit_part(double t, const pair_of& y, const pair_of& p, pair_of& dy) const {
    parted{}.implicit_part(t, y, p, dy);
  }
  void explicit_part(double t, const pair_of& y, const pair_of& p, pair_of& dy) const {
    parted{}.explicit_part(t, y, p, dy);
  }
};
struct closed_with_vjp : closed {
  void vjp(double t, const pair_of& y, const pair_of& p, const pair_of& w, double& gt, pair_of& gy,
           pair_of& gp) const {
    derivatives<parted, pair_of, pair_of>{}.vjp({}, t, y, p, w, &gt, gy, gp);
  }
};

/// p₁ y₀² + t, generic or closed with its own vjp.
inline constexpr auto cost = [](const auto& t, const auto& y, const auto& p) {
  return p[1] * y[0] * y[0] + t;
};
struct closed_cost {
  double operator()(double t, const pair_of& y, const pair_of& p) const { return cost(t, y, p); }
  void vjp(double, const pair_of& y, const pair_of& p, double w, double& gt, pair_of& gy,
           pair_of& gp) const {
    gt += w;
    gy[0] += w * 2 * p[1] * y[0];
    gp[1] += w * y[0] * y[0];
  }
};
inline constexpr auto terminal = [](const auto& y) { return y[0] * y[1]; };

inline const options tight{.rtol = 1e-9, .atol = 1e-11};

template <class F>
auto problem_of(F f) {
  return problem{std::move(f), pair_of{0.5, 1.0}, 0.0, 1.5, pair_of{40, 1.3}};
}
template <class A, class B>
void check_near(const A& a, const B& b, double bound) {
  for (int i = 0; i < 2; ++i) {
    CHECK(std::abs(a.y0[i] - b.y0[i]) < bound);
    CHECK(std::abs(a.p[i] - b.p[i]) < bound);
  }
  CHECK(std::abs(a.t0 - b.t0) < 20 * bound);
  CHECK(std::abs(a.t1 - b.t1) < 20 * bound);
}

}  // namespace revode::parted_fields
