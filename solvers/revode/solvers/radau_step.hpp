// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <revode/ad/functions.hpp>
#include <revode/solvers/radau_types.hpp>

namespace revode {

/// Lᵢ(θ), i = 1 … 3, of the polynomial that is 0 at θ = 0 and zᵢ at cᵢ, and their derivatives.
struct radau_basis {
  double value[3], slope[3];

  explicit radau_basis(double theta) {
    fill<0, 1, 2>(theta);
    fill<1, 2, 0>(theta);
    fill<2, 0, 1>(theta);
  }

 private:
  template <int I, int P, int Q>
  void fill(double theta) {
    constexpr double c = radau_numbers::c[I], p = radau_numbers::c[P], q = radau_numbers::c[Q];
    constexpr double scale = 1 / (c * (c - p) * (c - q));
    value[I] = scale * theta * (theta - p) * (theta - q);
    slope[I] = scale * ((theta - p) * (theta - q) + theta * (2 * theta - p - q));
  }
};

/// z ← the last step's polynomial at the stages of this one, less its end: 0 where there is none.
template <class Y>
void predict_radau_stages(const newton_memo<Y, 3>& memo, double h, Y (&z)[3]) {
  using T = scalar_t<Y>;
  if (memo.h == 0) {
    for (Y& part : z) fill(part, T(0));
    return;
  }
  const double ratio = h / memo.h;
  for (int i = 0; i < 3; ++i) {
    const radau_basis at(muladd(radau_numbers::c[i], ratio, 1.0));
    const T a(at.value[0]), b(at.value[1]), c(at.value[2] - 1);
    for (int k = 0, n = length(z[i]); k < n; ++k)
      z[i].data()[k] = muladd(a, memo.past[0].data()[k],
                              muladd(b, memo.past[1].data()[k], c * memo.past[2].data()[k]));
  }
}

/// One correction of the stages, in variables w = T⁻¹ z in which the Newton system falls apart.
/// cost    3 field evaluations, a real and a complex solve
template <class System, class L, class Y>
void radau_correction(System& sys, double t, double t_new, const radau_stages<Y>& s,
                      radau_cache<L, Y>& c) {
  using T = scalar_t<Y>;
  const T inverse = T(1) / T(t_new - t);
  const T gamma = T(radau_numbers::gamma) * inverse, alpha = T(radau_numbers::alpha) * inverse,
          beta = T(radau_numbers::beta) * inverse;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0, n = length(s.y); k < n; ++k)
      c.stage.data()[k] = s.y.data()[k] + s.z[i].data()[k];
    sys(radau_time(i, t, t_new), c.stage, c.correction[i]);
  }
  transform(radau_numbers::t_inverse, c.correction, c.correction);
  for (int k = 0, n = length(s.y); k < n; ++k) {
    const T w0 = c.w[0].data()[k], w1 = c.w[1].data()[k], w2 = c.w[2].data()[k];
    T& r1 = c.correction[1].data()[k];
    T& r2 = c.correction[2].data()[k];
    c.correction[0].data()[k] = muladd(-gamma, w0, c.correction[0].data()[k]);
    r1 = muladd(beta, w2, muladd(-alpha, w1, r1));
    r2 = muladd(-beta, w1, muladd(-alpha, w2, r2));
  }
}
template <class L, class Y>
void solve_radau_correction(radau_cache<L, Y>& c) {
  c.factors.real.solve(c.correction[0]);
  c.factors.complex.solve(c.correction[1], c.correction[2]);
}
template <class L, class Y>
void apply_radau_correction(radau_stages<Y>& s, radau_cache<L, Y>& c) {
  for (int i = 0; i < 3; ++i) add(c.correction[i], c.w[i]);
  transform(radau_numbers::t, c.w, s.z);
}

/// The first part of a step: Jacobian and factors as decided, y_n on the tape, predicted stages.
/// `to` is the carry of the new step, with the state and memo of the old one.
template <class M, class System, class Y>
status prepare_radau_step(const M& m, System& sys, double t, double t_new, newton_record<1> r,
                          carry<M, Y>& to, radau_stages<Y>& s) {
  const double h = t_new - t;
  copy(to.state, s.y);
  predict_radau_stages(to.memo, h, s.z);
  transform(radau_numbers::t_inverse, s.z, to.cache.w);
  const status found = take_jacobian(m, sys, t, s.y, r, to);
  if (found != status::success) return found;
  if (r.has(r.new_factors)) {
    count_factorization(sys);
    to.memo.h_factors = h;
    if (!to.cache.factors.factor(to.cache.jacobian, scalar_t<Y>(h)))
      return status::linear_solve_failure;
  }
  return status::success;
}

