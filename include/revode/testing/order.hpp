// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/testing/laws.hpp>

namespace revode {

/// The pendulum q'' = −sin q on its separatrix: q = 2 arctan(sinh t), v = 2/cosh t.
struct pendulum {
  static vec<double, 2> solution(double t) {
    return {2 * std::atan(std::sinh(t)), 2 / std::cosh(t)};
  }
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P&, Y& dy) const {
    using std::sin;
    dy[0] = y[1];
    dy[1] = -sin(y[0]);
  }
};

/// A coupled, nonlinear, non-autonomous pair with x = e^{sin t}, y = 1/(1 + t²):
///   x' = x cos t + y − 1/(1 + t²),  y' = −2 t y² + (x − e^{sin t}) y
struct driven_pair {
  static vec<double, 2> solution(double t) {
    return {std::exp(std::sin(t)), 1 / (1 + t * t)};
  }
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y& y, const P&, Y& dy) const {
    using std::cos;
    using std::exp;
    using std::sin;
    dy[0] = y[0] * cos(t) + y[1] - 1 / (1 + t * t);
    dy[1] = -2 * t * y[1] * y[1] + (y[0] - exp(sin(t))) * y[1];
  }
};

/// The slope of log error against log step, over errors between 1e-11 and 1e-4; error(n) is that of
/// n steps, infinite if they failed. NaN when fewer than three such errors are found with up to 2¹⁷ steps.
template <class Error>
double observed_slope(const Error& error) {
  double sum = 0, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;
  index before = 0;
  for (double steps = 2; steps < 1.4e5; steps *= 1.2599210498948732) {
    const auto n = static_cast<index>(std::lround(steps));
    if (n == before) continue;
    before = n;
    const double e = error(n);
    if (!(e < 1e-4)) continue;
    if (e < 1e-11) break;
    const double x = -std::log(static_cast<double>(n)), y = std::log(e);
    sum += 1;
    x_sum += x;
    y_sum += y;
    xx_sum += x * x;
    xy_sum += x * y;
  }
  return sum < 3 ? std::nan("")
                 : (sum * xy_sum - x_sum * y_sum) / (sum * xx_sum - x_sum * x_sum);
}

/// The final error of fixed steps falls as h^order, observed. Solution is a static member of the
/// field. worst is the slope found.
/// source  slope ≥ order − 1/4 (order ≥ 7: − 1/2) is what rounding leaves visible in double
template <method M, class F>
law_result order_law(const M& m, const F& f, double t0 = -0.7, double t1 = 1.3) {
  const problem q{f, F::solution(t0), t0, t1};
  law_result r;
  r.worst = observed_slope([&](index n) {
    const auto s = solve(q, m, options{.fixed_step = (t1 - t0) / static_cast<double>(n)});
    const auto exact = F::solution(t1);
    double e = s.status == status::success ? 0 : HUGE_VAL;
    for (int i = 0; i < length(exact); ++i) e = std::fmax(e, std::abs(s.y[i] - exact[i]));
    return e;
  });
  r.holds = r.worst >= M::order - (M::order >= 7 ? 0.5 : 0.25);
  r.what = std::string(M::name) + ": slope " + std::to_string(r.worst);
  return r;
}

/// The largest error of dense output at 40 save points falls at least as h^dense_order, and as
/// h^min(order, dense_order + 1) where `expected` says so.
template <method M, class F>
law_result dense_order_law(const M& m, const F& f, int expected = M::dense_order, double t0 = -0.7,
                           double t1 = 1.3) {
  const problem q{f, F::solution(t0), t0, t1};
  save_at save;
  for (int k = 1; k <= 40; ++k) save.ts.push_back(t0 + (t1 - t0) * (k - 0.382) / 40);
  law_result r;
  r.worst = observed_slope([&](index n) {
    options o{.fixed_step = (t1 - t0) / static_cast<double>(n)};
    o.save = save;
    const auto s = solve(q, m, o);
    double e = s.status == status::success ? 0 : HUGE_VAL;
    for (std::size_t k = 0; k < s.ys.size(); ++k) {
      const auto exact = F::solution(s.ts[k]);
      for (int i = 0; i < length(exact); ++i) e = std::fmax(e, std::abs(s.ys[k][i] - exact[i]));
    }
    return e;
  });
  r.holds = r.worst >= expected - (expected >= 7 ? 0.5 : 0.25);
  r.what = std::string(M::name) + ": slope " + std::to_string(r.worst) + " of dense output";
  return r;
}

/// z = A y as new variables: forward z = A y, back y = A⁻¹ z, both in place. Diagonal A, powers of
/// two: nothing is rounded, and a method that commutes with it does so bit for bit.
struct power_of_two_scaling {
  template <class Y>
  static void forward(Y& y) {
    for (int i = 0, n = length(y); i < n; ++i) y.data()[i] = y.data()[i] * (i % 2 == 0 ? 8.0 : 0.25);
  }
  template <class Y>
  static void back(Y& y) {
    for (int i = 0, n = length(y); i < n; ++i) y.data()[i] = y.data()[i] * (i % 2 == 0 ? 0.125 : 4.0);
  }
};

/// zᵢ = yᵢ + yᵢ₊₁/3
struct shear {
  template <class Y>
  static void forward(Y& y) {
    for (int i = 0; i + 1 < length(y); ++i) y.data()[i] = y.data()[i] + y.data()[i + 1] / 3.0;
  }
  template <class Y>
  static void back(Y& y) {
    for (int i = length(y) - 2; i >= 0; --i) y.data()[i] = y.data()[i] - y.data()[i + 1] / 3.0;
  }
};

/// The field of z = A y: g(t, z, p) = A f(t, A⁻¹ z, p).
template <class Map, class F>
struct transformed_field {
  const F& f;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& z, const P& p, Y& dz) const {
    Y y = z;
    Map::back(y);
    f(t, y, p, dz);
    Map::forward(dz);
  }
};

/// A step of the transformed problem is the transformed step: with fixed steps the solution of
/// z' = A f(t, A⁻¹ z), z0 = A y0 is A y. bound 0 asks for equal bits (power_of_two_scaling); worst
/// is the largest difference, relative to the largest element.
template <class Map, method M, class F, class Y, class P>
law_result equivariance_law(const problem<F, Y, P>& q, const M& m, const options& o, double bound) {
  const transformed_field<Map, std::remove_cvref_t<F>> field{q.f};
  problem moved{field, q.y0, q.t0, q.t1, q.p};
  Map::forward(moved.y0);
  Y direct = solve(q, m, o).y;
  const Y around = solve(moved, m, o).y;
  Map::forward(direct);
  law_result r;
  double largest = 0;
  for (int i = 0, n = length(direct); i < n; ++i) {
    const double a = direct.data()[i], b = around.data()[i];
    largest = std::fmax(largest, std::abs(a));
    r.worst = std::fmax(r.worst, std::abs(a - b));
  }
  if (r.worst > 0) r.worst /= largest;
  r.holds = r.worst <= bound;
  r.what = std::string(M::name) + " in other variables";
  return r;
}

}  // namespace revode
