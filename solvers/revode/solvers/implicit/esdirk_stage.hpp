// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

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

/// What stage i starts from: c.known = h Σ_{j<i} (a_ij k_j + a^E_ij e_j) and the predicted c.z.
template <class M, class Y, class Cache>
void open_stage(int i, double h, const newton_memo<Y, 2>& memo, const esdirk_stages<M, Y>& s,
                Cache& c) {
  using T = scalar_t<Y>;
  sum_of_stages(M::tableau.a[i], i, T(h), s.k, c.known);
  if constexpr (imex_method<M>) add_sum_of_stages(M::explicit_rows[i], i, T(h), s.e, c.known);
  if (i == 1) return predict_first_stage<M>(memo, h, c.z);
  sum_of_stages(esdirk_numbers<M>::predictor.p[i], i, T(h), s.k, c.z);
  if constexpr (imex_method<M>)
    add_sum_of_stages(imex_numbers<M>::explicit_predictor.p[i], i, T(h), s.e, c.z);
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
/// k_i = (z − known)/(hγ): f is not evaluated again, which would magnify what is left of the error. Of a pair
/// also the explicit part there.
template <class M, class System, class Y, class Cache>
void close_stage([[maybe_unused]] System& sys, int i, double t, double t_new, Cache& c,
                 esdirk_stages<M, Y>& s) {
  using T = scalar_t<Y>;
  const T inverse = T(1) / T((t_new - t) * esdirk_numbers<M>::gamma);
  for (int k = 0, n = length(s.y); k < n; ++k)
    s.k[i].data()[k] = inverse * (c.z.data()[k] - c.known.data()[k]);
  if constexpr (imex_method<M>) {
    copy(s.y, c.stage);
    add(c.z, c.stage);
    sys.explicit_part()(esdirk_time<M>(i, t, t_new), c.stage, s.e[i]);
  }
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

/// Newton's corrections of a stage, until `control` has seen enough.
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

}  // namespace revode
