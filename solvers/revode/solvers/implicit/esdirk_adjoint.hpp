// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/derivative_solve.hpp>
#include <revode/solvers/implicit/esdirk_step.hpp>

namespace revode {

// The derivative of a step is that of its solved stages (implicit function theorem). With J at
// stage i and r_i = y + h Σ_{j<i} a_ij k_j, κ the cotangent of f there and ρ that of r:
//   (I − hγ Jᵀ) κ_i = k̄_i + hγ ȳ_i,  ρ_i = ȳ_i + Jᵀκ_i,  k̄_j += h a_ij ρ_i for j < i
// Behind a solve ρ_i is (κ_i − k̄_i)/(hγ), and a slope's tangent (Ẏ_i − ṙ_i)/(hγ): products with J would leave rounding
// of size h|J| a stage, of which each makes h|J| of that before.
// The last stage is the new state: ȳ_S is its cotangent λ, and 0 for the others. Of a pair the new state is the
// sum with weights b, and the explicit part has cotangents ε as well:
//   k̄_i, ε̄_i ∋ h b_i λ,  ε̄_j += h a^E_ij ρ_i for j < i,  ȳ_i = J_Eᵀ ε̄_i

/// Y_i
template <class M, class Y>
void esdirk_stage(int i, scalar_t<Y> h, const esdirk_stages<M, Y>& s, Y& stage) {
  stage_increment(i, h, s, stage);
  add(s.y, stage);
}
/// The new state of a pair, behind its last stage.
template <imex_method M, class Y>
void esdirk_end(scalar_t<Y> h, const esdirk_stages<M, Y>& s, Y& stage) {
  stage_increment(s.stages - 1, h, s, stage);
  add_sum_of_stages(imex_numbers<M>::from_last.w, s.stages, h, s.e, stage);
  add(s.y, stage);
}

/// κ and ρ of a stage from w.right = k̄ and rho = ȳ: w.x = (I − hγ Jᵀ)⁻¹ (k̄ + hγ ȳ), to rounding, J at w.stage, and
/// rho = (w.x − k̄)/(hγ). Numbers of h's size are multiplied by shift = 1/(hγ), whose square may be no number.
template <class M, class System, class Y>
void pull_solved_stage(const M& m, System& sys, double t_stage, scalar_t<Y> shift,
                       esdirk_scratch<M, Y>& w, Y& rho) {
  auto *right = w.right.data(), *left = rho.data();
  for (int k = 0, n = length(rho); k < n; ++k) {
    const auto scaled = shift * right[k];
    right[k] = scaled + left[k];
    left[k] = -scaled;
  }
  solve_derivative<true>(algebra_of(m), sys, t_stage, w.stage, shift, w);
  axpy(shift, w.x[0], rho);
}

/// A solved stage's k̇ from its ṙ in k_dot, and from w.right = the derivative of f by times and parameters.
template <class M, class System, class Y>
void push_solved_stage(const M& m, System& sys, double t_stage, scalar_t<Y> shift,
                       esdirk_scratch<M, Y>& w, Y& k_dot) {
  axpy(shift, k_dot, w.right);
  solve_derivative<false>(algebra_of(m), sys, t_stage, w.stage, shift, w);
  for (int k = 0, n = length(k_dot); k < n; ++k)
    k_dot.data()[k] = shift * (w.x[0].data()[k] - k_dot.data()[k]);
}

/// A stage's cotangent: its seed and h Σ_{j>i} a_ji ρ_j, of a pair also h b_i λ.
template <class M, class Y>
void pull_into_stage(int i, const double (&a)[esdirk_numbers<M>::stages][esdirk_numbers<M>::stages],
                     scalar_t<Y> h, const Y& state_bar, const Y* seed,
                     const esdirk_scratch<M, Y>& w, Y& target) {
  using T = scalar_t<Y>;
  constexpr int last = esdirk_numbers<M>::stages - 1;
  fill(target, T(0));
  if (seed != nullptr) copy(*seed, target);
  if constexpr (imex_method<M>) axpy(h * T(M::tableau.a[last][i]), state_bar, target);
  for (int j = last; j > i; --j)
    if (a[j][i] != 0) axpy(h * T(a[j][i]), w.of_stage[j], target);
}

/// The cotangent of a pair's slope at the new state, which dense output reads, to that state.
template <imex_method M, class System, class Y, class P>
void pull_end(System& sys, double t, double t_new, const esdirk_stages<M, Y>& s,
              esdirk_scratch<M, Y>& w, const Y& end_bar, Y& state_bar, P& p_bar,
              step_ends<time_bar_t<Y>>* ends) {
  time_bar_t<Y> t_bar(0);
  esdirk_end(scalar_t<Y>(t_new - t), s, w.stage);
  auto* const time = ends != nullptr ? &t_bar : nullptr;
  sys.implicit_part().vjp(t_new, w.stage, end_bar, time, state_bar, p_bar);
  sys.explicit_part().vjp(t_new, w.stage, end_bar, time, state_bar, p_bar);
  if (ends != nullptr) ends->t_new += t_bar;
}

/// What h itself has of a stage with cotangent ρ, and of the new state of a pair.
template <class M, class Y>
void pull_length(int i, const esdirk_stages<M, Y>& s, const Y& rho, const Y& state_bar,
                 time_bar_t<Y>& h_bar) {
  using T = scalar_t<Y>;
  for (int j = 0; j <= i; ++j) {
    h_bar = muladd(T(M::tableau.a[i][j]), dot(rho, s.k[j]), h_bar);
    if constexpr (imex_method<M>)
      h_bar = muladd(T(M::explicit_rows[i][j]), dot(rho, s.e[j]), h_bar);
  }
  if constexpr (imex_method<M>)
    h_bar = muladd(T(M::tableau.a[s.stages - 1][i]),
                   dot(state_bar, s.k[i]) + dot(state_bar, s.e[i]), h_bar);
}

/// The cotangent of y_n from those of the stages, and its seed.
template <class M, class Y>
void pull_to_start(const esdirk_scratch<M, Y>& w, const Y* seed, Y& state_bar) {
  constexpr int last = esdirk_numbers<M>::stages - 1;
  if constexpr (imex_method<M>)
    add(w.of_stage[last], state_bar);
  else
    copy(w.of_stage[last], state_bar);
  for (int i = last - 1; i >= 0; --i) add(w.of_stage[i], state_bar);
  if (seed != nullptr) add(*seed, state_bar);
}

/// The exact transpose of one step.
/// cost    a VJP (of a pair one of each part) and two or more solves a stage; a Jacobian and a factorisation a stage
///         at most (derivative_solve.hpp)
template <esdirk_method M, class System, class Y, class P>
void pull(const M& m, System& sys, double t, double t_new, const esdirk_record<M>&,
          const esdirk_stages<M, Y>& s, esdirk_scratch<M, Y>& w, const esdirk_stages<M, Y>* seeds,
          Y& state_bar, P& p_bar, step_ends<time_bar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  constexpr int stages = esdirk_numbers<M>::stages;
  constexpr bool pair = imex_method<M>;
  const T h = T(t_new - t), shift = T(1) / T(esdirk_numbers<M>::gamma * (t_new - t));
  if constexpr (pair)
    if (seeds != nullptr) pull_end(sys, t, t_new, s, w, seeds->end, state_bar, p_bar, ends);
  auto& side = implicit_side<M>(sys);
  w.kept.open(t_new);
  time_bar_t<Y> h_bar(0);
  for (int i = stages - 1; i >= 0; --i) {
    const bool is_end = !pair && i == stages - 1;
    const double t_stage = esdirk_time<M>(i, t, t_new);
    time_bar_t<Y> t_bar(0), *const time = ends != nullptr ? &t_bar : nullptr;
    Y& rho = w.of_stage[i];
    esdirk_stage(i, h, s, w.stage);
    fill(rho, T(0));
    if (is_end) copy(state_bar, rho);
    if constexpr (pair) {
      const Y* seed = seeds != nullptr ? &seeds->e[i] : nullptr;
      pull_into_stage(i, M::explicit_rows, h, state_bar, seed, w, w.end);
      sys.explicit_part().vjp(t_stage, w.stage, w.end, time, rho, p_bar);
    }
    const Y* seed = seeds != nullptr ? &seeds->k[i] : nullptr;
    pull_into_stage(i, M::tableau.a, h, state_bar, seed, w, w.right);
    if (i > 0) {
      pull_solved_stage(m, side, t_stage, shift, w, rho);
      side.vjp(t_stage, w.stage, w.x[0], time, w.right, p_bar);  // Jᵀκ is not asked for
    } else {
      copy(w.right, w.x[0]);
      side.vjp(t_stage, w.stage, w.x[0], time, rho, p_bar);
    }
    if (ends == nullptr) continue;
    pull_length(i, s, rho, state_bar, h_bar);
    const T c = T(M::tableau.c[i]);
    ends->t += (1 - c) * t_bar;
    ends->t_new += c * t_bar;
  }
  w.kept.close(t);
  pull_to_start(w, seeds != nullptr ? &seeds->y : nullptr, state_bar);
  if (ends == nullptr) return;
  ends->t -= h_bar;
  ends->t_new += h_bar;
}

/// out += h Σ_{j<known} row_j k̇_j + ḣ Σ_{j<past} row_j k_j
template <int S, class Y>
void push_sum(const double (&row)[S], int known, int past, scalar_t<Y> h, scalar_t<Y> h_dot,
              const Y (&k_dot)[S], const Y (&k)[S], Y& out) {
  using T = scalar_t<Y>;
  for (int j = 0; j < past; ++j) {
    if (j < known) axpy(h * T(row[j]), k_dot[j], out);
    axpy(h_dot * T(row[j]), k[j], out);
  }
}
/// The tangent of a pair's new state from that of the old one.
template <imex_method M, class Y>
void push_end(scalar_t<Y> h, scalar_t<Y> h_dot, const esdirk_stages<M, Y>& s,
              const esdirk_scratch<M, Y>& w, Y& y_dot) {
  const auto& b = M::tableau.a[s.stages - 1];
  push_sum(b, s.stages, s.stages, h, h_dot, w.of_stage, s.k, y_dot);
  push_sum(b, s.stages, s.stages, h, h_dot, w.e, s.e, y_dot);
}

/// The exact derivative of one step. Leaves the tangents of the stages' derivatives in w.of_stage, of a pair's
/// explicit part in w.e.
/// cost    a JVP (of a pair one of each part) and two or more solves a stage; a Jacobian and a factorisation a stage
///         at most
template <esdirk_method M, class System, class Y, class P>
void push(const M& m, System& sys, double t, double t_new, const esdirk_record<M>&,
          const esdirk_stages<M, Y>& s, esdirk_scratch<M, Y>& w, Y& y_dot, const P& p_dot,
          const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  constexpr int stages = esdirk_numbers<M>::stages;
  constexpr bool pair = imex_method<M>;
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  const T shift = T(1) / T(esdirk_numbers<M>::gamma * (t_new - t));
  auto& side = implicit_side<M>(sys);
  w.kept.open(t);
  for (int i = 0; i < stages; ++i) {
    const T c = T(M::tableau.c[i]), t_dot = (1 - c) * ends.t + c * ends.t_new;
    const double t_stage = esdirk_time<M>(i, t, t_new);
    Y &k_dot = w.of_stage[i], &moved = i == 0 ? w.x[0] : k_dot;
    copy(y_dot, moved);
    push_sum(M::tableau.a[i], i, i + 1, h, h_dot, w.of_stage, s.k, moved);
    if constexpr (pair) push_sum(M::explicit_rows[i], i, i, h, h_dot, w.e, s.e, moved);
    esdirk_stage(i, h, s, w.stage);
    if (i == 0) {
      side.jvp(t_stage, w.stage, t_dot, moved, p_dot, k_dot);
    } else {
      fill(w.x[0], T(0));
      side.jvp(t_stage, w.stage, t_dot, w.x[0], p_dot, w.right);
      push_solved_stage(m, side, t_stage, shift, w, k_dot);
    }
    if constexpr (pair)  // at w.x[0], the tangent of Y_i
      sys.explicit_part().jvp(t_stage, w.stage, t_dot, w.x[0], p_dot, w.e[i]);
  }
  w.kept.close(t_new);
  if constexpr (pair)
    push_end(h, h_dot, s, w, y_dot);
  else
    copy(w.x[0], y_dot);
}

/// The tangent of a pair's slope at the new state, for dense output.
template <imex_method M, class System, class Y, class P>
void push_extend(const M&, System& sys, double t, double t_new, const esdirk_stages<M, Y>& s,
                 esdirk_scratch<M, Y>& w, const Y& y_dot, const P& p_dot,
                 const step_ends<scalar_t<Y>>& ends) {
  const scalar_t<Y> h(t_new - t);
  Y& moved = w.rest[0];
  copy(y_dot, moved);
  push_end(h, ends.t_new - ends.t, s, w, moved);
  esdirk_end(h, s, w.stage);
  sys.implicit_part().jvp(t_new, w.stage, ends.t_new, moved, p_dot, w.end);
  sys.explicit_part().jvp(t_new, w.stage, ends.t_new, moved, p_dot, w.right);
  add(w.right, w.end);
}

}  // namespace revode
