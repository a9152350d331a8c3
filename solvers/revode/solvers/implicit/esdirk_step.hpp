// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/functions.hpp>
#include <revode/solvers/implicit/esdirk_types.hpp>

namespace revode {

/// z of the first implicit stage: the last step's polynomial through its start, a middle stage and
/// its end, less its end.
template <class M, class Y>
void predict_first_stage(const newton_memo<Y, 2>& memo, double h, Y& z) {
  using T = scalar_t<Y>;
  fill(z, T(0));
  if (memo.h == 0) return;
  const double x = M::tableau.c[1] * h / memo.h;
  if constexpr (esdirk_numbers<M>::middle == 0) {
    axpy(T(x), memo.past[1], z);
  } else {
    const double m = M::tableau.c[esdirk_numbers<M>::middle];
    axpy(T((1 + x) * x / (m * (m - 1))), memo.past[0], z);
    axpy(T((1 + x) * (1 + x - m) / (1 - m) - 1), memo.past[1], z);
  }
}

/// What stage i starts from: c.known = h Σ_{j<i} a_ij k_j and the predicted c.z.
template <class M, class Y>
void open_stage(int i, double h, const newton_memo<Y, 2>& memo, const esdirk_stages<M, Y>& s,
                esdirk_cache<algebra_t<M>, Y>& c) {
  using T = scalar_t<Y>;
  sum_of_stages(M::tableau.a[i], i, T(h), s.k, c.known);
  if (i == 1)
    predict_first_stage<M>(memo, h, c.z);
  else
    sum_of_stages(esdirk_numbers<M>::predictor.p[i], i, T(h), s.k, c.z);
}

/// What is left of the stage equation (z − known)/(hγ) = f(tᵢ, y + z), in c.correction.
template <class M, class System, class Y, class Cache>
void stage_residual(System& sys, int i, double t, double t_new, const Y& y, Cache& c) {
  using T = scalar_t<Y>;
  const T inverse = T(1) / T((t_new - t) * esdirk_numbers<M>::gamma);
  copy(y, c.stage);
  add(c.z, c.stage);
  sys(esdirk_time<M>(i, t, t_new), c.stage, c.correction);
  for (int k = 0, n = length(y); k < n; ++k)
    c.correction.data()[k] =
        muladd(inverse, c.known.data()[k] - c.z.data()[k], c.correction.data()[k]);
}

/// c.correction ← (I/(hγ) − J)⁻¹ c.correction with J, and h, as the factors have it; with J at the stage, and no
/// further than the goal, where there is one. Whether it was reached.
template <class M, class Cache>
bool solve_correction(int i, double t, double t_new, double goal, bool first, Cache& c) {
  if constexpr (Cache::inexact) {
    using T = scalar_t<decltype(c.stage)>;
    if (goal > 0)
      c.factors.move(esdirk_time<M>(i, t, t_new), c.stage,
                     T(1) / T((t_new - t) * esdirk_numbers<M>::gamma));
    return solve_to(c.factors, goal, first, c.correction);
  } else {
    solve_roughly<false>(c.factors, newton_solve_tolerance, c.correction);
    if constexpr (requires { c.factors.price(); })
      if (c.longer != 1)
        for (int k = 0, n = length(c.correction); k < n; ++k)
          c.correction.data()[k] = c.correction.data()[k] / c.longer;
    return true;
  }
}
/// k_i = (z − known)/(hγ): f is not evaluated again, which would magnify what is left of the error.
template <class M, class Y>
void close_stage(int i, double h, const esdirk_cache<algebra_t<M>, Y>& c, esdirk_stages<M, Y>& s) {
  using T = scalar_t<Y>;
  const T inverse = T(1) / T(h * esdirk_numbers<M>::gamma);
  for (int k = 0, n = length(s.y); k < n; ++k)
    s.k[i].data()[k] = inverse * (c.z.data()[k] - c.known.data()[k]);
}

/// Over duals: the tangent of the solved stage, with the Jacobian there, by corrections that leave
/// values alone.
template <class M, class A, class System, class Y, class Cache>
void settle_stage(const A& algebra, System& sys, int i, double t, double t_new, const Y& y,
                  Cache& c) {
  using T = scalar_t<Y>;
  auto jacobian = c.jacobian;
  auto factors = c.factors;
  copy(y, c.stage);
  add(c.z, c.stage);
  algebra.evaluate(sys, esdirk_time<M>(i, t, t_new), c.stage, jacobian);
  if (!factors.factor_shifted(jacobian, T(1) / T((t_new - t) * esdirk_numbers<M>::gamma)))
    report(sys, status::linear_solve_failure);
  for (int round = 0; round < 3; ++round) {
    stage_residual<M>(sys, i, t, t_new, y, c);
    for (int k = 0, n = length(y); k < n; ++k)
      c.correction.data()[k] = c.correction.data()[k] - T(value_of(c.correction.data()[k]));
    factors.solve(c.correction);
    add(c.correction, c.z);
  }
}

/// Jacobian and factors as decided, y_n and the first stage on the tape. `to` is the carry of the
/// new step, with state and memo of the old one.
template <class M, class System, class Y>
status prepare_esdirk_step(const M& m, System& sys, double t, double t_new,
                           const esdirk_record<M>& r, const Y& slope, carry<M, Y>& to,
                           esdirk_stages<M, Y>& s) {
  const double h = t_new - t;
  copy(to.state, s.y);
  copy(slope, s.k[0]);
  const status found = take_jacobian(m, sys, t, s.y, r, to);
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

/// The new state, the last stage; its slope; and what the next step is predicted from.
template <class M, class System, class Y>
void finish_esdirk_step(System& sys, double t, double t_new, const esdirk_stages<M, Y>& s,
                        carry<M, Y>& to) {
  constexpr int middle = esdirk_numbers<M>::middle;
  copy(s.y, to.state);
  add(to.cache.z, to.state);
  if constexpr (middle > 0)
    sum_of_stages(M::tableau.a[middle], middle + 1, scalar_t<Y>(t_new - t), s.k, to.memo.past[0]);
  copy(to.cache.z, to.memo.past[1]);
  to.memo.h = t_new - t;
  sys(t_new, to.state, to.cache.slope);
}

template <esdirk_method M, class System, class Y>
void refresh(const M& m, System& sys, double t, carry<M, Y>& c) {
  using T = scalar_t<Y>;
  sys(t, c.state, c.cache.slope);
  algebra_of(m).evaluate(sys, c.memo.t_jacobian, c.memo.y_jacobian, c.cache.jacobian);
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
  const double h = t_new - t;
  prepare_esdirk_step(m, sys, t, t_new, r, c.cache.slope, c, s);
  for (int i = 1; i < esdirk_numbers<M>::stages; ++i) {
    open_stage<M>(i, h, c.memo, s, c.cache);
    for (int round = 0; round < r.iterations[i - 1]; ++round) {
      stage_residual<M>(sys, i, t, t_new, s.y, c.cache);
      solve_correction<M>(i, t, t_new, goal_of(r), round == 0, c.cache);
      add(c.cache.correction, c.cache.z);
    }
    if constexpr (is_differentiable_v<scalar_t<Y>>)
      settle_stage<M>(algebra_of(m), sys, i, t, t_new, s.y, c.cache);
    close_stage<M>(i, h, c.cache, s);
  }
  finish_esdirk_step<M>(sys, t, t_new, s, c);
}

template <class M, class System, class Y, class Cache>
status iterate_stage(System& sys, int i, double t, double t_new, const Y& y,
                     const inexact_goal& goal, newton_control& control, Cache& c) {
  using verdict = newton_control::verdict;
  for (bool first = true;; first = false) {
    stage_residual<M>(sys, i, t, t_new, y, c);
    if (!first && goal.residual > 0) {
      const double left = plain_norm(c.correction) / goal.residual;
      if (left <= 1) {
        control.settle(left * goal.correction);
        return status::success;
      }
    }
    const bool reached = solve_correction<M>(i, t, t_new, goal.residual, first, c);
    const double norm = std::sqrt(weighted_square(c.correction, c.weight));
    const verdict found = control.judge(norm);
    if (found == verdict::failed) {
      if (norm - norm == 0) return status::newton_failure;
      if constexpr (requires { c.factors.trouble_of_numbers(); })
        return c.factors.trouble_of_numbers();
      return status::non_finite_field;
    }
    add(c.correction, c.z);
    if (found == verdict::done && (reached || control.iterations() >= 10)) return status::success;
  }
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

/// err² of h Σ (b_j − b̂_j) k_j, filtered where the method asks for it.
template <class M, class Y>
mean_of_all esdirk_error_squared(const tolerance& tol, double h, double h_factors,
                                 const esdirk_stages<M, Y>& s, esdirk_cache<algebra_t<M>, Y>& c) {
  using T = scalar_t<Y>;
  constexpr int stages = esdirk_numbers<M>::stages;
  Y& error = c.correction;
  double row[stages];
  for (int j = 0; j < stages; ++j) row[j] = M::tableau.a[stages - 1][j] - M::tableau.b_embedded[j];
  // W⁻¹ (e/(hγ)) = (I − hγJ)⁻¹ e, with the factors' h
  double by = M::filtered ? 1 / esdirk_numbers<M>::gamma : h;
  if constexpr (M::filtered && requires { c.factors.price(); }) by *= h / h_factors;
  sum_of_stages(row, stages, T(by), s.k, error);
  if constexpr (M::filtered) solve_roughly<false>(c.factors, newton_solve_tolerance, error);
  copy(s.y, c.stage);
  for (int i = 0, n = length(s.y); i < n; ++i) {
    const T end = s.y.data()[i] + c.z.data()[i];
    if (std::abs(end) > std::abs(s.y.data()[i])) c.stage.data()[i] = end;
  }
  fill_weights(c.stage, tol, c.weight);
  return error_mean(tol, error, c.weight, c.stage);
}

template <class M, class System, class Y>
outcome<esdirk_record<M>> try_esdirk_step(const M& m, System& sys, const tolerance& tol, double t,
                                          double t_new, const carry<M, Y>& from,
                                          esdirk_stages<M, Y>& s, carry<M, Y>& next,
                                          bool again = false) {
  const double h = t_new - t;
  outcome<esdirk_record<M>> found;
  const bool old = from.memo.h_factors != 0 && are_dear(from.cache.factors);
  found.record = choose_factors<esdirk_record<M>>(t, h, tol.estimate, from, next, old, again);
  found.what = prepare_esdirk_step(m, sys, t, t_new, found.record, from.cache.slope, next, s);
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
    open_stage<M>(i, h, next.memo, s, next.cache);
    newton_control control(tol.estimate ? kappa : 0.0, tol.estimate ? 10 : 50, first_rate(rate),
                           measured, rounding);
    found.what = iterate_stage<M>(sys, i, t, t_new, s.y, goal, control, next.cache);
    count_iterations(sys, control.iterations());
    found.record.iterations[i - 1] = static_cast<std::uint8_t>(control.iterations());
    if (found.what != status::success) {
      found.record.rate = static_cast<float>(control.factor());
      return found;
    }
    rate = control.rate();
    measured = control.measured();
    theta = std::fmax(theta, control.theta());
    close_stage<M>(i, h, next.cache, s);
  }
  found.record.rate = static_cast<float>(rate);
  if (theta <= (are_dear(next.cache.factors) ? 0.1 : 1e-2)) found.record.flags |= found.record.fast;
  if (tol.estimate) {
    take_error(esdirk_numbers<M>::honesty,
               esdirk_error_squared<M>(tol, h, next.memo.h_factors, s, next.cache), found);
    if constexpr (M::filtered) count_solves(sys, 1);
    if (!(found.error_squared <= 1)) return found;
  }
  finish_esdirk_step<M>(sys, t, t_new, s, next);
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
