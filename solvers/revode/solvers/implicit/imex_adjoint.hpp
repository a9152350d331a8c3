// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/refinement.hpp>
#include <revode/solvers/implicit/imex_step.hpp>

namespace revode {

// As in esdirk_adjoint.hpp, with the explicit part's derivative ε_i at stage i: with J at the stage,
//   ε̄_i = h b_i λ + h Σ_{j>i} a^E_ji ρ_j,  ȳ_i = J_Eᵀ ε̄_i,
//   (I − hγ J_Iᵀ) κ_i = h b_i λ + h Σ_{j>i} a^I_ji ρ_j + hγ ȳ_i,  ρ_i = ȳ_i + J_Iᵀ κ_i,
//   λ_n = λ + Σ ρ_i

/// w.x = (I/(hγ) − J_I)⁻¹ w.right, or with J_Iᵀ, to rounding; J_I at w.stage. Factors of another
/// stage of the same step serve as long as they converge within five sweeps. Reports a system that was
/// not solved.
template <bool Transposed, class M, class Part, class Y>
void solve_imex_derivative(const M& m, Part& part, double t_stage, scalar_t<Y> shift,
                           bool& factored, imex_scratch<M, Y>& w) {
  using T = scalar_t<Y>;
  algebra_of(m).evaluate(part, t_stage, w.stage, w.jacobian);
  const auto residual = [&] {
    copy(w.right, w.rest[0]);
    axpy(-shift, w.x[0], w.rest[0]);
    if constexpr (Transposed)
      add_transposed_product(w.jacobian, w.x[0], w.rest[0]);
    else
      add_product(w.jacobian, w.x[0], w.rest[0]);
  };
  const auto correct = [&] {
    if constexpr (Transposed)
      w.factors.solve_transposed(w.rest[0]);
    else
      w.factors.solve(w.rest[0]);
  };
  for (;;) {
    const bool fresh = !factored || count_of(w.stage) <= 8;
    if (fresh && !true_of_all(w.stage, w.factors.factor_shifted(w.jacobian, shift)))
      return report(part, trouble_of_factors(w.jacobian));
    factored = true;
    fill(w.x[0], T(0));
    if (refine(w.x, w.rest, residual, correct, 5)) return;
    factored = false;
    if (fresh) break;
  }
  const double size = std::abs(static_cast<double>(value_of(shift))) + largest_element(w.jacobian);
  report(part, trouble_of_solution(&w.right, w.x, w.rest, 1, size, residual));
}

/// target = h (b_i λ + Σ_{j>i} a_ji ρ_j) + seed
template <class M, class Y>
void pull_into_stage(int i, const double (&a)[imex_numbers<M>::stages][imex_numbers<M>::stages],
                     scalar_t<Y> h, const Y& state_bar, const Y* seed, const imex_scratch<M, Y>& w,
                     Y& target) {
  using T = scalar_t<Y>;
  constexpr int stages = imex_numbers<M>::stages;
  if (seed != nullptr)
    copy(*seed, target);
  else
    fill(target, T(0));
  axpy(h * T(M::implicit_method::tableau.a[stages - 1][i]), state_bar, target);
  for (int j = stages - 1; j > i; --j)
    if (a[j][i] != 0) axpy(h * T(a[j][i]), w.of_stage[j], target);
}

/// The cotangent of the slope at the new state, which dense output reads, to that state.
template <class M, class System, class Y, class P>
void pull_end(System& sys, double t, double t_new, const imex_stages<M, Y>& s,
              imex_scratch<M, Y>& w, const Y& end_bar, Y& state_bar, P& p_bar,
              step_ends<scalar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  constexpr int last = imex_numbers<M>::stages - 1;
  imex_increment(last, T(t_new - t), s, w.stage);
  add_sum_of_stages(imex_numbers<M>::from_last.w, last + 1, T(t_new - t), s.e, w.stage);
  add(s.y, w.stage);
  T t_bar(0);
  T* const time = ends != nullptr ? &t_bar : nullptr;
  sys.implicit_part().vjp(t_new, w.stage, end_bar, time, state_bar, p_bar);
  sys.explicit_part().vjp(t_new, w.stage, end_bar, time, state_bar, p_bar);
  if (ends != nullptr) ends->t_new += t_bar;
}

/// The exact transpose of one step.
/// cost    a Jacobian, two VJPs and two or more solves a stage; a factorisation a step or a stage
template <imex_method M, class System, class Y, class P>
void pull(const M& m, System& sys, double t, double t_new, const imex_record<M>&,
          const imex_stages<M, Y>& s, imex_scratch<M, Y>& w, const imex_stages<M, Y>* seeds,
          Y& state_bar, P& p_bar, step_ends<scalar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  using base = typename M::implicit_method;
  constexpr int stages = imex_numbers<M>::stages;
  const T h = T(t_new - t), h_gamma = T(imex_numbers<M>::gamma * (t_new - t)),
          shift = T(1) / h_gamma;
  if (seeds != nullptr) pull_end<M>(sys, t, t_new, s, w, seeds->end, state_bar, p_bar, ends);
  auto& stiff = sys.implicit_part();
  auto& mild = sys.explicit_part();
  bool factored = false;
  T h_bar(0);
  for (int i = stages - 1; i >= 0; --i) {
    T t_bar(0);
    T* const time = ends != nullptr ? &t_bar : nullptr;
    const double t_stage = esdirk_time<base>(i, t, t_new);
    imex_increment(i, h, s, w.stage);
    add(s.y, w.stage);
    Y& rho = w.of_stage[i];
    fill(rho, T(0));
    pull_into_stage<M>(i, base::explicit_rows, h, state_bar,
                       seeds != nullptr ? &seeds->e[i] : nullptr, w, w.other);
    mild.vjp(t_stage, w.stage, w.other, time, rho, p_bar);
    pull_into_stage<M>(i, base::tableau.a, h, state_bar, seeds != nullptr ? &seeds->k[i] : nullptr,
                       w, w.right);
    if (i > 0) {
      axpy(h_gamma, rho, w.right);
      for (int l = 0, n = length(w.right); l < n; ++l)
        w.right.data()[l] = shift * w.right.data()[l];
      solve_imex_derivative<true>(m, stiff, t_stage, shift, factored, w);
    } else {
      copy(w.right, w.x[0]);
    }
    stiff.vjp(t_stage, w.stage, w.x[0], time, rho, p_bar);
    if (ends == nullptr) continue;
    const T c = T(base::tableau.c[i]), b = T(base::tableau.a[stages - 1][i]);
    for (int j = 0; j <= i; ++j) {
      h_bar = muladd(T(base::tableau.a[i][j]), dot(rho, s.k[j]), h_bar);
      h_bar = muladd(T(base::explicit_rows[i][j]), dot(rho, s.e[j]), h_bar);
    }
    h_bar = muladd(b, dot(state_bar, s.k[i]) + dot(state_bar, s.e[i]), h_bar);
    ends->t += (1 - c) * t_bar;
    ends->t_new += c * t_bar;
  }
  for (int i = stages - 1; i >= 0; --i) add(w.of_stage[i], state_bar);
  if (seeds != nullptr) add(seeds->y, state_bar);
  if (ends == nullptr) return;
  ends->t -= h_bar;
  ends->t_new += h_bar;
}

/// The exact derivative of one step. Leaves the tangents of both parts at the stages in w.of_stage
/// and w.of_explicit, that of the slope at the new state in w.end.
/// cost    a Jacobian, two JVPs and two or more solves a stage; a factorisation a step or a stage
template <imex_method M, class System, class Y, class P>
void push(const M& m, System& sys, double t, double t_new, const imex_record<M>&,
          const imex_stages<M, Y>& s, imex_scratch<M, Y>& w, Y& y_dot, const P& p_dot,
          const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  using base = typename M::implicit_method;
  constexpr int stages = imex_numbers<M>::stages;
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  const T h_gamma = T(imex_numbers<M>::gamma * (t_new - t)), shift = T(1) / h_gamma;
  auto& stiff = sys.implicit_part();
  auto& mild = sys.explicit_part();
  bool factored = false;
  for (int i = 0; i < stages; ++i) {
    const T c = T(base::tableau.c[i]), t_dot = (1 - c) * ends.t + c * ends.t_new;
    const double t_stage = esdirk_time<base>(i, t, t_new);
    Y& moved = w.other;
    copy(y_dot, moved);
    add_sum_of_stages(base::tableau.a[i], i, h, w.of_stage, moved);
    add_sum_of_stages(base::explicit_rows[i], i, h, w.of_explicit, moved);
    add_sum_of_stages(base::tableau.a[i], i + 1, h_dot, s.k, moved);
    add_sum_of_stages(base::explicit_rows[i], i, h_dot, s.e, moved);
    imex_increment(i, h, s, w.stage);
    add(s.y, w.stage);
    stiff.jvp(t_stage, w.stage, t_dot, moved, p_dot, w.right);
    if (i > 0) {
      for (int l = 0, n = length(w.right); l < n; ++l)
        w.right.data()[l] = shift * w.right.data()[l];
      solve_imex_derivative<false>(m, stiff, t_stage, shift, factored, w);
      copy(w.x[0], w.of_stage[i]);
      axpy(h_gamma, w.of_stage[i], moved);
    } else {
      copy(w.right, w.of_stage[i]);
    }
    mild.jvp(t_stage, w.stage, t_dot, moved, p_dot, w.of_explicit[i]);
  }
  const auto& b = base::tableau.a[stages - 1];
  add_sum_of_stages(b, stages, h, w.of_stage, y_dot);
  add_sum_of_stages(b, stages, h, w.of_explicit, y_dot);
  add_sum_of_stages(b, stages, h_dot, s.k, y_dot);
  add_sum_of_stages(b, stages, h_dot, s.e, y_dot);
}

/// The tangent of the slope at the new state, for dense output.
template <imex_method M, class System, class Y, class P>
void push_extend(const M&, System& sys, double t, double t_new, const imex_stages<M, Y>& s,
                 imex_scratch<M, Y>& w, const Y& y_dot, const P& p_dot,
                 const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  using base = typename M::implicit_method;
  constexpr int stages = imex_numbers<M>::stages;
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  const auto& b = base::tableau.a[stages - 1];
  copy(y_dot, w.other);
  for (const auto* part : {&w.of_stage, &w.of_explicit})
    add_sum_of_stages(b, stages, h, *part, w.other);
  add_sum_of_stages(b, stages, h_dot, s.k, w.other);
  add_sum_of_stages(b, stages, h_dot, s.e, w.other);
  imex_increment(stages - 1, h, s, w.stage);
  add_sum_of_stages(imex_numbers<M>::from_last.w, stages, h, s.e, w.stage);
  add(s.y, w.stage);
  sys.implicit_part().jvp(t_new, w.stage, ends.t_new, w.other, p_dot, w.end);
  sys.explicit_part().jvp(t_new, w.stage, ends.t_new, w.other, p_dot, w.right);
  add(w.right, w.end);
}

}  // namespace revode
