// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solve/options.hpp>
#include <revode/solvers/explicit/runge_kutta_types.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// tᵢ = t + cᵢ h; exactly t_new where cᵢ = 1, since t + (t_new − t) need not be t_new.
template <class M, int I>
REVODE_HD double stage_time(double t, double t_new) {
  constexpr double c = coefficients<M>::c(I);
  if constexpr (c == 0)
    return t;
  else if constexpr (c == 1)
    return t_new;
  else
    return muladd(c, t_new - t, t);
}

/// out = y + h Σⱼ Row(j) kⱼ
template <class Row, int Last, class Y>
REVODE_HD void advance_state(const Y& y, scalar_t<Y> h, const scalar_t<Y>* const* k, Y& out) {
  using T = scalar_t<Y>;
  const T* from = y.data();
  T* __restrict to = out.data();
  T weight[Last];
  scale_row<Row, 0, Last>(h, weight);
  sweep_elements(
      out, [&](int i) __attribute__((always_inline)) {
        to[i] = add_weighted<Row, 0, Last>(from[i], weight, k, i);
      });
}

/// dy = f(t, y, p), as the call of stage I.
template <int I, class System, class Y>
REVODE_HD void call_stage(System& sys, double t, const Y& y, Y& dy) {
  if constexpr (requires { sys.call(I, t, y, dy); })
    sys.call(I, t, y, dy);
  else
    sys(t, y, dy);
}

/// Stages I, I + 1, … of the step that tape.y starts; `stage` ends as the last stage's value.
template <class M, int I, class System, class Y>
REVODE_HD void evaluate_stages(System& sys, double t, double t_new, rk_tape<M, Y>& tape, Y& stage) {
  if constexpr (I < coefficients<M>::stages) {
    using T = scalar_t<Y>;
    if constexpr (I == 0) {
      call_stage<0>(sys, t, tape.y, tape.k[0]);
    } else {
      const T* k[I];
      for (int j = 0; j < I; ++j) k[j] = tape.k[j].data();
      advance_state<stage_row<M, I>, I>(tape.y, static_cast<T>(t_new - t), k, stage);
      call_stage<I>(sys, stage_time<M, I>(t, t_new), stage, tape.k[I]);
    }
    evaluate_stages<M, I + 1>(sys, t, t_new, tape, stage);
  }
}

/// tape.y and the first stage's cache → all stages, and the new state in `out`.
template <class M, class System, class Y, class Cache>
REVODE_HD void take_step(System& sys, double t, double t_new, const Cache& cache,
                         rk_tape<M, Y>& tape, Y& out) {
  using T = scalar_t<Y>;
  constexpr int s = coefficients<M>::stages;
  if constexpr (coefficients<M>::fsal) {
    copy(cache.k, tape.k[0]);
    evaluate_stages<M, 1>(sys, t, t_new, tape, out);  // the last stage's value is the new state
  } else {
    evaluate_stages<M, 0>(sys, t, t_new, tape, out);
    const T* k[s];
    for (int j = 0; j < s; ++j) k[j] = tape.k[j].data();
    advance_state<solution_row<M>, s>(tape.y, static_cast<T>(t_new - t), k, out);
  }
}

