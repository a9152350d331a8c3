// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/refinement.hpp>
#include <revode/solvers/implicit/esdirk_step.hpp>

namespace revode {

// The derivative of a step is that of its solved stages (implicit function theorem). With J at
// stage i and r_i = y + h Σ_{j<i} a_ij k_j, κ the cotangent of f there and ρ that of r:
//   (I − hγ Jᵀ) κ_i = k̄_i + hγ ȳ_i,  ρ_i = ȳ_i + Jᵀκ_i,  k̄_j += h a_ij ρ_i for j < i

/// y_i = y + h Σ_{j≤i} a_ij k_j
template <class M, class Y>
void esdirk_stage(int i, scalar_t<Y> h, const esdirk_stages<M, Y>& s, Y& stage) {
  sum_of_stages(M::tableau.a[i], i + 1, h, s.k, stage);
  add(s.y, stage);
}

/// What the scratch says of its factors; one without that keeps them for a step only.
template <class Scratch>
sweep_factors& sweep_of(Scratch& w, sweep_factors& of_step) {
  if constexpr (requires { w.kept; })
    return w.kept;
  else
    return of_step;
}

/// w.x = (I/(hγ) − J)⁻¹ w.right, or with Jᵀ, to rounding; J at w.stage. Factors of the stage or step
/// before serve as long as refinement with them is cheaper than new ones. Reports a system that was not
/// solved.
template <bool Transposed, class M, class System, class Y>
void solve_stage_derivative(const M& m, System& sys, double t_stage, scalar_t<Y> shift,
                            sweep_factors& kept, esdirk_scratch<M, Y>& w) {
  using T = scalar_t<Y>;
  algebra_of(m).evaluate(sys, t_stage, w.stage, w.jacobian);
  const auto residual = [&] {
    copy(w.right, w.rest[0]);
    axpy(-shift, w.x[0], w.rest[0]);
    if constexpr (Transposed)
      add_transposed_product(w.jacobian, w.x[0], w.rest[0]);
    else
      add_product(w.jacobian, w.x[0], w.rest[0]);
  };
  const auto correct = [&] { solve_roughly<Transposed>(w.factors, 1e-8, w.rest[0]); };
  const auto from_zero = [&](int most) {
    fill(w.x[0], T(0));
    return refine(w.x, w.rest, residual, correct, most);
  };
  const double now = static_cast<double>(value_of(shift));
  if (count_of(w.stage) > 8 && kept.serve(now) && from_zero(sweeps_worth_trying(w.jacobian)))
    return;
  count_factorization(sys);
  const bool factored = true_of_all(w.stage, w.factors.factor_shifted(w.jacobian, shift));
  kept.renew(now);
  if (!factored) return report(sys, trouble_of_factors(w.jacobian));
  if (from_zero(30)) return;
  const double size = std::abs(now) + largest_element(w.jacobian);
  report(sys, trouble_of_solution(&w.right, w.x, w.rest, 1, size, residual));
}

/// The exact transpose of one step.
/// cost    a Jacobian, a VJP and two or more solves a stage; a factorisation a stage at most
template <esdirk_method M, class System, class Y, class P>
void pull(const M& m, System& sys, double t, double t_new, const esdirk_record<M>&,
          const esdirk_stages<M, Y>& s, esdirk_scratch<M, Y>& w, const esdirk_stages<M, Y>* seeds,
          Y& state_bar, P& p_bar, step_ends<scalar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  constexpr int stages = esdirk_numbers<M>::stages;
  const T h = T(t_new - t), h_gamma = T(esdirk_numbers<M>::gamma * (t_new - t)),
          shift = T(1) / h_gamma;
  sweep_factors of_step, &kept = sweep_of(w, of_step);
  kept.open(t_new);
  T h_bar(0);
  for (int i = stages - 1; i >= 0; --i) {
    fill(w.right, T(0));
    if (seeds != nullptr) copy(seeds->k[i], w.right);
    for (int j = stages - 1; j > i; --j)
      if (M::tableau.a[j][i] != 0) axpy(h * T(M::tableau.a[j][i]), w.of_stage[j], w.right);
    const bool last = i == stages - 1;
    if (last) axpy(h_gamma, state_bar, w.right);
    esdirk_stage<M>(i, h, s, w.stage);
    const double t_stage = esdirk_time<M>(i, t, t_new);
    if (i > 0) {
      for (int k = 0, n = length(w.right); k < n; ++k)
        w.right.data()[k] = shift * w.right.data()[k];
      solve_stage_derivative<true>(m, sys, t_stage, shift, kept, w);
    } else {
      copy(w.right, w.x[0]);
    }
    T t_bar(0);
    Y& rho = w.of_stage[i];
    if (last)
      copy(state_bar, rho);
    else
      fill(rho, T(0));
    sys.vjp(t_stage, w.stage, w.x[0], ends != nullptr ? &t_bar : nullptr, rho, p_bar);
    if (ends == nullptr) continue;
    const T c = T(M::tableau.c[i]);
    for (int j = 0; j <= i; ++j) h_bar = muladd(T(M::tableau.a[i][j]), dot(rho, s.k[j]), h_bar);
    ends->t += (1 - c) * t_bar;
    ends->t_new += c * t_bar;
  }
  kept.close(t);
  copy(w.of_stage[stages - 1], state_bar);
  for (int i = stages - 2; i >= 0; --i) add(w.of_stage[i], state_bar);
  if (seeds != nullptr) add(seeds->y, state_bar);
  if (ends == nullptr) return;
  ends->t -= h_bar;
  ends->t_new += h_bar;
}

/// The exact derivative of one step. Leaves the tangents of the stages' derivatives in w.of_stage.
/// cost    a Jacobian, a JVP and two or more solves a stage; a factorisation a stage at most
template <esdirk_method M, class System, class Y, class P>
void push(const M& m, System& sys, double t, double t_new, const esdirk_record<M>&,
          const esdirk_stages<M, Y>& s, esdirk_scratch<M, Y>& w, Y& y_dot, const P& p_dot,
          const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  constexpr int stages = esdirk_numbers<M>::stages;
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  const T h_gamma = T(esdirk_numbers<M>::gamma * (t_new - t)), shift = T(1) / h_gamma;
  sweep_factors of_step, &kept = sweep_of(w, of_step);
  kept.open(t);
  for (int i = 0; i < stages; ++i) {
    const T c = T(M::tableau.c[i]), t_dot = (1 - c) * ends.t + c * ends.t_new;
    const double t_stage = esdirk_time<M>(i, t, t_new);
    copy(y_dot, w.rest[0]);
    for (int j = 0; j <= i; ++j) {
      if (j < i) axpy(h * T(M::tableau.a[i][j]), w.of_stage[j], w.rest[0]);
      axpy(h_dot * T(M::tableau.a[i][j]), s.k[j], w.rest[0]);
    }
    esdirk_stage<M>(i, h, s, w.stage);
    if (i == 0) {
      sys.jvp(t_stage, w.stage, t_dot, w.rest[0], p_dot, w.of_stage[0]);
      continue;
    }
    sys.jvp(t_stage, w.stage, t_dot, w.rest[0], p_dot, w.right);
    for (int k = 0, n = length(w.right); k < n; ++k) w.right.data()[k] = shift * w.right.data()[k];
    if (i == stages - 1) copy(w.rest[0], y_dot);
    solve_stage_derivative<false>(m, sys, t_stage, shift, kept, w);
    copy(w.x[0], w.of_stage[i]);
  }
  kept.close(t_new);
  axpy(h_gamma, w.of_stage[stages - 1], y_dot);
}

}  // namespace revode
