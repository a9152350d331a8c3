// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/lu.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

constexpr double d = 0.29289321881345248;  // 1/(2 + √2)

/// A linearly implicit method of order 2 with W = I − h d J:
///   W k1 = f0 + h d f_t,  W (k2 − k1) = f1 − k1,  y_new = y + h k2,  f1 = f(t + h/2, y + h/2 k1)
/// source  Shampine & Reichelt, SIAM J. Sci. Comput. 18 (1997) 1–22, section 3
struct rosenbrock23 {
  static constexpr const char* name = "rosenbrock23";
  static constexpr int order = 2, embedded_order = 2, dense_order = 2;

  template <class Y>
  struct stages {
    Y y, f_t, k1, half, f1, k2;
    mat<scalar_t<Y>, Y::size()> j;
    lu<scalar_t<Y>, Y::size()> w;
    template <class Self, class Visit>
    static void parts(Self& self, Visit&& visit) {
      for (auto* part : {&self.y, &self.f_t, &self.k1, &self.f1, &self.k2}) visit(*part);
      visit(self.j);
    }
  };
  template <class Y>
  struct stage_values {
    Y y, k1, k2;
    void clear() { y = k1 = k2 = Y{}; }
  };
  template <class Y>
  struct types : default_types<Y> {
    struct cache { Y f0; };
    using tape = stages<Y>;
    using seeds = stage_values<Y>;
    using scratch = stage_values<Y>;  // tangents
  };
};
template <class Y>
using tape_of = rosenbrock23::stages<Y>;

template <class Y>
Y product(const mat<scalar_t<Y>, Y::size()>& j, const Y& x) {
  Y out{};
  for (int i = 0; i < Y::size(); ++i)
    for (int k = 0; k < Y::size(); ++k) out[i] = muladd(j(i, k), x[k], out[i]);
  return out;
}

template <class System, class Y>
void refresh(const rosenbrock23&, System& sys, double t, carry<rosenbrock23, Y>& c) {
  sys(t, c.state, c.cache.f0);
}

template <class System, class Y>
void replay(const rosenbrock23&, System& sys, double t, double t_new, nothing,
            carry<rosenbrock23, Y>& c, tape_of<Y>& s) {
  using T = scalar_t<Y>;
  const T h(t_new - t), hd(d * (t_new - t));
  s.y = s.half = c.state;
  sys.jacobian(t, s.y, s.j);
  sys.time_derivative(t, s.y, s.f_t);
  auto w = s.j;
  for (int i = 0; i < w.rows(); ++i)
    for (int k = 0; k < w.cols(); ++k) w(i, k) = T(i == k ? 1 : 0) - hd * s.j(i, k);
  s.w.factor(w);
  s.k1 = c.cache.f0;
  axpy(hd, s.f_t, s.k1);
  s.w.solve(s.k1);
  axpy(h / T(2), s.k1, s.half);
  sys(0.5 * (t + t_new), s.half, s.f1);
  s.k2 = s.f1;
  axpy(T(-1), s.k1, s.k2);
  s.w.solve(s.k2);
  add(s.k1, s.k2);
  axpy(h, s.k2, c.state);
  sys(t_new, c.state, c.cache.f0);
}

template <class System, class Y>
auto attempt(const rosenbrock23& m, System& sys, const tolerance& tol, double t, double t_new,
             const carry<rosenbrock23, Y>& c, tape_of<Y>& s, carry<rosenbrock23, Y>& next) {
  next = c;
  replay(m, sys, t, t_new, nothing{}, next, s);
  Y e = next.cache.f0;
  const double h = t_new - t, e32 = 6 + std::sqrt(2.0);
  for (int i = 0; i < Y::size(); ++i)
    e[i] += h * d * s.f_t[i] - e32 * (s.k2[i] - s.f1[i]) - 2 * (s.k1[i] - c.cache.f0[i]);
  s.w.solve(e);
  for (int i = 0; i < Y::size(); ++i) e[i] = h / 6 * (s.k1[i] - 2 * s.k2[i] + e[i]);
  outcome<nothing> found;
  if (tol.estimate) found.error_squared = scaled_mean_square(e, next.state, tol);
  return found;
}

