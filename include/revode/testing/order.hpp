// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <revode/testing/laws.hpp>

namespace revode {

/// Two problems with known solutions, one type, so that a method is compiled once for both:
///   pendulum     q'' = −sin q on its separatrix, q = 2 arctan(sinh t), q' = 2/cosh t
///   driven_pair  x' = x cos t + y − 1/(1 + t²),  y' = −2 t y² + (x − e^{sin t}) y, coupled and
///                non-autonomous, with x = e^{sin t}, y = 1/(1 + t²)
struct order_problem {
  bool driven = false;

  vec<double, 2> solution(double t) const {
    if (driven) return {std::exp(std::sin(t)), 1 / (1 + t * t)};
    return {2 * std::atan(std::sinh(t)), 2 / std::cosh(t)};
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P&, Y& dy) const {
    using std::cos;
    using std::exp;
    using std::sin;
    if (driven) {
      dy[0] = y[0] * cos(t) + y[1] - 1 / (1 + t * t);
      dy[1] = -2 * t * y[1] * y[1] + (y[0] - exp(sin(t))) * y[1];
    } else {
      dy[0] = y[1];
      dy[1] = -sin(y[0]);
    }
  }
};
inline constexpr order_problem pendulum{false}, driven_pair{true};

/// The slope of log error against log step, over errors between 1e-11 and 1e-4; error(n) is that of
/// n steps, infinite if they failed. NaN when fewer than three such errors are found with up to 2¹⁷
/// steps.
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
  return sum < 3 ? std::nan("") : (sum * xy_sum - x_sum * y_sum) / (sum * xx_sum - x_sum * x_sum);
}

/// The final error of fixed steps falls as h^order, observed. f.solution(t) is the solution; worst
/// is the slope found.
/// source  slope ≥ order − 1/4 (order ≥ 7: − 1/2) is what rounding leaves visible in double
template <method M, class F>
law_result order_law(const M& m, const F& f, double t0 = -0.7, double t1 = 1.3) {
  const problem q{f, f.solution(t0), t0, t1};
  law_result r;
  r.worst = observed_slope([&](index n) {
    const auto s = solve(q, m, options{.fixed_step = (t1 - t0) / static_cast<double>(n)});
    const auto exact = f.solution(t1);
    double e = s.status == status::success ? 0 : HUGE_VAL;
    for (int i = 0; i < length(exact); ++i) e = larger(e, std::abs(s.y[i] - exact[i]));
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
  const problem q{f, f.solution(t0), t0, t1};
  save_at save;
  for (int k = 1; k <= 40; ++k) save.ts.push_back(t0 + (t1 - t0) * (k - 0.382) / 40);
  law_result r;
  r.worst = observed_slope([&](index n) {
    options o{.fixed_step = (t1 - t0) / static_cast<double>(n)};
    o.save = save;
    const auto s = solve(q, m, o);
    double e = s.status == status::success ? 0 : HUGE_VAL;
    for (std::size_t k = 0; k < s.ys.size(); ++k) {
      const auto exact = f.solution(s.ts[k]);
      for (int i = 0; i < length(exact); ++i) e = larger(e, std::abs(s.ys[k][i] - exact[i]));
    }
    return e;
  });
  r.holds = r.worst >= expected - (expected >= 7 ? 0.5 : 0.25);
  r.what = std::string(M::name) + ": slope " + std::to_string(r.worst) + " of dense output";
  return r;
}

/// New variables z = A y, one type for all: the same y; a scaling by powers of two, where nothing
/// is rounded and a method that commutes with it does so bit for bit; a shear zᵢ = yᵢ + yᵢ₊₁/3.
enum class change_of_variables { none, scaling, shear };

template <class Y>
void to_new(change_of_variables map, Y& y) {
  using T = scalar_t<Y>;
  for (int i = 0, n = length(y); i < n; ++i) {
    if (map == change_of_variables::scaling) y.data()[i] = y.data()[i] * T(i % 2 == 0 ? 8.0 : 0.25);
    if (map == change_of_variables::shear && i + 1 < n)
      y.data()[i] = y.data()[i] + y.data()[i + 1] / T(3);
  }
}
template <class Y>
void to_old(change_of_variables map, Y& z) {
  using T = scalar_t<Y>;
  for (int n = length(z), i = n - 1; i >= 0; --i) {
    if (map == change_of_variables::scaling)
      z.data()[i] = z.data()[i] * T(i % 2 == 0 ? 0.125 : 4.0);
    if (map == change_of_variables::shear && i + 1 < n)
      z.data()[i] = z.data()[i] - z.data()[i + 1] / T(3);
  }
}

template <class F>
struct transformed_rule {
  const F& f;
  change_of_variables map;
  template <class Face, class T, class Y, class P>
  requires has_face<Face, F, Y, P, scalar_t<Y>>
  void value(Face, const T& t, const Y& z, const P& p, Y& dz) const {
    Y y = z;
    to_old(map, y);
    Face::value(f, t, y, p, dz);
    to_new(map, dz);
  }
};
/// The field of z = A y: g(t, z, p) = A f(t, A⁻¹ z, p), and its parts.
template <class F>
using transformed_field = field_by<transformed_rule<F>>;

/// A step of the transformed problem is the transformed step: with fixed steps the solution of
/// z' = A f(t, A⁻¹ z), z0 = A y0 is A y. bound 0 asks for equal bits (scaling); worst is the
/// largest difference, relative to the largest element.
template <method M, class F, class Y, class P>
law_result equivariance_law(const problem<F, Y, P>& q, const M& m, const options& o,
                            change_of_variables map, double bound) {
  using field = transformed_field<std::remove_cvref_t<F>>;
  const auto solution_in = [&](change_of_variables variables) {
    problem z{field{{q.f, variables}}, q.y0, q.t0, q.t1, q.p};
    to_new(variables, z.y0);
    return solve(z, m, o).y;
  };
  Y direct = solution_in(change_of_variables::none);
  const Y around = solution_in(map);
  to_new(map, direct);
  law_result r;
  double largest = 0;
  for (int i = 0, n = length(direct); i < n; ++i) {
    const auto a = static_cast<double>(direct.data()[i]), b = static_cast<double>(around.data()[i]);
    largest = larger(largest, std::abs(a));
    r.worst = larger(r.worst, std::abs(a - b));
  }
  if (r.worst != 0) r.worst /= largest;
  r.holds = r.worst <= bound;
  r.what = std::string(M::name) + " in other variables";
  return r;
}

}  // namespace revode