/// Mean of (h Σ eⱼ kⱼ / (atol + rtol max(|y|, |y_new|)))²; with a second estimate of low order
/// (DOP853), E²/(E + E_low/100) of the two means. The divisions do not wait for the last stage. Of a spread
/// state `finite` is told whether y_new is, on all ranks.
template <class M, class Y>
REVODE_HD double scaled_error_squared(const tolerance& tol, double h, const rk_tape<M, Y>& tape,
                                      const Y& y_new, [[maybe_unused]] bool* finite = nullptr) {
  using T = scalar_t<Y>;
  using std::abs;
  constexpr int s = coefficients<M>::stages;
  const T* k[s];
  for (int j = 0; j < s; ++j) k[j] = tape.k[j].data();
  T e[s], e_low[s];
  scale_row<error_row<M>, 0, s>(static_cast<T>(h), e);
  scale_row<low_error_row<M>, 0, s>(static_cast<T>(h), e_low);
  const T* a = tape.y.data();
  const T* b = y_new.data();
  const T rtol = static_cast<T>(tol.rtol), atol = static_cast<T>(tol.atol);
  const auto add_squares = [&](int i, auto* sums) __attribute__((always_inline)) {
    using sum_type = std::remove_cvref_t<decltype(*sums)>;
    const T from = abs(a[i]), to = abs(b[i]);
    const T weight = 1 / muladd(rtol, to > from ? to : from, atol);
    const sum_type error = weight * add_weighted<error_row<M>, 0, s>(T(-0.0), e, k, i);
    sums[0] = muladd(error, error, sums[0]);
    if constexpr (requires { M::b_embedded_low; }) {
      const sum_type other = weight * add_weighted<low_error_row<M>, 0, s>(T(-0.0), e_low, k, i);
      sums[1] = muladd(other, other, sums[1]);
    }
  };
  constexpr int estimates = requires { M::b_embedded_low; }
  ? 2 : 1;
  const auto sums = sums_over<estimates, T>(y_new, add_squares);
  if constexpr (is_spread_v<Y>) *finite = sums.finite;
  const double n = count_of(y_new);
  const double to_mean = n > 0 ? 1.0 / n : 0.0;
  const double mean = to_mean * static_cast<double>(value_of(sums.of[0]));
  if constexpr (requires { M::b_embedded_low; }) {
    const double both = muladd(0.01 * to_mean, static_cast<double>(value_of(sums.of[1])), mean);
    return both == 0 ? 0.0 : mean * (mean / both);
  }
  return mean;
}

/// The same under options::norm.
template <class M, class Y>
#if defined(__CUDACC__)
__host__ __device__
#else
[[gnu::noinline, gnu::cold]]
#endif
    double
    component_error_squared(const component_scale& each, double h, const rk_tape<M, Y>& tape,
                            const Y& y_new) {
  using T = scalar_t<Y>;
  constexpr int s = coefficients<M>::stages;
  const T* k[s];
  for (int j = 0; j < s; ++j) k[j] = tape.k[j].data();
  T e[s];
  const auto norm_of = [&]<class Row>(Row) {
    scale_row<Row, 0, s>(static_cast<T>(h), e);
    return norm_squared(each, tape.y, y_new,
                        [&](int i) { return add_weighted<Row, 0, s>(T(-0.0), e, k, i); });
  };
  const double norm = norm_of(error_row<M>{});
  if constexpr (requires { M::b_embedded_low; }) {
    const double both = norm + 0.01 * norm_of(low_error_row<M>{});
    return both == 0 ? 0.0 : norm * (norm / both);
  }
  return norm;
}

template <explicit_method M, class System, class Y>
REVODE_HD void refresh(const M&, System& sys, double t, carry<M, Y>& c) {
  if constexpr (coefficients<M>::fsal) call_stage<0>(sys, t, c.state, c.cache.k);
}

/// An attempt without a call around it, for loops over lanes. It has no status but its error.
template <explicit_method M, class System, class Y>
REVODE_HD double attempt_flat(const M&, System& sys, const tolerance& tol, double t, double t_new,
                              const carry<M, Y>& from, rk_tape<M, Y>& tape, carry<M, Y>& next) {
  copy(from.state, tape.y);
  take_step<M>(sys, t, t_new, from.cache, tape, next.state);
  if constexpr (coefficients<M>::fsal) copy(tape.k[coefficients<M>::stages - 1], next.cache.k);
  if constexpr (has_estimate_v<M>)
    if (tol.estimate) return scaled_error_squared<M>(tol, t_new - t, tape, next.state);
  return 0;
}

