// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <revode/linalg/mass_row.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solvers/radau/radau_step.hpp>

namespace revode {

// The derivative of a step is that of its solved stage equations G(z) = A⁻¹z/h − f(y + z) = 0, with
// the Jacobians Jᵢ at the stages (implicit function theorem):
//   A⁻¹ż/h − J(ẏ + ż) = f_t ṫ + f_p ṗ + (ḣ/h²) A⁻¹z,        pull: A⁻ᵀκ/h − Jᵀκ = z̄
// A mass matrix stands before each A⁻¹.
// Both are solved to rounding by refinement, with factors of A⁻¹/h − J at the last stage of this
// step or an earlier one of the sweep.

/// y_n + zᵢ
template <class Y, int S>
void radau_stage(const radau_stages<Y, S>& s, int i, Y& stage) {
  copy(s.y, stage);
  add(s.z[i], stage);
}

/// Jacobians at the stages.
template <class L, class System, class Y, int S>
void prepare_radau_derivative(const L& algebra, System& sys, double t, double t_new,
                              const radau_stages<Y, S>& s, radau_scratch<L, Y, S>& w) {
  for (int i = 0; i < S; ++i) {
    radau_stage(s, i, w.rest[0]);
    algebra.evaluate(sys, radau_time<S>(i, t, t_new), w.rest[0], w.jacobian[i]);
  }
}

/// xᵀ M y
template <class Mass, class Y>
time_bar_t<Y> dot_of_mass(const Mass& mass, const Y& x, const Y& y) {
  using T = scalar_t<Y>;
  if constexpr (std::is_same_v<Mass, nothing>) {
    return dot(x, y);
  } else {
    T sum(0);
    for (int k = 0, n = length(x); k < n; ++k)
      sum = muladd(x.data()[k], add_mass_times(mass, k, T(1), y.data(), T(0)), sum);
    return sum;
  }
}

/// out = out − A⁻¹ x / h, or with the transpose of A⁻¹
template <bool Transposed, class Mass, class Y, int S>
void subtract_radau_matrix(const Mass& mass, scalar_t<Y> h, const Y (&x)[S], Y (&out)[S]) {
  using T = scalar_t<Y>;
  using n = radau_numbers<S>;
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j)
      axpy_of_mass<Transposed>(mass, -T(Transposed ? n::inverse[j][i] : n::inverse[i][j]) / h, x[j],
                               out[i]);
}

/// w.rest = what is left of (A⁻¹/h − diag J) x = right, or its transpose.
template <bool Transposed, class Mass, class L, class Y, int S>
void radau_derivative_residual(const Mass& mass, scalar_t<Y> h, radau_scratch<L, Y, S>& w) {
  for (int i = 0; i < S; ++i) {
    copy(w.right[i], w.rest[i]);
    if constexpr (Transposed)
      add_transposed_product(w.jacobian[i], w.x[i], w.rest[i]);
    else
      add_product(w.jacobian[i], w.x[i], w.rest[i]);
  }
  subtract_radau_matrix<Transposed>(mass, h, w.x, w.rest);
}

/// Solves it for w.x from w.right.
template <bool Transposed, class Mass, class L, class Y, int S>
bool solve_radau_derivative(const Mass& mass, scalar_t<Y> h, radau_scratch<L, Y, S>& w, int most) {
  using T = scalar_t<Y>;
  for (Y& part : w.x) fill(part, T(0));
  const auto residual = [&] { radau_derivative_residual<Transposed>(mass, h, w); };
  const auto correct = [&] {
    using n = radau_numbers<S>;
    if constexpr (Transposed) {
      transform_transposed(n::t, w.rest, w.rest);
      w.factors.solve_transposed(w.rest);
      transform_transposed(n::t_inverse, w.rest, w.rest);
    } else {
      transform(n::t_inverse, w.rest, w.rest);
      w.factors.solve(w.rest);
      transform(n::t, w.rest, w.rest);
    }
  };
  const bool found = refine(w.x, w.rest, residual, correct, most);
  if (found && has_higher_index(mass)) refine_each(w.x, w.rest, residual, correct);
  return found;
}

