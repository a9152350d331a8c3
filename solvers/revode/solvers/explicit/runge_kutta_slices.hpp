// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta_adjoint.hpp>

namespace revode {

/// A step and its transpose in slices of a few stages, for lanes that take them in turn. Its sums are
/// those of take_step and pull_step.
template <class M, class Y>
struct rk_slices {
  using T = scalar_t<Y>;
  static constexpr int stages = coefficients<M>::stages;
  static constexpr bool fsal = coefficients<M>::fsal;

  /// The last stage that the cotangent of the new state reaches.
  static consteval int last_reached() {
    int last = stages - 1;
    while (last > 0 && !coefficients<M>::reached(last)) --last;
    return last;
  }

  /// Stages I … End − 1 of a step whose earlier ones are in `tape`; keep(stage, value) sees their
  /// values. Slopes: the derivative of the last is wanted.
  template <int I, int End, bool Slopes, class System, class Keep>
  REVODE_HD static void run(System& sys, double t, double t_new, rk_tape<M, Y>& tape,
                            const Keep& keep) {
    if constexpr (I < End) {
      Y at;
      copy(tape.y, at);
      if constexpr (I > 0) {
        const T* k[I];
        for (int j = 0; j < I; ++j) k[j] = tape.k[j].data();
        advance_state<stage_row<M, I>, I>(tape.y, static_cast<T>(t_new - t), k, at);
      }
      if constexpr (Slopes || I + 1 < End) sys(stage_time<M, I>(t, t_new), at, tape.k[I]);
      keep(I, at);
      run<I + 1, End, Slopes>(sys, t, t_new, tape, keep);
    }
  }

  /// The new state (which an fsal method has reached already) and cache, and the squared error.
  template <bool Estimate>
  REVODE_HD static double finish(const tolerance& tol, double h, const rk_tape<M, Y>& tape,
                                 carry<M, Y>& next) {
    if constexpr (fsal) {
      copy(tape.k[stages - 1], next.cache.k);
    } else {
      const T* k[stages];
      for (int j = 0; j < stages; ++j) k[j] = tape.k[j].data();
      advance_state<solution_row<M>, stages>(tape.y, static_cast<T>(h), k, next.state);
    }
    if constexpr (has_estimate_v<M> && Estimate)
      return scaled_error_squared<M>(tol, h, tape, next.state);
    return 0;
  }

  /// θ of stages I, I − 1, … End of a step whose later ones are in w.theta.
  template <int I, int End, class System, class P, class Value>
  REVODE_HD static void pull(System& sys, double t, double t_new, rk_scratch<M, Y>& w,
                             const Y& lambda, P& p_bar, const Value& value) {
    if constexpr (I >= End) {
      if constexpr (coefficients<M>::reached(I)) {
        stage_cotangent<M, I, false>(static_cast<T>(t_new - t), lambda, nullptr, w);
        fill(w.theta[I], T(-0.0));
        sys.vjp(stage_time<M, I>(t, t_new), value(I), w.k_bar, nullptr, w.theta[I], p_bar);
      }
      pull<I - 1, End>(sys, t, t_new, w, lambda, p_bar, value);
    }
  }
  REVODE_HD static void add_cotangents(const rk_scratch<M, Y>& w, Y& lambda) {
    add_stage_cotangents<M, last_reached(), false>(w, lambda);
  }
};

}  // namespace revode
