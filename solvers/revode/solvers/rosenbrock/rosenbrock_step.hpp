// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solvers/rosenbrock/rosenbrock_types.hpp>

namespace revode {

/// tᵢ = t + αᵢ h; exactly t_new where αᵢ = 1.
template <class M, int I>
REVODE_HD double rosenbrock_time(double t, double t_new) {
  constexpr double c = rosenbrock_numbers<M>::node(I);
  if constexpr (c == 0)
    return t;
  else if constexpr (c == 1)
    return t_new;
  else
    return muladd(c, t_new - t, t);
}

/// out = y + Σⱼ Row(j) Uⱼ
template <class Row, int Last, class Y>
REVODE_HD void add_increments(const Y& y, const scalar_t<Y>* const* u, Y& out) {
  using T = scalar_t<Y>;
  const T* from = y.data();
  T* __restrict to = out.data();
  T weight[Last > 0 ? Last : 1];
  scale_row<Row, 0, Last>(T(1), weight);
  for_each_element(
      out, [&](int i) __attribute__((always_inline)) {
        to[i] = add_weighted<Row, 0, Last>(from[i], weight, u, i);
      });
}

/// Pointers to the stages, those that only make the estimate included.
template <class M, class Y>
struct rosenbrock_pointers {
  scalar_t<Y>* u[rosenbrock_numbers<M>::stages];

