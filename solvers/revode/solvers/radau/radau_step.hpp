// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include <revode/ad/functions.hpp>
#include <revode/solvers/radau/radau_aims.hpp>
#include <revode/solvers/radau/radau_basis.hpp>
#include <revode/solvers/radau/radau_control.hpp>
#include <revode/solvers/radau/radau_types.hpp>

namespace revode {

/// One correction of the stages, in variables w = T⁻¹ z in which the Newton system falls apart.
/// cost    S field evaluations, a real and (S − 1)/2 complex solves
template <class System, class L, class Y, int S>
void radau_correction(System& sys, double t, double t_new, const radau_stages<Y, S>& s,
                      radau_cache<L, Y, S>& c) {
  using T = scalar_t<Y>;
  using numbers = radau_numbers<S>;
  const T inverse = T(1) / T(t_new - t), gamma = T(numbers::gamma) * inverse;
  for (int i = 0; i < S; ++i) {
    for (int k = 0, n = length(s.y); k < n; ++k)
      c.stage.data()[k] = s.y.data()[k] + s.z[i].data()[k];
    sys(radau_time<S>(i, t, t_new), c.stage, c.correction[i]);
  }
  transform(numbers::t_inverse, c.correction, c.correction);
  const auto& mass = mass_of(sys);
  for (int k = 0, n = length(s.y); k < n; ++k) {
    T& r = c.correction[0].data()[k];
    r = add_mass_times(mass, k, -gamma, c.w[0].data(), r);
  }
  for (int i = 1; i < S; i += 2) {
    const T alpha = T(numbers::alpha[i / 2]) * inverse, beta = T(numbers::beta[i / 2]) * inverse;
    const T *w1 = c.w[i].data(), *w2 = c.w[i + 1].data();
    for (int k = 0, n = length(s.y); k < n; ++k) {
      T& r1 = c.correction[i].data()[k];
      T& r2 = c.correction[i + 1].data()[k];
      r1 = add_mass_times(mass, k, beta, w2, add_mass_times(mass, k, -alpha, w1, r1));
      r2 = add_mass_times(mass, k, -beta, w1, add_mass_times(mass, k, -alpha, w2, r2));
    }
  }
}
template <class L, class Y, int S>
void apply_radau_correction(radau_stages<Y, S>& s, radau_cache<L, Y, S>& c) {
  for (int i = 0; i < S; ++i) add(c.correction[i], c.w[i]);
  transform(radau_numbers<S>::t, c.w, s.z);
}

/// The first part of a step: Jacobian and factors as decided, y_n on the tape, predicted stages.
/// `to` is the carry of the new step, with the state and memo of the old one. A carry is here whatever has
/// a state, memo and cache (variable_step.hpp).
template <class M, class System, class Y, class Carry>
status prepare_radau_step(const M& m, System& sys, double t, double t_new, newton_record<1> r,
                          Carry& to, radau_stages<Y, M::stages>& s) {
  const double h = t_new - t;
  copy(to.state, s.y);
  predict_radau_stages(to.memo, h, s.z);
  transform(radau_numbers<M::stages>::t_inverse, s.z, to.cache.w);
  const status found = take_jacobian(m, sys, t, s.y, r, to);
  if (found != status::success) return found;
  if (r.has(r.new_factors)) {
    count_factorization(sys);
    to.memo.h_factors = h;
    if (!to.cache.factors.factor(to.cache.jacobian, scalar_t<Y>(h), mass_of(sys)))
      return status::linear_solve_failure;
  }
  return status::success;
}

/// The last part: the new state and its slope, and what the next step's stages come from.
template <class System, class Y, int S, class Carry>
void finish_radau_step(System& sys, double t, double t_new, const radau_stages<Y, S>& s,
                       Carry& to) {
  constexpr int last = S - 1;
  for (int k = 0, n = length(s.y); k < n; ++k)
    to.state.data()[k] = s.y.data()[k] + s.z[last].data()[k];
  for (int i = 0; i <= last; ++i) copy(s.z[i], to.memo.past[i]);
  to.memo.h = t_new - t;
  sys(t_new, to.state, to.cache.slope);
}

template <class L, class System, class Carry>
void refresh_radau(const L& algebra, System& sys, double t, Carry& c) {
  using T = scalar_t<std::remove_cvref_t<decltype(c.state)>>;
  sys(t, c.state, c.cache.slope);
  algebra.evaluate(sys, c.memo.t_jacobian, c.memo.y_jacobian, c.cache.jacobian);
  if (c.memo.h_factors != 0)
    c.cache.factors.factor(c.cache.jacobian, T(c.memo.h_factors), mass_of(sys));
}
template <radau_method M, class System, class Y>
void refresh(const M& m, System& sys, double t, carry<M, Y>& c) {
  refresh_radau(algebra_of(m), sys, t, c);
}

template <radau_method M, class System, class Y>
void begin(const M& m, System& sys, double t, const Y& y, carry<M, Y>& c) {
  c.state = y;
  if constexpr (is_massive_v<System>) make_consistent(sys, t, c.state);
  c.memo = newton_memo<Y, M::stages>(c.state);
  c.memo.t_jacobian = t;
  refresh(m, sys, t, c);
}

template <class M, class System, class Y, class Carry>
void replay_radau_step(const M& m, System& sys, double t, double t_new, newton_record<1> r,
                       Carry& c, radau_stages<Y, M::stages>& s) {
  prepare_radau_step(m, sys, t, t_new, r, c, s);
  for (int i = 0; i < r.iterations[0]; ++i) {
    radau_correction(sys, t, t_new, s, c.cache);
    c.cache.factors.solve(c.cache.correction);
    apply_radau_correction(s, c.cache);
  }
  if constexpr (is_differentiable_v<scalar_t<Y>>)
    settle_tangents(algebra_of(m), sys, t, t_new, s, c.cache);
  finish_radau_step(sys, t, t_new, s, c);
}
template <radau_method M, class System, class Y>
void replay(const M& m, System& sys, double t, double t_new, newton_record<1> r, carry<M, Y>& c,
            radau_stages_t<M, Y>& s) {
  replay_radau_step(m, sys, t, t_new, r, c, s);
}

/// The squares of all corrections, each a mean over elements; of a spread state one decision.
template <class L, class Y, int S>
double mean_of_corrections(const radau_cache<L, Y, S>& c) {
  double sum = 0;
  if constexpr (is_spread_v<Y>) {
    const auto add = [&c](int i, double* of) {
      for (const Y& part : c.correction) {
        const double x = c.weight.data()[i] * part.data()[i];
        *of = muladd(x, x, *of);
      }
    };
    sum = sums_over<1>(c.weight, add).of[0] / count_of(c.weight);
  } else {
    for (const Y& part : c.correction) sum += weighted_square(part, c.weight);
  }
  return sum;
}

/// Iterates until the control is satisfied; the record of it.
template <class System, class L, class Y, int S>
status iterate_radau(System& sys, double t, double t_new, newton_control& control,
                     radau_stages<Y, S>& s, radau_cache<L, Y, S>& c) {
  using verdict = newton_control::verdict;
  for (;;) {
    radau_correction(sys, t, t_new, s, c);
    c.factors.solve(c.correction);
    const double norm = std::sqrt(mean_of_corrections(c) / S);
    const verdict found = control.judge(norm);
    if (found == verdict::failed)
      return norm - norm == 0 ? status::newton_failure : status::non_finite_field;
    apply_radau_correction(s, c);
    if (found == verdict::done) return status::success;
  }
}

/// err² by how fast the step's polynomial falls, a the norm of its coefficients of degrees m … S, see radau_tail:
///   e (C e/a)^p,  p = (S − 1)/(S + 1 − m), at most e:
/// of order 2S where coefficients fall by a factor a degree, as of smooth solutions, and e at a bend, where they
/// do not. Of elements of index 1. C² by steps of smooth problems, which pay 0 to 3 % more of them, and of `nand`.
template <class System, class L, class Y, int S>
double rough_error_squared(System& sys, const tolerance& tol, double squared, double allowed,
                           const radau_stages<Y, S>& s, radau_cache<L, Y, S>& c) {
  using T = scalar_t<Y>;
  if (allowed <= 1 || squared * allowed * allowed <= 1e-2) return 0;
  Y& part = c.correction[1];
  const auto square_of_part = [&] {
    drop_higher_index(mass_of(sys), part);
    return error_squared(tol, part, c.weight);
  };
  double of_error = squared, tail = 0;
  if (has_higher_index(mass_of(sys))) {
    copy(c.stage, part);
    of_error = square_of_part();
  }
  for (const auto& of : radau_tail_of<S>.of) {
    for (int k = 0, n = length(part); k < n; ++k) {
      T sum(-0.0);
      for (int i = 0; i < S; ++i) sum = muladd(T(of[i]), s.z[i].data()[k], sum);
      part.data()[k] = sum;
    }
    tail += square_of_part();
  }
  const double fall = std::fmin((S == 5 ? 1 : 9) * of_error / tail, 1.0);
  return of_error * allowed * allowed * (S == 3 ? fall : fall * fall);
}

/// How many tolerances the error of a stiff component may be in a step.
inline constexpr double radau_stiff_bound = 20;

/// err² of an estimate e, in c.stage, over what it is allowed; where the solution bends, see above; or S times its
/// stiff part
///   (−hJ/γ (I − hJ/γ)⁻¹)^((S−1)/2) e
/// over radau_stiff_bound, of elements of index 1: where the order is reduced to that of e, the step's
/// error is S e (the limit for h λ → −∞, where the solution has degree S + 1).
template <class System, class L, class Y, int S>
double judge_radau_error(System& sys, const tolerance& tol, double h, double allowed,
                         const radau_stages<Y, S>& s, radau_cache<L, Y, S>& c) {
  using T = scalar_t<Y>;
  const double squared = error_squared(tol, c.stage, c.weight);
  const double part = S * allowed / radau_stiff_bound, most = part * part;
  if (!(squared <= 1)) return squared;
  const double found = std::fmax(squared, rough_error_squared(sys, tol, squared, allowed, s, c));
  if (most <= 1 || most * squared <= 1e-2) return found;
  const T inverse = T(radau_numbers<S>::gamma / h);
  Y &stiff = c.correction[1], &smooth = c.correction[2];
  copy(c.stage, stiff);
  for (int i = 1; i < S; i += 2) {
    for (int k = 0, n = length(stiff); k < n; ++k)
      smooth.data()[k] = add_mass_times(mass_of(sys), k, inverse, stiff.data(), T(-0.0));
    c.factors.real.solve(smooth);
    count_solves(sys, 1);
    axpy(T(-1), smooth, stiff);
  }
  drop_higher_index(mass_of(sys), stiff);
  return std::fmax(found, most * error_squared(tol, stiff, c.weight));
}

/// err² of the embedded formula of order S; for a first step or after a rejection its stiff part is
/// evaluated once more.
/// cost    a real solve; (S − 1)/2 more where the tolerance is so tight that the bound may bind
template <class System, class L, class Y, int S>
double radau_error_squared(System& sys, const tolerance& tol, double t, double h, bool careful,
                           double allowed, const radau_stages<Y, S>& s, const Y& slope,
                           radau_cache<L, Y, S>& c) {
  using T = scalar_t<Y>;
  T e[S];
  for (int i = 0; i < S; ++i) e[i] = T(radau_numbers<S>::e[i] / h);
  Y& error = c.stage;
  Y& of_stages = c.correction[0];
  const auto& mass = mass_of(sys);
  for (int k = 0, n = length(s.y); k < n; ++k) {
    T sum(-0.0);
    for (int i = S - 1; i >= 0; --i) sum = add_mass_times(mass, k, e[i], s.z[i].data(), sum);
    of_stages.data()[k] = sum;
    error.data()[k] = sum + slope.data()[k];
  }
  c.factors.real.solve(error);
  count_solves(sys, 1);
  const double squared = judge_radau_error(sys, tol, h, allowed, s, c);
  if (squared < 1 || !careful) return squared;
  add(s.y, error);
  sys(t, error, c.correction[1]);
  copy(c.correction[1], error);
  add(of_stages, error);
  c.factors.real.solve(error);
  count_solves(sys, 1);
  return judge_radau_error(sys, tol, h, allowed, s, c);
}

template <class M, class System, class Y, class From, class To>
outcome<newton_record<1>> try_radau_step(const M& m, System& sys, const tolerance& tol, double t,
                                         double t_new, const From& from,
                                         radau_stages<Y, M::stages>& s, To& next) {
  constexpr int stages = M::stages;
  const double h = t_new - t;
  outcome<newton_record<1>> found;
  found.record = choose_factors<newton_record<1>>(t, h, tol.estimate, from, next);
  found.what = prepare_radau_step(m, sys, t, t_new, found.record, next, s);
  if (found.what == status::success &&
      trial_steps_over_growth(sys, tol, found.record, h, next.cache.factors.real))
    found.what = status::linear_solve_failure;
  radau_aims aims{};
  if (is_spread_v<Y> || found.what == status::success) {
    aims = aim_radau_step(tol, next.memo, s.y, found.what, next.cache);
    found.what = aims.what;
  }
  if (found.what != status::success) {
    found.record.rate = 0.5f;
    return found;
  }
  weigh_by_index(mass_of(sys), h, next.cache.weight);
  const double kappa = m.newton > 0 ? m.newton : aims.kappa;
  newton_control control(tol.estimate ? kappa : 0.0, tol.estimate ? radau_iterations<stages> : 50,
                         first_rate(from.memo.next.rate), false, aims.rounding);
  if (has_higher_index(mass_of(sys))) control.expect_uneven();
  found.what = iterate_radau(sys, t, t_new, control, s, next.cache);
  count_iterations(sys, control.iterations());
  next.cache.theta = control.theta();
  found.record.iterations[0] = static_cast<std::uint8_t>(control.iterations());
  if (found.what != status::success) {
    found.record.rate = static_cast<float>(control.factor());
    return found;
  }
  found.record.rate = static_cast<float>(control.rate());
  if (control.theta() <= 1e-3) found.record.flags |= found.record.fast;
  if (tol.estimate) {
    const bool careful = from.memo.next.accepted_h == 0 || from.memo.next.rejected;
    found.error_squared =
        radau_error_squared(sys, tol, t, h, careful, aims.allowed, s, from.cache.slope, next.cache);
    if (!(found.error_squared <= 1)) return found;
  }
  finish_radau_step(sys, t, t_new, s, next);
  if (is_spread_v<Y> && !all_of_it_finite(next.state)) {
    found.what = status::non_finite_state;
    found.record.rate = 0.5f;
  }
  return found;
}

template <class M, class System, class Y, class From, class To>
[[gnu::flatten]] outcome<newton_record<1>> try_small_radau_step(const M& m, System& sys,
                                                                const tolerance& tol, double t,
                                                                double t_new, const From& from,
                                                                radau_stages<Y, M::stages>& s,
                                                                To& next) {
  return try_radau_step(m, sys, tol, t, t_new, from, s, next);
}
template <class M, class System, class Y, class From, class To>
outcome<newton_record<1>> attempt_radau_step(const M& m, System& sys, const tolerance& tol,
                                             double t, double t_new, const From& from,
                                             radau_stages<Y, M::stages>& s, To& next) {
  if constexpr (stays_small_v<Y>)
    return try_small_radau_step(m, sys, tol, t, t_new, from, s, next);
  else
    return try_radau_step(m, sys, tol, t, t_new, from, s, next);
}

template <radau_method M, class System, class Y>
outcome<newton_record<1>> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                  double t_new, const carry<M, Y>& from, radau_stages_t<M, Y>& s,
                                  carry<M, Y>& next) {
  return attempt_radau_step(m, sys, tol, t, t_new, from, s, next);
}

}  // namespace revode