/// The last part: the new state and its slope, and what the next step's stages come from.
template <class M, class System, class Y>
void finish_radau_step(System& sys, double t, double t_new, const radau_stages<Y>& s,
                       carry<M, Y>& to) {
  for (int k = 0, n = length(s.y); k < n; ++k)
    to.state.data()[k] = s.y.data()[k] + s.z[2].data()[k];
  for (int i = 0; i < 3; ++i) copy(s.z[i], to.memo.past[i]);
  to.memo.h = t_new - t;
  sys(t_new, to.state, to.cache.slope);
}

/// Over duals: the tangent of the solved stage equations, by corrections that leave values alone,
/// with a Jacobian of the new point.
template <class L, class System, class Y>
void settle_tangents(const L& algebra, System& sys, double t, double t_new, radau_stages<Y>& s,
                     radau_cache<L, Y> c) {
  using T = scalar_t<Y>;
  Y end = s.y;
  add(s.z[2], end);
  algebra.evaluate(sys, t_new, end, c.jacobian);
  c.factors.factor(c.jacobian, T(t_new - t));
  transform(radau_numbers::t_inverse, s.z, c.w);
  for (int round = 0; round < 60; ++round) {
    radau_correction(sys, t, t_new, s, c);
    for (Y& part : c.correction)
      for (int k = 0, n = length(part); k < n; ++k)
        part.data()[k] = part.data()[k] - T(value_of(part.data()[k]));
    solve_radau_correction(c);
    const auto values = s;
    apply_radau_correction(s, c);
    for (int i = 0; i < 3; ++i)
      for (int k = 0, n = length(s.y); k < n; ++k)
        s.z[i].data()[k].value = values.z[i].data()[k].value;
  }
}

template <radau_method M, class System, class Y>
void refresh(const M& m, System& sys, double t, carry<M, Y>& c) {
  sys(t, c.state, c.cache.slope);
  algebra_of(m).evaluate(sys, c.memo.t_jacobian, c.memo.y_jacobian, c.cache.jacobian);
  if (c.memo.h_factors != 0)
    c.cache.factors.factor(c.cache.jacobian, scalar_t<Y>(c.memo.h_factors));
}

template <radau_method M, class System, class Y>
void begin(const M& m, System& sys, double t, const Y& y, carry<M, Y>& c) {
  c.state = y;
  c.memo = newton_memo<Y, 3>(y);
  c.memo.t_jacobian = t;
  refresh(m, sys, t, c);
}

template <radau_method M, class System, class Y>
void replay(const M& m, System& sys, double t, double t_new, newton_record<1> r, carry<M, Y>& c,
            radau_stages<Y>& s) {
  prepare_radau_step(m, sys, t, t_new, r, c, s);
  for (int i = 0; i < r.iterations[0]; ++i) {
    radau_correction(sys, t, t_new, s, c.cache);
    solve_radau_correction(c.cache);
    apply_radau_correction(s, c.cache);
  }
  if constexpr (is_differentiable_v<scalar_t<Y>>)
    settle_tangents(algebra_of(m), sys, t, t_new, s, c.cache);
  finish_radau_step(sys, t, t_new, s, c);
}

/// Iterates until the control is satisfied; the record of it.
template <class System, class L, class Y>
status iterate_radau(System& sys, double t, double t_new, newton_control& control,
                     radau_stages<Y>& s, radau_cache<L, Y>& c) {
  using verdict = newton_control::verdict;
  for (;;) {
    radau_correction(sys, t, t_new, s, c);
    solve_radau_correction(c);
    double sum = 0;
    for (const Y& part : c.correction) sum += weighted_square(part, c.weight);
    const double norm = std::sqrt(sum / 3);
    const verdict found = control.judge(norm);
    if (found == verdict::failed)
      return norm - norm == 0 ? status::newton_failure : status::non_finite_field;
    apply_radau_correction(s, c);
    if (found == verdict::done) return status::success;
  }
}