/// The same from one matrix of all stages, for steps across which J changes too much.
/// cost    S³ n³/3 multiply-adds and S² n² numbers, for such a step only
template <bool Transposed, class Mass, class L, class Y, int S>
bool solve_radau_derivative_whole(const Mass& mass, scalar_t<Y> h, radau_scratch<L, Y, S>& w) {
  using T = scalar_t<Y>;
  const int n = length(w.x[0]);
  dense_matrix<T> all(S * n);
  std::vector<T> x(static_cast<std::size_t>(S * n));
  for (int i = 0; i < S; ++i) {
    for (int j = 0; j < S; ++j)
      for (int k = 0; k < n; ++k) {
        const T rate = T(radau_numbers<S>::inverse[i][j]) / h;
        visit_row(mass, k, [&](int l, double m) { all(i * n + k, j * n + l) = T(m) * rate; });
      }
    for (int k = 0; k < n; ++k) {
      for (int l = 0; l < n; ++l)
        all(i * n + k, i * n + l) = all(i * n + k, i * n + l) - w.jacobian[i](k, l);
    }
  }
  dense_lu<T> factors;
  if (!factors.factor(all)) return false;
  for (Y& part : w.x) fill(part, T(0));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < S; ++i)
      for (int k = 0; k < n; ++k) {
        T rest = w.right[i].data()[k];
        for (int j = 0; j < S; ++j)
          for (int l = 0; l < n; ++l) {
            const int row = i * n + k, column = j * n + l;
            rest =
                muladd(Transposed ? -all(column, row) : -all(row, column), w.x[j].data()[l], rest);
          }
        x[static_cast<std::size_t>(i * n + k)] = rest;
      }
    if constexpr (Transposed)
      factors.solve_transposed(x);
    else
      factors.solve(x);
    for (int i = 0; i < S; ++i)
      for (int k = 0; k < n; ++k)
        w.x[i].data()[k] = w.x[i].data()[k] + x[static_cast<std::size_t>(i * n + k)];
  }
  return true;
}

/// Over duals: s.z has the tangent of the solved stage equations, by that matrix.
template <class L, class System, class Y, int S>
void settle_whole(const L& algebra, System& sys, double t, double t_new, radau_stages<Y, S>& s) {
  using T = scalar_t<Y>;
  bool found = false;
  if constexpr (requires(radau_scratch<L, Y, S> & w) { w.jacobian[0](0, 0); }) {
    radau_scratch<L, Y, S> w(s.y);
    const T h(t_new - t);
    for (Y& part : s.z)
      for (int k = 0, n = length(part); k < n; ++k) part.data()[k].d = {};
    prepare_radau_derivative(algebra, sys, t, t_new, s, w);
    for (int i = 0; i < S; ++i) {
      radau_stage(s, i, w.rest[0]);
      sys(radau_time<S>(i, t, t_new), w.rest[0], w.right[i]);
    }
    subtract_radau_matrix<false>(mass_of(sys), h, s.z, w.right);
    for (Y& part : w.right)
      for (int k = 0, n = length(part); k < n; ++k)
        part.data()[k] = part.data()[k] - T(value_of(part.data()[k]));
    T a[S][S];
    for (int i = 0; i < S; ++i)
      for (int j = 0; j < S; ++j) a[i][j] = T(radau_numbers<S>::inverse[i][j]) / h;
    if constexpr (requires {
                    L::template solve_stages<false>(a, mass_of(sys), w.jacobian, w.right, w.x);
                  })
      found = L::template solve_stages<false>(a, mass_of(sys), w.jacobian, w.right, w.x);
    else
      found = solve_radau_derivative_whole<false>(mass_of(sys), h, w);
    for (int i = 0; i < S; ++i)
      for (int k = 0, n = length(s.y); k < n; ++k) s.z[i].data()[k].d = w.x[i].data()[k].d;
  }
  if (!found) report(sys, status::linear_solve_failure);
}

