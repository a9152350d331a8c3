// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk_stage.hpp>

namespace revode {

/// f at (t, y), in its parts where the method takes them, into the cache.
template <class M, class System, class Y>
void take_slopes(System& sys, double t, carry<M, Y>& c) {
  implicit_side<M>(sys)(t, c.state, c.cache.slope);
  if constexpr (imex_method<M>) sys.explicit_part()(t, c.state, c.cache.explicit_slope);
}

/// Jacobian and factors as decided, y_n and the first stage, of cache `from`, on the tape. `to` is the carry of
/// the new step, with state and memo of the old one.
template <class M, class System, class Cache, class Y>
status prepare_esdirk_step(const M& m, System& sys, double t, double t_new,
                           const esdirk_record<M>& r, const Cache& from, carry<M, Y>& to,
                           esdirk_stages<M, Y>& s) {
  const double h = t_new - t;
  copy(to.state, s.y);
  copy(from.slope, s.k[0]);
  if constexpr (imex_method<M>) copy(from.explicit_slope, s.e[0]);
  const status found = take_jacobian(m, implicit_side<M>(sys), t, s.y, r, to);
  if (found != status::success) return found;
  if (r.has(r.new_factors)) {
    count_factorization(sys);
    to.memo.h_factors = h;
    const scalar_t<Y> shift = scalar_t<Y>(1) / scalar_t<Y>(h * esdirk_numbers<M>::gamma);
    if (!to.cache.factors.factor_shifted(to.cache.jacobian, shift))
      return status::linear_solve_failure;
  }
  if constexpr (requires { to.cache.factors.price(); })
    to.cache.longer =
        (1 + to.memo.h_factors / h) / 2;  // between 1 and what they ask for: h_factors/h
  return status::success;
}

/// The new state, the last stage or, of a pair, what b makes of all; its slopes; and what the next step is
/// predicted from.
template <class M, class System, class Y>
void finish_esdirk_step(System& sys, double t, double t_new, esdirk_stages<M, Y>& s,
                        carry<M, Y>& to) {
  constexpr int middle = esdirk_numbers<M>::middle;
  const scalar_t<Y> h(t_new - t);
  if constexpr (imex_method<M>)
    add_sum_of_stages(imex_numbers<M>::from_last.w, s.stages, h, s.e, to.cache.z);
  if constexpr (middle > 0) stage_increment(middle, h, s, to.memo.past[0]);
  copy(s.y, to.state);
  add(to.cache.z, to.state);
  copy(to.cache.z, to.memo.past[1]);
  to.memo.h = t_new - t;
  take_slopes(sys, t_new, to);
  if constexpr (imex_method<M>) {
    copy(to.cache.slope, s.end);
    add(to.cache.explicit_slope, s.end);
  }
}

template <esdirk_method M, class System, class Y>
void refresh(const M& m, System& sys, double t, carry<M, Y>& c) {
  using T = scalar_t<Y>;
  static_assert(
      !imex_method<M> || requires { sys.implicit_part(); },
      "an implicit-explicit method takes a field with implicit_part and explicit_part");
  take_slopes(sys, t, c);
  algebra_of(m).evaluate(implicit_side<M>(sys), c.memo.t_jacobian, c.memo.y_jacobian,
                         c.cache.jacobian);
  if (c.memo.h_factors != 0)
    c.cache.factors.factor_shifted(c.cache.jacobian,
                                   T(1) / T(c.memo.h_factors * esdirk_numbers<M>::gamma));
}

template <esdirk_method M, class System, class Y>
void begin(const M& m, System& sys, double t, const Y& y, carry<M, Y>& c) {
  c.state = y;
  c.memo = newton_memo<Y, 2>(y);
  c.memo.t_jacobian = t;
  refresh(m, sys, t, c);
}

template <esdirk_method M, class System, class Y>
void replay(const M& m, System& sys, double t, double t_new, const esdirk_record<M>& r,
            carry<M, Y>& c, esdirk_stages<M, Y>& s) {
  prepare_esdirk_step(m, sys, t, t_new, r, c.cache, c, s);
  auto& side = implicit_side<M>(sys);
  for (int i = 1; i < s.stages; ++i) {
    open_stage(i, t_new - t, c.memo, s, c.cache);
    for (int round = 0; round < r.iterations[i - 1]; ++round) {
      stage_residual<M>(side, i, t, t_new, s.y, c.cache);
      solve_correction<M>(i, t, t_new, goal_of(r), round == 0, c.cache);
      add(c.cache.correction, c.cache.z);
    }
    if constexpr (is_differentiable_v<scalar_t<Y>>)
      settle_stage<M>(algebra_of(m), side, i, t, t_new, s.y, c.cache);
    close_stage(sys, i, t, t_new, c.cache, s);
  }
  finish_esdirk_step(sys, t, t_new, s, c);
}

/// The goal of a trial's solves for Newton's κ, into the record.
template <class Cache, class Record>
inexact_goal goal_of_step(const tolerance& tol, double kappa, double shift,
                          const trial_scale& scale, const Cache& c, Record& r) {
  if constexpr (Cache::inexact)
    if (tol.estimate && c.factors.limits().goal > 0)
      return choose_goal(c.factors.limits().goal, kappa, shift, c.weight, r, scale.weights);
  return {};
}

/// err² of h Σ (b_j − b̂_j) (k_j + e_j), in units of max(|y|, |last stage|), filtered where the method asks for
/// it.
template <class M, class Y, class Cache>
mean_of_all esdirk_error_squared(const tolerance& tol, double h, double h_factors,
                                 const esdirk_stages<M, Y>& s, Cache& c) {
  using T = scalar_t<Y>;
  constexpr int stages = esdirk_numbers<M>::stages;
  Y& error = c.correction;
  double row[stages];
  for (int j = 0; j < stages; ++j) row[j] = M::tableau.a[stages - 1][j] - M::tableau.b_embedded[j];
  // W⁻¹ (e/(hγ)) = (I − hγJ)⁻¹ e, with the factors' h
  double by = M::filtered ? 1 / esdirk_numbers<M>::gamma : h;
  if constexpr (M::filtered && requires { c.factors.price(); }) by *= h / h_factors;
  sum_of_stages(row, stages, T(by), s.k, error);
  if constexpr (imex_method<M>) add_sum_of_stages(row, stages, T(by), s.e, error);
  if constexpr (M::filtered) solve_roughly<false>(c.factors, newton_solve_tolerance, error);
  copy(s.y, c.stage);
  for (int i = 0, n = length(s.y); i < n; ++i) {
    const T end = s.y.data()[i] + c.z.data()[i];
    if (std::abs(end) > std::abs(s.y.data()[i])) c.stage.data()[i] = end;
  }
  fill_weights(c.stage, tol, c.weight);
  return error_mean(tol, error, c.weight, c.stage);
}

/// cost    per stage: the field, or its implicit part, once an iteration; of a pair the explicit part once
template <class M, class System, class Y>
outcome<esdirk_record<M>> try_esdirk_step(const M& m, System& sys, const tolerance& tol, double t,
                                          double t_new, const carry<M, Y>& from,
                                          esdirk_stages<M, Y>& s, carry<M, Y>& next,
                                          bool again = false) {
  const double h = t_new - t;
  outcome<esdirk_record<M>> found;
  const bool old = from.memo.h_factors != 0 && are_dear(from.cache.factors);
  found.record = choose_factors<esdirk_record<M>>(t, h, tol.estimate, from, next, old, again);
  found.what = prepare_esdirk_step(m, sys, t, t_new, found.record, from.cache, next, s);
  if (found.what == status::success &&
      trial_steps_over_growth(sys, tol, found.record, h, next.cache.factors))
    found.what = status::linear_solve_failure;
  trial_scale scale{found.what, 0, 0};
  if (is_spread_v<Y> || found.what == status::success) {
    fill_weights(s.y, tol, next.cache.weight);
    scale = scale_of(tol, s.y, next.cache.weight, found.what);
    found.what = scale.what;
  }
  if (found.what != status::success) {
    found.record.rate = 0.5f;
    return found;
  }
  double rate = from.memo.next.rate, theta = 0;
  bool measured = false;
  // κ: iterations may leave a part of the tolerance, but no less than rounding does
  const double rounding = rounding_in<scalar_t<Y>>(scale.size);
  const double kappa = m.newton > 0 ? m.newton : std::fmax(0.03, rounding);
  const inexact_goal goal =
      goal_of_step(tol, kappa, 1 / (h * esdirk_numbers<M>::gamma), scale, next.cache, found.record);
  if constexpr (requires { next.cache.factors.price(); })
    rate = std::fmax(rate, std::abs(next.cache.longer - 1));
  for (int i = 1; i < esdirk_numbers<M>::stages; ++i) {
    open_stage(i, h, next.memo, s, next.cache);
    newton_control control(tol.estimate ? kappa : 0.0, tol.estimate ? 10 : 50, first_rate(rate),
                           measured, rounding);
    found.what =
        iterate_stage<M>(implicit_side<M>(sys), i, t, t_new, s.y, goal, control, next.cache);
    count_iterations(sys, control.iterations());
    found.record.iterations[i - 1] = static_cast<std::uint8_t>(control.iterations());
    if (found.what != status::success) {
      found.record.rate = static_cast<float>(control.factor());
      return found;
    }
    rate = control.rate();
    measured = control.measured();
    theta = std::fmax(theta, control.theta());
    close_stage(sys, i, t, t_new, next.cache, s);
  }
  found.record.rate = static_cast<float>(rate);
  if (theta <= (are_dear(next.cache.factors) ? 0.1 : 1e-2)) found.record.flags |= found.record.fast;
  if (tol.estimate) {
    take_error(esdirk_numbers<M>::honesty,
               esdirk_error_squared<M>(tol, h, next.memo.h_factors, s, next.cache), found);
    if constexpr (M::filtered) count_solves(sys, 1);
    if (!(found.error_squared <= 1)) return found;
  }
  finish_esdirk_step(sys, t, t_new, s, next);
  if constexpr (is_spread_v<Y>)
    if (!tol.estimate && !all_of_it_finite(next.state)) found.what = status::non_finite_state;
  return found;
}

template <class M, class System, class Y>
[[gnu::flatten]] outcome<esdirk_record<M>> try_small_esdirk_step(
    const M& m, System& sys, const tolerance& tol, double t, double t_new, const carry<M, Y>& from,
    esdirk_stages<M, Y>& s, carry<M, Y>& next) {
  return try_esdirk_step<M>(m, sys, tol, t, t_new, from, s, next);
}

template <esdirk_method M, class System, class Y>
outcome<esdirk_record<M>> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                  double t_new, const carry<M, Y>& from, esdirk_stages<M, Y>& s,
                                  carry<M, Y>& next) {
  if constexpr (stays_small_v<Y>) {
    return try_small_esdirk_step<M>(m, sys, tol, t, t_new, from, s, next);
  } else {
    auto found = try_esdirk_step<M>(m, sys, tol, t, t_new, from, s, next);
    if (found.what != status::newton_failure || found.record.has(found.record.new_factors) ||
        !are_dear(next.cache.factors))
      return found;
    return try_esdirk_step<M>(m, sys, tol, t, t_new, from, s, next, true);
  }
}

template <esdirk_method M, class Controller, class Memory, class Y>
double propose(const M&, const Controller& c, Memory& memory,
               const outcome<esdirk_record<M>>& found, carry<M, Y>& from, carry<M, Y>& next) {
  int most = 1;
  for (const int n : found.record.iterations) most = n > most ? n : most;
  const double work = std::fmin(1.0, 21.0 / (20 + most));
  return propose_by_newton(c, memory, found, from.memo, next.memo, estimate_order<M>() + 1, work,
                           growth_limits{5, 1.1}, are_dear(next.cache.factors));
}

}  // namespace revode