/// States small enough for that.
template <class Y>
inline constexpr bool stays_in_registers =
    std::is_trivially_copyable_v<Y>&& static_size_v<Y> >= 0 && static_size_v<Y> <= 16;

/// The same in locals, with the field inlined at every use: stages then live in registers. Where
/// such code begins matters: 16 bytes off a multiple of 32 it takes a fifth longer (g++ 12, Zen 5).
template <class M, class System, class Y>
REVODE_FLAT double try_in_registers(const M& m, System& sys, const tolerance& tol, double t,
                                    double t_new, const carry<M, Y>& from, rk_tape<M, Y>& tape,
                                    carry<M, Y>& next) {
  rk_tape<M, Y> stages;
  carry<M, Y> reached;
  const double error_squared = attempt_flat(m, sys, tol, t, t_new, from, stages, reached);
  next = reached;
  tape = stages;
  return error_squared;
}

/// The decision of an attempt with a spread state: error, finiteness and what was thrown at once.
template <class M, class Y>
outcome<nothing> decide(const tolerance& tol, double h, const rk_tape<M, Y>& tape, const Y& y_new) {
  outcome<nothing> found;
  bool finite;
  if (has_estimate_v<M> && tol.estimate)
    found.error_squared = scaled_error_squared<M>(tol, h, tape, y_new, &finite);
  else
    finite = all_of_it_finite(y_new);
  // An infinite element has an infinite scale, hence a scaled error of 0.
  if (found.error_squared <= 1 && !finite) found.what = status::non_finite_state;
  return found;
}

template <explicit_method M, class System, class Y>
REVODE_HD outcome<nothing> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                   double t_new, const carry<M, Y>& from, rk_tape<M, Y>& tape,
                                   carry<M, Y>& next) {
  if constexpr (is_spread_v<Y>) {
    attempt_flat(m, sys, {.estimate = false}, t, t_new, from, tape, next);
    return decide<M>(tol, t_new - t, tape, next.state);
  }
  double error_squared;
  if constexpr (stays_in_registers<Y>)
    error_squared = try_in_registers(m, sys, tol, t, t_new, from, tape, next);
  else
    error_squared = attempt_flat(m, sys, tol, t, t_new, from, tape, next);
  if constexpr (has_estimate_v<M>)
    if (tol.each != nullptr)
      error_squared = component_error_squared<M>(*tol.each, t_new - t, tape, next.state);
  return {error_squared};
}

template <explicit_method M, class System, class Y>
REVODE_HD void replay(const M& m, System& sys, double t, double t_new, nothing, carry<M, Y>& c,
                      rk_tape<M, Y>& tape) {
  if constexpr (stays_in_registers<Y>) {
    attempt(m, sys, {.estimate = false}, t, t_new, c, tape, c);  // reads c before it writes it
  } else {
    copy(c.state, tape.y);
    take_step<M>(sys, t, t_new, c.cache, tape, c.state);
    if constexpr (coefficients<M>::fsal) copy(tape.k[coefficients<M>::stages - 1], c.cache.k);
  }
}

/// The carry after a step is a sum over its tape, in the order in which the step made it; the last
/// stage becomes the next step's first.
template <explicit_method M, class System, class Y>
REVODE_HD void resume(const M&, System&, double t, double t_new, const rk_tape<M, Y>& tape,
                      carry<M, Y>& c) {
  using T = scalar_t<Y>;
  constexpr int s = coefficients<M>::stages;
  const T* k[s];
  for (int j = 0; j < s; ++j) k[j] = tape.k[j].data();
  if constexpr (coefficients<M>::fsal) {
    advance_state<stage_row<M, s - 1>, s - 1>(tape.y, static_cast<T>(t_new - t), k, c.state);
    copy(tape.k[s - 1], c.cache.k);
  } else {
    advance_state<solution_row<M>, s>(tape.y, static_cast<T>(t_new - t), k, c.state);
  }
}

}  // namespace revode
