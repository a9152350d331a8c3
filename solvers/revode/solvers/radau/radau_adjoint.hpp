// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solvers/radau/radau_derivative.hpp>
#include <revode/solvers/radau/radau_step.hpp>

namespace revode {

/// Over duals: s.z has the tangent of the solved stage equations, by that matrix.
template <class L, class System, class Y, int S>
void settle_whole(const L& algebra, System& sys, double t, double t_new, radau_stages<Y, S>& s) {
  using T = scalar_t<Y>;
  bool found = false;
  constexpr bool by_elements = requires(radau_scratch<L, Y, S> & w) { w.jacobian[0](0, 0); };
  constexpr bool by_products = requires(radau_scratch<L, Y, S> & w) { w.jacobian[0].near; };
  if constexpr (by_elements || by_products) {
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
    if constexpr (by_products)
      found = w.factors.factor(w.jacobian[S - 1], h, mass_of(sys)) &&
              solve_radau_derivative_in_space<false>(mass_of(sys), h, w);
    else if constexpr (requires {
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