/// Is no derivative of x more than 1e-9 of the largest away from that of `before`?
template <class Y, int S>
bool tangents_stand(const Y (&x)[S], const Y (&before)[S]) {
  double size = 0, change = 0;
  for (int i = 0; i < S; ++i)
    for (int k = 0, n = length(x[i]); k < n; ++k)
      for (int d = 0; d < scalar_t<Y>::directions; ++d) {
        const auto now = static_cast<double>(value_of(x[i].data()[k].d[d]));
        const auto by = now - static_cast<double>(value_of(before[i].data()[k].d[d]));
        if (!(by - by == 0)) return false;
        size = std::fmax(size, std::abs(now));
        change = std::fmax(change, std::abs(by));
      }
  return change <= 1e-9 * size;
}

/// Over duals: the tangent of the solved stage equations, by corrections that leave values alone, with a Jacobian of
/// the new point; from one matrix of all stages where those do not converge, since it changes too much across the step.
template <class L, class System, class Y, int S>
void settle_tangents(const L& algebra, System& sys, double t, double t_new, radau_stages<Y, S>& s,
                     radau_cache<L, Y, S> c) {
  using T = scalar_t<Y>;
  Y end = s.y;
  add(s.z[S - 1], end);
  algebra.evaluate(sys, t_new, end, c.jacobian);
  if (!c.factors.factor(c.jacobian, T(t_new - t), mass_of(sys)))
    report(sys, status::linear_solve_failure);
  transform(radau_numbers<S>::t_inverse, s.z, c.w);
  bool settled = false;
  for (int round = 0; round < 60; ++round) {
    radau_correction(sys, t, t_new, s, c);
    for (Y& part : c.correction)
      for (int k = 0, n = length(part); k < n; ++k)
        part.data()[k] = part.data()[k] - T(value_of(part.data()[k]));
    c.factors.solve(c.correction);
    const auto values = s;
    apply_radau_correction(s, c);
    for (int i = 0; i < S; ++i)
      for (int k = 0, n = length(s.y); k < n; ++k)
        s.z[i].data()[k].value = values.z[i].data()[k].value;
    settled = tangents_stand(s.z, values.z);
  }
  if (!settled) settle_whole(algebra, sys, t, t_new, s);
}

/// What is wrong with w.x where refinement has not ended, or nothing.
template <bool Transposed, class Mass, class L, class Y, int S>
status trouble_of_radau_derivative(const Mass& mass, scalar_t<Y> h, bool factored,
                                   radau_scratch<L, Y, S>& w) {
  double size = radau_numbers<S>::inverse[0][0] / std::abs(static_cast<double>(value_of(h)));
  for (const auto& j : w.jacobian) {
    if (const status why = trouble_of_factors(j); why == status::non_finite_field) return why;
    size = std::fmax(size, largest_element(j));
  }
  if (!factored) return status::linear_solve_failure;
  const auto residual = [&] { radau_derivative_residual<Transposed>(mass, h, w); };
  return trouble_of_solution(w.right, w.x, w.rest, S, size, residual);
}

/// With factors of the step before as long as that is cheaper than new ones. Where new ones do not
/// converge, algebras with a solver of their own for coupled stages use that; those without random
/// access to elements have refinement alone, with more patience. Reports a system that was not solved.
template <bool Transposed, class System, class L, class Y, int S>
void solve_radau_derivative_exactly(System& sys, scalar_t<Y> h, radau_scratch<L, Y, S>& w) {
  using T = scalar_t<Y>;
  const double now = 1 / static_cast<double>(value_of(h));
  const auto& mass = mass_of(sys);
  if (count_of(w.x[0]) > 8 && w.kept.serve(now) &&
      solve_radau_derivative<Transposed>(mass, h, w, sweeps_worth_trying(w.jacobian[S - 1])))
    return;
  count_factorization(sys);
  bool found = true_of_all(w.x[0], w.factors.factor(w.jacobian[S - 1], h, mass));
  w.kept.renew(now);
  T a[S][S];
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) a[i][j] = T(radau_numbers<S>::inverse[i][j]) / h;
  if constexpr (requires {
                  L::template solve_stages<Transposed>(a, mass, w.jacobian, w.right, w.x);
                }) {
    if (found && solve_radau_derivative<Transposed>(mass, h, w, 12)) return;
    found = L::template solve_stages<Transposed>(a, mass, w.jacobian, w.right, w.x);
  } else if constexpr (requires { w.jacobian[0](0, 0); }) {
    if (found && solve_radau_derivative<Transposed>(mass, h, w, 12)) return;
    found = solve_radau_derivative_whole<Transposed>(mass, h, w);
  } else if (found && solve_radau_derivative<Transposed>(mass, h, w, 100)) {
    return;
  }
  report(sys, trouble_of_radau_derivative<Transposed>(mass, h, found, w));
}