/// u1, u2: cotangents of the right-hand sides. h d (f_t + J k1) and h d J (k2 − k1) have their own.
template <class System, class Y, class W, class P>
void pull(const rosenbrock23&, System& sys, double t, double t_new, nothing, const tape_of<Y>& s,
          W&, const rosenbrock23::stage_values<Y>* seeds, Y& y_bar, P& p_bar,
          step_ends<double>* ends) {
  const double h = t_new - t;
  Y u2{}, at_half{}, along = s.k2, slope = s.f_t;
  double t_bar = 0, half_bar = 0, h_bar = dot(y_bar, s.k2);
  axpy(h, y_bar, u2);
  if (seeds != nullptr) add(seeds->k2, u2), add(seeds->y, y_bar);
  Y u1 = u2;
  if (seeds != nullptr) add(seeds->k1, u1);
  s.w.solve_transposed(u2);
  axpy(-1, u2, u1);
  sys.vjp(0.5 * (t + t_new), s.half, u2, &half_bar, at_half, p_bar);
  add(at_half, y_bar);
  axpy(h / 2, at_half, u1);
  s.w.solve_transposed(u1);
  sys.vjp(t, s.y, u1, &t_bar, y_bar, p_bar);
  axpy(-1, s.k1, along);
  add(product(s.j, s.k1), slope);
  h_bar += dot(at_half, s.k1) / 2 + d * (dot(u1, slope) + dot(u2, product(s.j, along)));
  for (double& u : u1) u *= h * d;
  for (double& u : u2) u *= h * d;
  sys.second(t, s.y, u1, 1.0, s.k1, &t_bar, y_bar, p_bar);
  sys.second(t, s.y, u2, 0.0, along, &t_bar, y_bar, p_bar);
  if (ends == nullptr) return;
  ends->t += t_bar + half_bar / 2 - h_bar;
  ends->t_new += half_bar / 2 + h_bar;
}

/// The tangent of f_t k_t + J k with k held: one row at a time, from the gradient of each.
template <class System, class Y, class P>
Y second_along(System& sys, double t, const Y& y, double k_t, const Y& k, double t_dot,
               const Y& y_dot, const P& p_dot) {
  Y out{};
  for (int i = 0; i < Y::size(); ++i) {
    Y row{}, of_y{};
    P of_p = zero_like(p_dot);
    double of_t = 0;
    row[i] = 1;
    sys.second(t, y, row, k_t, k, &of_t, of_y, of_p);
    out[i] = of_t * t_dot + dot(of_y, y_dot) + dot(of_p, p_dot);
  }
  return out;
}

template <class System, class Y, class W, class P>
void push(const rosenbrock23&, System& sys, double t, double t_new, nothing, const tape_of<Y>& s,
          W& w, Y& y_dot, const P& p_dot, const step_ends<double>& ends) {
  const double h = t_new - t, h_dot = ends.t_new - ends.t;
  Y along = s.k2, slope = s.f_t, half_dot = y_dot, f1_dot{};
  axpy(-1, s.k1, along);
  add(product(s.j, s.k1), slope);
  sys.jvp(t, s.y, ends.t, y_dot, p_dot, w.k1);
  axpy(h_dot * d, slope, w.k1);
  axpy(h * d, second_along(sys, t, s.y, 1, s.k1, ends.t, y_dot, p_dot), w.k1);
  s.w.solve(w.k1);
  axpy(h / 2, w.k1, half_dot);
  axpy(h_dot / 2, s.k1, half_dot);
  sys.jvp(0.5 * (t + t_new), s.half, 0.5 * (ends.t + ends.t_new), half_dot, p_dot, f1_dot);
  w.k2 = f1_dot;
  axpy(-1, w.k1, w.k2);
  axpy(h_dot * d, product(s.j, along), w.k2);
  axpy(h * d, second_along(sys, t, s.y, 0, along, ends.t, y_dot, p_dot), w.k2);
  s.w.solve(w.k2);
  add(w.k1, w.k2);
  axpy(h, w.k2, y_dot);
  axpy(h_dot, s.k2, y_dot);
}

