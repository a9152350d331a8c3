// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/imex_types.hpp>

namespace revode {

/// What stage i starts from: c.known = h Σ_{j<i} (a^E_ij e_j + a^I_ij k_j) and the predicted c.z.
template <class M, class Y, class Cache>
void open_imex_stage(int i, double h, const newton_memo<Y, 2>& memo, const imex_stages<M, Y>& s,
                     Cache& c) {
  using T = scalar_t<Y>;
  using base = typename M::implicit_method;
  sum_of_stages(base::tableau.a[i], i, T(h), s.k, c.known);
  add_sum_of_stages(base::explicit_rows[i], i, T(h), s.e, c.known);
  if (i == 1) {
    predict_first_stage<base>(memo, h, c.z);
  } else {
    sum_of_stages(imex_numbers<M>::predictor.p[i], i, T(h), s.k, c.z);
    add_sum_of_stages(imex_numbers<M>::explicit_predictor.p[i], i, T(h), s.e, c.z);
  }
}

/// k_i = (z − known)/(hγ), and the explicit part at the stage.
template <class M, class System, class Y, class Cache>
void close_imex_stage(System& sys, int i, double t, double t_new, Cache& c, imex_stages<M, Y>& s) {
  using T = scalar_t<Y>;
  const T inverse = T(1) / T((t_new - t) * imex_numbers<M>::gamma);
  for (int l = 0, n = length(s.y); l < n; ++l)
    s.k[i].data()[l] = inverse * (c.z.data()[l] - c.known.data()[l]);
  copy(s.y, c.stage);
  add(c.z, c.stage);
  sys.explicit_part()(esdirk_time<typename M::implicit_method>(i, t, t_new), c.stage, s.e[i]);
}

/// Jacobian and factors as decided, y_n and the first stage on the tape.
template <class M, class System, class Y>
status prepare_imex_step(const M& m, System& sys, double t, double t_new, const imex_record<M>& r,
                         const imex_cache<algebra_t<M>, Y>& from, carry<M, Y>& to,
                         imex_stages<M, Y>& s) {
  const double h = t_new - t;
  copy(to.state, s.y);
  copy(from.slope, s.k[0]);
  copy(from.explicit_slope, s.e[0]);
  auto& part = sys.implicit_part();
  const status found = take_jacobian(m, part, t, s.y, r, to);
  if (found != status::success || !r.has(r.new_factors)) return found;
  count_factorization(sys);
  to.memo.h_factors = h;
  const scalar_t<Y> shift = scalar_t<Y>(1) / scalar_t<Y>(h * imex_numbers<M>::gamma);
  return to.cache.factors.factor_shifted(to.cache.jacobian, shift) ? status::success
                                                                   : status::linear_solve_failure;
}

template <imex_method M, class System, class Y>
void imex_slopes(const M&, System& sys, double t, carry<M, Y>& c) {
  sys.implicit_part()(t, c.state, c.cache.slope);
  sys.explicit_part()(t, c.state, c.cache.explicit_slope);
}

/// The new state, from the last stage; its slopes; and what the next step is predicted from.
template <class M, class System, class Y>
void finish_imex_step(const M& m, System& sys, double t, double t_new, imex_stages<M, Y>& s,
                      carry<M, Y>& to) {
  using numbers = imex_numbers<M>;
  using T = scalar_t<Y>;
  add_sum_of_stages(numbers::from_last.w, numbers::stages, T(t_new - t), s.e, to.cache.z);
  if constexpr (numbers::middle > 0)
    imex_increment(numbers::middle, T(t_new - t), s, to.memo.past[0]);
  copy(s.y, to.state);
  add(to.cache.z, to.state);
  copy(to.cache.z, to.memo.past[1]);
  to.memo.h = t_new - t;
  imex_slopes(m, sys, t_new, to);
  copy(to.cache.slope, s.end);
  add(to.cache.explicit_slope, s.end);
}

template <imex_method M, class System, class Y>
void refresh(const M& m, System& sys, double t, carry<M, Y>& c) {
  using T = scalar_t<Y>;
  static_assert(
      requires { sys.implicit_part(); },
      "an implicit-explicit method takes a field with implicit_part and explicit_part");
  imex_slopes(m, sys, t, c);
  auto& part = sys.implicit_part();
  algebra_of(m).evaluate(part, c.memo.t_jacobian, c.memo.y_jacobian, c.cache.jacobian);
  if (c.memo.h_factors != 0)
    c.cache.factors.factor_shifted(c.cache.jacobian,
                                   T(1) / T(c.memo.h_factors * imex_numbers<M>::gamma));
}

template <imex_method M, class System, class Y>
void begin(const M& m, System& sys, double t, const Y& y, carry<M, Y>& c) {
  c.state = y;
  c.memo = newton_memo<Y, 2>(y);
  c.memo.t_jacobian = t;
  refresh(m, sys, t, c);
}

template <imex_method M, class System, class Y>
void replay(const M& m, System& sys, double t, double t_new, const imex_record<M>& r,
            carry<M, Y>& c, imex_stages<M, Y>& s) {
  using base = typename M::implicit_method;
  prepare_imex_step(m, sys, t, t_new, r, c.cache, c, s);
  auto& part = sys.implicit_part();
  for (int i = 1; i < imex_numbers<M>::stages; ++i) {
    open_imex_stage(i, t_new - t, c.memo, s, c.cache);
    for (int round = 0; round < r.iterations[i - 1]; ++round) {
      stage_residual<base>(part, i, t, t_new, s.y, c.cache);
      solve_correction<base>(i, t, t_new, goal_of(r), round == 0, c.cache);
      add(c.cache.correction, c.cache.z);
    }
    if constexpr (is_differentiable_v<scalar_t<Y>>)
      settle_stage<base>(algebra_of(m), part, i, t, t_new, s.y, c.cache);
    close_imex_stage(sys, i, t, t_new, c.cache, s);
  }
  finish_imex_step(m, sys, t, t_new, s, c);
}

/// err² of h Σ (b_j − b̂_j)(e_j + k_j), in units of max(|y|, |last stage|), filtered where the
/// implicit method asks for it.
template <class M, class Y, class Cache>
mean_of_all imex_error_squared(const tolerance& tol, double h, const imex_stages<M, Y>& s,
                               Cache& c) {
  using T = scalar_t<Y>;
  using numbers = imex_numbers<M>;
  constexpr bool filtered = M::implicit_method::filtered;
  const T scale = filtered ? T(1 / numbers::gamma) : T(h);
  Y& error = c.correction;
  sum_of_stages(numbers::estimate.w, numbers::stages, scale, s.k, error);
  add_sum_of_stages(numbers::estimate.w, numbers::stages, scale, s.e, error);
  if constexpr (filtered) solve_roughly<false>(c.factors, newton_solve_tolerance, error);
  copy(s.y, c.stage);
  for (int i = 0, n = length(s.y); i < n; ++i) {
    const T end = s.y.data()[i] + c.z.data()[i];
    if (std::abs(end) > std::abs(s.y.data()[i])) c.stage.data()[i] = end;
  }
  fill_weights(c.stage, tol, c.weight);
  return error_mean(tol, error, c.weight, c.stage);
}

/// All implicit stages, after preparations that ended so; `theta` the slowest convergence among them.
template <class M, class System, class Y, class Cache>
status solve_imex_stages(const M& m, System& sys, const tolerance& tol, double t, double t_new,
                         const newton_memo<Y, 2>& memo, status prepared, double& rate,
                         double& theta, imex_stages<M, Y>& s, Cache& c, imex_record<M>& r) {
  using base = typename M::implicit_method;
  bool measured = false;
  auto& part = sys.implicit_part();
  fill_weights(s.y, tol, c.weight);
  const trial_scale scale = scale_of(tol, s.y, c.weight, prepared);
  if (scale.what != status::success) {
    rate = 0.5;
    return scale.what;
  }
  const double rounding = rounding_in<scalar_t<Y>>(scale.size);
  const double kappa = m.newton > 0 ? m.newton : std::fmax(0.03, rounding);
  const inexact_goal goal =
      goal_of_step(tol, kappa, 1 / ((t_new - t) * imex_numbers<M>::gamma), scale, c, r);
  for (int i = 1; i < imex_numbers<M>::stages; ++i) {
    open_imex_stage(i, t_new - t, memo, s, c);
    newton_control control(tol.estimate ? kappa : 0.0, tol.estimate ? 10 : 50, first_rate(rate),
                           measured, rounding);
    const status found = iterate_stage<base>(part, i, t, t_new, s.y, goal, control, c);
    count_iterations(sys, control.iterations());
    r.iterations[i - 1] = static_cast<std::uint8_t>(control.iterations());
    if (found != status::success) {
      rate = control.factor();
      return found;
    }
    rate = control.rate();
    measured = control.measured();
    theta = std::fmax(theta, control.theta());
    close_imex_stage(sys, i, t, t_new, c, s);
  }
  return status::success;
}

/// cost    per stage: the explicit part once, the implicit part once an iteration
template <imex_method M, class System, class Y>
outcome<imex_record<M>> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                double t_new, const carry<M, Y>& from, imex_stages<M, Y>& s,
                                carry<M, Y>& next) {
  const double h = t_new - t;
  outcome<imex_record<M>> found;
  auto& r = found.record;
  r = choose_factors<imex_record<M>>(t, h, tol.estimate, from, next);
  found.what = prepare_imex_step(m, sys, t, t_new, r, from.cache, next, s);
  if (!is_spread_v<Y> && found.what != status::success) {
    r.rate = 0.5f;
    return found;
  }
  double rate = from.memo.next.rate, theta = 0;
  found.what = solve_imex_stages(m, sys, tol, t, t_new, next.memo, found.what, rate, theta, s,
                                 next.cache, r);
  r.rate = static_cast<float>(rate);
  if (found.what != status::success) return found;
  if (theta <= 1e-2) r.flags |= r.fast;
  if (tol.estimate) {
    take_error(imex_numbers<M>::honesty, imex_error_squared(tol, h, s, next.cache), found);
    if constexpr (M::implicit_method::filtered) count_solves(sys, 1);
    if (!(found.error_squared <= 1)) return found;
  }
  finish_imex_step(m, sys, t, t_new, s, next);
  if constexpr (is_spread_v<Y>)
    if (!tol.estimate && !all_of_it_finite(next.state)) found.what = status::non_finite_state;
  return found;
}

template <imex_method M, class Controller, class Memory, class Y>
double propose(const M&, const Controller& c, Memory& memory, const outcome<imex_record<M>>& found,
               carry<M, Y>& from, carry<M, Y>& next) {
  int most = 1;
  for (const int n : found.record.iterations) most = n > most ? n : most;
  const double work = std::fmin(1.0, 21.0 / (20 + most));
  return propose_by_newton(c, memory, found, from.memo, next.memo, estimate_order<M>() + 1, work,
                           growth_limits{5, 1.1});
}

}  // namespace revode