/// err² of the embedded formula of order 3; for a first step or after a rejection its stiff part is
/// evaluated once more.
template <class System, class L, class Y>
double radau_error_squared(System& sys, double t, double h, bool careful, const radau_stages<Y>& s,
                           const Y& slope, radau_cache<L, Y>& c) {
  using T = scalar_t<Y>;
  const T e0(radau_numbers::e[0] / h), e1(radau_numbers::e[1] / h), e2(radau_numbers::e[2] / h);
  Y& error = c.stage;
  Y& of_stages = c.correction[0];
  for (int k = 0, n = length(s.y); k < n; ++k) {
    of_stages.data()[k] =
        muladd(e0, s.z[0].data()[k], muladd(e1, s.z[1].data()[k], e2 * s.z[2].data()[k]));
    error.data()[k] = of_stages.data()[k] + slope.data()[k];
  }
  c.factors.real.solve(error);
  count_solves(sys, 1);
  const double squared = weighted_square(error, c.weight);
  if (squared < 1 || !careful) return squared;
  add(s.y, error);
  sys(t, error, c.correction[1]);
  copy(c.correction[1], error);
  add(of_stages, error);
  c.factors.real.solve(error);
  count_solves(sys, 1);
  return weighted_square(error, c.weight);
}

/// The accuracy asked of the stages is tighter than that of the step: 0.1 rtol^(2/3), and atol in
/// proportion.
template <class M, class System, class Y>
outcome<newton_record<1>> try_radau_step(const M& m, System& sys, const tolerance& tol, double t,
                                         double t_new, const carry<M, Y>& from, radau_stages<Y>& s,
                                         carry<M, Y>& next) {
  const double h = t_new - t;
  const double root = std::cbrt(tol.rtol), rtol = 0.1 * root * root;
  const double atol = tol.rtol > 0 ? rtol * (tol.atol / tol.rtol) : tol.atol;
  outcome<newton_record<1>> found;
  found.record = choose_factors<newton_record<1>>(t, h, tol.estimate, from, next);
  found.what = prepare_radau_step(m, sys, t, t_new, found.record, next, s);
  if (found.what != status::success) {
    found.record.rate = 0.5f;
    return found;
  }
  const double kappa = m.newton > 0 ? m.newton : newton_tolerance(rtol);
  fill_weights(s.y, rtol, atol, next.cache.weight);
  newton_control control(tol.estimate ? kappa : 0.0, tol.estimate ? 7 : 50,
                         first_rate(from.memo.next.rate));
  found.what = iterate_radau(sys, t, t_new, control, s, next.cache);
  count_iterations(sys, control.iterations());
  found.record.iterations[0] = static_cast<std::uint8_t>(control.iterations());
  if (found.what != status::success) {
    found.record.rate = static_cast<float>(control.factor());
    return found;
  }
  found.record.rate = static_cast<float>(control.rate());
  if (control.theta() <= 1e-3) found.record.flags |= found.record.fast;
  if (tol.estimate) {
    const bool careful = from.memo.next.accepted_h == 0 || from.memo.next.rejected;
    found.error_squared = radau_error_squared(sys, t, h, careful, s, from.cache.slope, next.cache);
    if (!(found.error_squared <= 1)) return found;
  }
  finish_radau_step(sys, t, t_new, s, next);
  return found;
}

template <class M, class System, class Y>
[[gnu::flatten]] outcome<newton_record<1>> try_small_radau_step(
    const M& m, System& sys, const tolerance& tol, double t, double t_new, const carry<M, Y>& from,
    radau_stages<Y>& s, carry<M, Y>& next) {
  return try_radau_step(m, sys, tol, t, t_new, from, s, next);
}

template <radau_method M, class System, class Y>
outcome<newton_record<1>> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                  double t_new, const carry<M, Y>& from, radau_stages<Y>& s,
                                  carry<M, Y>& next) {
  if constexpr (stays_small_v<Y>)
    return try_small_radau_step(m, sys, tol, t, t_new, from, s, next);
  else
    return try_radau_step(m, sys, tol, t, t_new, from, s, next);
}

template <radau_method M, class Controller, class Memory, class Y>
double propose(const M&, const Controller& c, Memory& memory,
               const outcome<newton_record<1>>& found, carry<M, Y>& from, carry<M, Y>& next) {
  const double work = std::fmin(1.0, 15.0 / (14 + found.record.iterations[0]));
  return propose_by_newton(c, memory, found, from.memo, next.memo, 4, work, 8.0);
}

}  // namespace revode