/// y + h (b1(θ) k1 + b2(θ) k2), b1 = θ(1 − θ)/(1 − 2d), b2 = θ(θ − 2d)/(1 − 2d)
struct weights {
  double b1, b2, slope1, slope2;
  explicit weights(double x)
      : b1(x * (1 - x) / (1 - 2 * d)), b2(x * (x - 2 * d) / (1 - 2 * d)),
        slope1((1 - 2 * x) / (1 - 2 * d)), slope2((2 * x - 2 * d) / (1 - 2 * d)) {}
};

template <class Y, class W>
void interpolate(const rosenbrock23&, double t, double t_new, const tape_of<Y>& s, const W&,
                 double theta, Y& y) {
  const weights b(theta);
  y = s.y;
  axpy(scalar_t<Y>((t_new - t) * b.b1), s.k1, y);
  axpy(scalar_t<Y>((t_new - t) * b.b2), s.k2, y);
}

template <class Y, class W>
void pull_interpolate(const rosenbrock23&, double t, double t_new, const tape_of<Y>& s, const W&,
                      double theta, const Y& y_bar, rosenbrock23::stage_values<Y>* seeds,
                      interpolation_bar<double>& bar) {
  const weights b(theta);
  const double h = t_new - t, along1 = dot(y_bar, s.k1), along2 = dot(y_bar, s.k2);
  bar.theta += h * (b.slope1 * along1 + b.slope2 * along2);
  bar.h += b.b1 * along1 + b.b2 * along2;
  if (seeds == nullptr) return;
  add(y_bar, seeds->y);
  axpy(h * b.b1, y_bar, seeds->k1);
  axpy(h * b.b2, y_bar, seeds->k2);
}

template <class Y, class W>
void push_interpolate(const rosenbrock23&, double t, double t_new, const tape_of<Y>& s, const W& w,
                      double theta, double theta_dot, const step_ends<double>& ends,
                      const Y& y_dot, Y& out) {
  const weights b(theta);
  const double h = t_new - t, h_dot = ends.t_new - ends.t;
  out = y_dot;
  axpy(h * b.b1, w.k1, out);
  axpy(h * b.b2, w.k2, out);
  axpy(h_dot * b.b1 + h * b.slope1 * theta_dot, s.k1, out);
  axpy(h_dot * b.b2 + h * b.slope2 * theta_dot, s.k2, out);
}

/// A stiff, driven, nonlinear pair.
struct stiff_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = -p[0] * (y[0] - cos(p[1] * t)) + y[1] * y[1];
    dy[1] = y[0] * y[1] * cos(t) - p[1] * y[1];
  }
};

TEST_CASE("a Rosenbrock method obeys every law, with exact second derivatives") {
  problem q{stiff_field{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  for (const double fixed : {0.0, 0.02}) {
    options o{.rtol = 1e-4, .atol = 1e-6, .fixed_step = fixed};
    o.save.ts = {0.213, 0.2131, 1.413};
    const recursive_checkpoint adjoint{.slots = 3};

    CHECK(replay_law(q, rosenbrock23{}, o).holds);
    CHECK(dot_product_law(q, rosenbrock23{}, o, adjoint, 1).worst < 1e-14);
    CHECK(frozen_grid_law(q, rosenbrock23{}, o, adjoint).worst < 1e-12);
    CHECK(finite_difference_check(q, rosenbrock23{}, o, adjoint).worst < 1e-7);
    CHECK(equal_gradients_law(q, rosenbrock23{}, o, adjoint,
                              {.schedule = schedule_kind::store_all}).holds);
  }
}

TEST_CASE("a Rosenbrock method: order 2 at the end and inside, and linear maps commute with it") {
  problem q{stiff_field{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};

  CHECK(order_law(rosenbrock23{}, driven_pair).holds);
  CHECK(order_law(rosenbrock23{}, pendulum).holds);
  CHECK(dense_order_law(rosenbrock23{}, driven_pair).holds);
  CHECK(equivariance_law(q, rosenbrock23{}, {.fixed_step = 0.01}, change_of_variables::shear,
                         1e-13).holds);
}

}  // namespace
}  // namespace revode
