// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/solve/solve.hpp>

namespace revode {

/// y' = −λ (y − cos t) − sin t, y = cos t, λ = p.
struct prothero_robinson {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = -p[0] * (y[0] - cos(t)) - sin(t);
  }
};

/// u_t = u_xx + sources on 20 points, u = e^{−t} (1 + x)² with that at both ends: boundary values
/// that move.
struct parabolic {
  static constexpr int n = 20;
  static double exact(double t, double x) { return std::exp(-t) * (1 + x) * (1 + x); }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P&, Y& dy) const {
    using std::exp;
    const T decay = exp(-t);
    for (int i = 0; i < n; ++i) {
      const double x = (i + 1.0) / (n + 1);
      const auto left = i == 0 ? y[0] * 0 + decay : y[i - 1];
      const auto right = i == n - 1 ? y[0] * 0 + 4 * decay : y[i + 1];
      dy[i] = (n + 1.0) * (n + 1) * (left - 2 * y[i] + right) - ((1 + x) * (1 + x) + 2) * decay;
    }
  }
};

template <class M, class Error>
double slope(const M& m, const Error& error) {
  return std::log2(error(m, 20) / error(m, 160)) / 3;
}

template <class M>
double relaxed_error(const M& m, index n) {
  const problem q{prothero_robinson{}, vec{1.0}, 0.0, 1.0, vec{1e6}};
  const auto s = solve(q, m, options{.fixed_step = 1.0 / static_cast<double>(n)});
  return std::abs(s.y[0] - std::cos(1.0));
}

template <class M>
double parabolic_error(const M& m, index n) {
  vec<double, parabolic::n> y0{};
  for (int i = 0; i < parabolic::n; ++i)
    y0[i] = parabolic::exact(0, (i + 1.0) / (parabolic::n + 1));
  const auto s = solve(problem{parabolic{}, y0, 0.0, 1.0}, m,
                       options{.fixed_step = 1.0 / static_cast<double>(n)});
  double worst = 0;
  for (int i = 0; i < parabolic::n; ++i)
    worst =
        std::fmax(worst, std::abs(s.y[i] - parabolic::exact(1, (i + 1.0) / (parabolic::n + 1))));
  return worst;
}

/// What is left of the order, measured with fixed steps between h = 1/20 and 1/160.
template <class M>
void check_reduction(const M& m, double relaxed, double moving) {
  CAPTURE(std::string(m.name));
  const double on_relaxed = slope(m, [](const auto& m, index n) { return relaxed_error(m, n); });
  const double on_moving = slope(m, [](const auto& m, index n) { return parabolic_error(m, n); });
  CAPTURE(on_relaxed);
  CAPTURE(on_moving);
  CHECK(std::abs(on_relaxed - relaxed) < 0.15);
  CHECK(std::abs(on_moving - moving) < 0.15);
}

}  // namespace revode