/// The exact transpose of one step: stage cotangents κ in w.x, then a field VJP a stage.
/// cost    a Jacobian a stage, the factorisations of a step or those of the step before, some 5 sweeps
///         of solves, a VJP a stage
template <radau_method M, class System, class Y, class P>
void pull(const M& m, System& sys, double t, double t_new, newton_record<1>,
          const radau_stages_t<M, Y>& s, radau_scratch_t<M, Y>& w,
          const radau_stages_t<M, Y>* seeds, Y& state_bar, P& p_bar,
          step_ends<time_bar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  constexpr int stages = M::stages;
  const T h = T(t_new - t);
  w.kept.open(t_new);
  prepare_radau_derivative(algebra_of(m), sys, t, t_new, s, w);
  for (int i = 0; i < stages; ++i) {
    if (seeds != nullptr)
      copy(seeds->z[i], w.right[i]);
    else
      fill(w.right[i], T(0));
  }
  add(state_bar, w.right[stages - 1]);
  if (seeds != nullptr) add(seeds->y, state_bar);
  solve_radau_derivative_exactly<true>(sys, h, w);
  w.kept.close(t);
  for (int i = stages - 1; i >= 0; --i) {
    time_bar_t<Y> t_bar(0);
    radau_stage(s, i, w.rest[0]);
    sys.vjp(radau_time<stages>(i, t, t_new), w.rest[0], w.x[i], ends != nullptr ? &t_bar : nullptr,
            state_bar, p_bar);
    if (ends == nullptr) continue;
    const T c = T(radau_numbers<stages>::c[i]);
    time_bar_t<Y> h_bar(0);
    for (int j = 0; j < stages; ++j)
      h_bar = muladd(T(radau_numbers<stages>::inverse[i][j]),
                     dot_of_mass(mass_of(sys), w.x[i], s.z[j]), h_bar);
    h_bar = h_bar / h / h;  // whose square may be no number
    ends->t += (1 - c) * t_bar - h_bar;
    ends->t_new += c * t_bar + h_bar;
  }
}

/// The exact derivative of one step. Leaves the tangents of the stages in w.x.
/// cost    a JVP and a Jacobian a stage, the factorisations of a step, some 5 sweeps of solves
template <radau_method M, class System, class Y, class P>
void push(const M& m, System& sys, double t, double t_new, newton_record<1>,
          const radau_stages_t<M, Y>& s, radau_scratch_t<M, Y>& w, Y& y_dot, const P& p_dot,
          const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  constexpr int stages = M::stages;
  const T h = T(t_new - t), h_dot = ends.t_new - ends.t;
  w.kept.open(t);
  prepare_radau_derivative(algebra_of(m), sys, t, t_new, s, w);
  for (int i = 0; i < stages; ++i) {
    const T c = T(radau_numbers<stages>::c[i]);
    radau_stage(s, i, w.rest[0]);
    sys.jvp(radau_time<stages>(i, t, t_new), w.rest[0], (1 - c) * ends.t + c * ends.t_new, y_dot,
            p_dot, w.right[i]);
    for (int j = 0; j < stages; ++j)
      axpy_of_mass<false>(mass_of(sys), T(radau_numbers<stages>::inverse[i][j]) * (h_dot / h / h),
                          s.z[j], w.right[i]);
  }
  solve_radau_derivative_exactly<false>(sys, h, w);
  w.kept.close(t_new);
  add(w.x[stages - 1], y_dot);
}

}  // namespace revode