  REVODE_HD rosenbrock_pointers(rosenbrock_tape<M, Y>& tape, rosenbrock_work<M, Y>& w) {
    constexpr int kept = rosenbrock_numbers<M>::kept;
    for (int j = 0; j < rosenbrock_numbers<M>::stages; ++j)
      u[j] = j < kept ? tape.u[j].data() : w.u_extra[j - kept].data();
  }
};

/// A stage's own place among n elements, for the solver.
template <class T>
struct element_range {
  T* first;
  int count;
  REVODE_HD T* data() const { return first; }
  REVODE_HD int size() const { return count; }
};

/// U ← U + W⁻¹ (right − U/(h γ) + J U), with J U from the field.
template <class M, class System, class Y>
REVODE_HD void refine_stage(System& sys, double t, double t_new, const Y& y,
                            rosenbrock_work<M, Y>& w, scalar_t<Y>* u) {
  using T = scalar_t<Y>;
  const T own = T(1 / ((t_new - t) * rosenbrock_numbers<M>::gamma()));
  for (int i = 0, n = length(y); i < n; ++i) w.unknown.data()[i] = u[i];
  sys.jvp(t, y, T(0), w.unknown, vec<T, 0>{}, w.rest);
  for (int i = 0, n = length(y); i < n; ++i)
    w.rest.data()[i] =
        add_mass_times(mass_of(sys), i, -own, u, w.right.data()[i]) + w.rest.data()[i];
  w.matrix.factors.solve(w.rest);
  count_solves(sys, 1);
  for (int i = 0, n = length(y); i < n; ++i) u[i] = u[i] + w.rest.data()[i];
}

/// The right side of stage I, in the place of its unknown. `stage` becomes its argument where it has
/// one of its own.
template <class M, int I, class System, class Y>
REVODE_HD void form_right_side(System& sys, double t, double t_new, const Y& y,
                               const rosenbrock_pointers<M, Y>& s, rosenbrock_work<M, Y>& w,
                               Y& stage) {
  using T = scalar_t<Y>;
  using numbers = rosenbrock_numbers<M>;
  constexpr bool own = numbers::source(I) == I;
  if constexpr (numbers::evaluates(I)) {
    if constexpr (I == 0) {
      sys(t, y, w.f);
    } else {
      add_increments<argument_row<M, I>, I>(y, s.u, stage);
      sys(rosenbrock_time<M, I>(t, t_new), stage, w.f);
    }
    if constexpr (numbers::is_shared(I)) copy(w.f, w.shared);
  }
  const T h = T(t_new - t);
  const T* f = own ? w.f.data() : w.shared.data();
  constexpr bool moves = !is_autonomous_v<System> && numbers::driven(I) != 0;
  const T h_driven = h * T(numbers::driven(I));
  T weight[I > 0 ? I : 1];
  scale_row<coupling_row<M, I>, 0, I>(T(1) / h, weight);
  T* out = s.u[I];
  for_each_element(
      y, [&](int i) __attribute__((always_inline)) {
        T right = f[i];
        if constexpr (moves) right = muladd(h_driven, w.f_t.data()[i], right);
        if constexpr (is_massive_v<System>)
          out[i] = add_entries(sys.mass.row(i), right, [&](int k) {
            return add_weighted<coupling_row<M, I>, 0, I>(T(-0.0), weight, s.u, k);
          });
        else
          out[i] = add_weighted<coupling_row<M, I>, 0, I>(right, weight, s.u, i);
      });
}

/// Stages I … Last − 1. `stage` ends as the last argument that was formed.
template <class M, int I, int Last, class System, class Y>
REVODE_HD void solve_stages(System& sys, double t, double t_new, const Y& y,
                            const rosenbrock_pointers<M, Y>& s, rosenbrock_work<M, Y>& w,
                            Y& stage) {
  if constexpr (I < Last) {
    using T = scalar_t<Y>;
    form_right_side<M, I>(sys, t, t_new, y, s, w, stage);
    T* out = s.u[I];
    if constexpr (refines_v<M>)
      for (int i = 0, n = length(y); i < n; ++i) w.right.data()[i] = out[i];
    element_range<T> unknown{out, length(y)};
    w.matrix.factors.solve(unknown);
    if constexpr (refines_v<M>) refine_stage(sys, t, t_new, y, w, out);
    solve_stages<M, I + 1, Last>(sys, t, t_new, y, s, w, stage);
  }
}

/// The new state.
template <class M, class Y>
REVODE_HD void add_all_stages(const Y& y, const scalar_t<Y>* const* u, Y& out) {
  using numbers = rosenbrock_numbers<M>;
  constexpr int last = numbers::kept;
  add_increments<increment_row<M>, last>(y, u, out);
}

/// tape.y → all stages that are kept, and the new state in `out`. False when there is no solution, or an adaptive
/// attempt steps over growth.
template <class M, class System, class Y, class Cache>
REVODE_HD bool take_rosenbrock_step(const M& m, System& sys, double t, double t_new,
                                    const Cache& cache, rosenbrock_tape<M, Y>& tape,
                                    rosenbrock_work<M, Y>& w, Y& out, bool adaptive = false) {
  const rosenbrock_pointers<M, Y> s(tape, w);
  const double h_gamma = (t_new - t) * rosenbrock_numbers<M>::gamma();
  bool solvable = factor_stage_matrix(m, sys, t, h_gamma, tape.y, w.matrix);
  if constexpr (!is_massive_v<System>)
    solvable = solvable & !(adaptive && steps_over_growth(w.matrix.factors, h_gamma));
  if (!goes_on_v<System> && !solvable) return false;
  if constexpr (!is_autonomous_v<System>) sys.time_derivative(t, tape.y, w.f_t);
  if constexpr (rosenbrock_numbers<M>::fsal) copy(cache.k, w.f);
  solve_stages<M, 0, rosenbrock_numbers<M>::kept>(sys, t, t_new, tape.y, s, w, out);
  count_solves(sys, rosenbrock_numbers<M>::kept);
  add_all_stages<M>(tape.y, s.u, out);
  return solvable;
}

/// Mean of (Σ eⱼ Uⱼ / (atol + rtol max(|y|, |y_new|)))², or options::norm of them.
template <class M, class Y>
REVODE_HD double rosenbrock_error_squared(const tolerance& tol, const Y& y, const Y& y_new,
                                          const scalar_t<Y>* const* u,
                                          [[maybe_unused]] bool* finite = nullptr) {
  using T = scalar_t<Y>;
  using std::abs;
  constexpr int s = rosenbrock_numbers<M>::stages;
  T e[s];
  scale_row<estimate_row<M>, 0, s>(T(1), e);
  const T* a = y.data();
  const T* b = y_new.data();
  if (tol.each != nullptr)
    return norm_squared(*tol.each, y, y_new, [&](int i) {
      return add_weighted<estimate_row<M>, 0, s>(T(-0.0), e, u, i);
    });
  const T rtol = static_cast<T>(tol.rtol), atol = static_cast<T>(tol.atol);
  const auto add_square = [&](int i, auto* sum) __attribute__((always_inline)) {
    using sum_type = std::remove_cvref_t<decltype(*sum)>;
    const T from = abs(a[i]), to = abs(b[i]);
    const T weight = 1 / muladd(rtol, to > from ? to : from, atol);
    const sum_type error = weight * add_weighted<estimate_row<M>, 0, s>(T(-0.0), e, u, i);
    *sum = muladd(error, error, *sum);
  };
  if constexpr (is_spread_v<Y>) {
    const auto mean = whole<Y>::template sums<1>(y_new, add_square);
    *finite = mean.finite;
    return mean.of[0] / whole<Y>::count(y_new);
  }
  T sum(0);
  for_each_element(
      y_new, [&](int i) __attribute__((always_inline)) { add_square(i, &sum); });
  const int n = length(y_new);
  return n > 0 ? static_cast<double>(value_of(sum)) / n : 0.0;
}

template <rosenbrock_method M, class System, class Y>
REVODE_HD void refresh(const M&, System& sys, double t, carry<M, Y>& c) {
  if constexpr (rosenbrock_numbers<M>::fsal) sys(t, c.state, c.cache.k);
}

/// all_finite of J, written out.
template <class Matrix>
REVODE_HD bool has_finite_jacobian(const Matrix& matrix) {
  const auto* x = matrix.j.data();
  auto sum = x[0] - x[0];
  for_constants<1, std::remove_cvref_t<decltype(matrix.j)>::size()>([&](
      auto i) __attribute__((always_inline)) { sum = sum + (x[i] - x[i]); });
  return sum == 0;
}

/// The one decision of a step that has a solution: error and finiteness.
template <class M, class System, class Y>
outcome<nothing> judge_on_all_ranks(System& sys, const tolerance& tol, double t, double t_new,
                                    rosenbrock_tape<M, Y>& tape, rosenbrock_work<M, Y>& w,
                                    const Y& y_new) {
  using numbers = rosenbrock_numbers<M>;
  outcome<nothing> found;
  bool finite = true;
  if (tol.estimate) {
    const rosenbrock_pointers<M, Y> s(tape, w);
    solve_stages<M, numbers::kept, numbers::stages>(sys, t, t_new, tape.y, s, w, w.shared);
    count_solves(sys, numbers::stages - numbers::kept);
    found.error_squared = rosenbrock_error_squared<M>(tol, tape.y, y_new, s.u, &finite);
  } else {
    finite = all_of_it_finite(y_new);
  }
  // An infinite element has an infinite scale, hence a scaled error of 0.
  if (found.error_squared <= 1 && !finite) found.what = status::non_finite_state;
  return found;
}

template <class M, class System, class Y>
REVODE_HD outcome<nothing> try_rosenbrock_step(const M& m, System& sys, const tolerance& tol,
                                               double t, double t_new, const carry<M, Y>& from,
                                               rosenbrock_tape<M, Y>& tape,
                                               rosenbrock_work<M, Y>& w, carry<M, Y>& next) {
  using numbers = rosenbrock_numbers<M>;
  copy(from.state, tape.y);
  const bool solvable =
      take_rosenbrock_step<M>(m, sys, t, t_new, from.cache, tape, w, next.state, tol.estimate);
  if (!goes_on_v<System> && !solvable) return {.what = trouble_of(w.matrix)};
  if constexpr (numbers::fsal) {
    sys(t_new, next.state, next.cache.k);
    copy(next.cache.k, w.f);
  }
  if constexpr (is_spread_v<Y>)
    return judge_on_all_ranks<M>(sys, tol, t, t_new, tape, w, next.state);
  const auto judged = [&](double error) __attribute__((always_inline)) {
    if constexpr (goes_on_v<System>)
      error = error_or_trouble(error, solvable, has_finite_jacobian(w.matrix));
    return outcome<nothing>{error};
  };
  if (!tol.estimate) return judged(0);
  const rosenbrock_pointers<M, Y> s(tape, w);
  solve_stages<M, numbers::kept, numbers::stages>(sys, t, t_new, tape.y, s, w, w.shared);
  count_solves(sys, numbers::stages - numbers::kept);
  return judged(rosenbrock_error_squared<M>(tol, tape.y, next.state, s.u));
}

/// The same in locals, with the field inlined at every use: stages then live in registers.
template <class M, class System, class Y>
REVODE_FLAT outcome<nothing> try_small_rosenbrock_step(const M& m, System& sys,
                                                       const tolerance& tol, double t, double t_new,
                                                       const carry<M, Y>& from,
                                                       rosenbrock_tape<M, Y>& tape,
                                                       carry<M, Y>& next) {
  rosenbrock_work<M, Y> w;
  return try_rosenbrock_step<M>(m, sys, tol, t, t_new, from, tape, w, next);
}

/// An attempt without a call around it, for loops over lanes.
template <rosenbrock_method M, class System, class Y>
requires std::is_empty_v<decltype(rosenbrock_tape<M, Y>::work)> REVODE_HD outcome<nothing>
attempt_flat(const M& m, System& sys, const tolerance& tol, double t, double t_new,
             const carry<M, Y>& from, rosenbrock_tape<M, Y>& tape, carry<M, Y>& next) {
  rosenbrock_work<M, Y> w;
  return try_rosenbrock_step<M>(m, sys, tol, t, t_new, from, tape, w, next);
}

/// One trial step.
/// cost    one Jacobian, one factorisation, a solve for every stage, a field evaluation for every
///         different argument; the Jacobian of a rejected step is not kept
template <rosenbrock_method M, class System, class Y>
REVODE_HD outcome<nothing> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                   double t_new, const carry<M, Y>& from,
                                   rosenbrock_tape<M, Y>& tape, carry<M, Y>& next) {
  if constexpr (has_small_matrix<M, Y>)
    return try_small_rosenbrock_step<M>(m, sys, tol, t, t_new, from, tape, next);
  else
    return try_rosenbrock_step<M>(m, sys, tol, t, t_new, from, tape, tape.work, next);
}

template <rosenbrock_method M, class System, class Y>
REVODE_HD void replay(const M& m, System& sys, double t, double t_new, nothing, carry<M, Y>& c,
                      rosenbrock_tape<M, Y>& tape) {
  if constexpr (is_spread_v<Y>) {  // there is nothing to decide
    copy(c.state, tape.y);
    take_rosenbrock_step<M>(m, sys, t, t_new, c.cache, tape, tape.work, c.state);
    refresh(m, sys, t_new, c);
  } else {
    attempt(m, sys, {.estimate = false}, t, t_new, c, tape, c);  // reads c before it writes it
  }
}

/// The carry after a step is a sum over its tape.
template <rosenbrock_method M, class System, class Y>
requires(!rosenbrock_numbers<M>::fsal)
    REVODE_HD void resume(const M&, System&, double, double, const rosenbrock_tape<M, Y>& tape,
                          carry<M, Y>& c) {
  const scalar_t<Y>* u[rosenbrock_numbers<M>::kept];
  for (int j = 0; j < rosenbrock_numbers<M>::kept; ++j) u[j] = tape.u[j].data();
  add_all_stages<M>(tape.y, u, c.state);
}

}  // namespace revode
