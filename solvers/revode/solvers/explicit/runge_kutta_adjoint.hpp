// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/explicit/runge_kutta_step.hpp>

namespace revode {

// `Seeded`: of how many stages seeds are read, those of the step or all of dense output; 0: none.

/// Column I of the tableau below the diagonal, without the stages that no cotangent reaches.
template <class M, int I, int Seeded>
struct pulled_column {
  static consteval double at(int j) {
    return Seeded || coefficients<M>::reached(j) ? coefficients<M>::a(j, I) : 0.0;
  }
};

/// The call of stage I may have left a tape.
template <class System, int I, class M>
inline constexpr bool has_call_v = I < coefficients<M>::stages&& requires {
  requires System::keeps_calls;
};

/// Pointers to the derivatives of all stages, those of dense output included.
template <class M, class Y>
struct stage_pointers {
  const scalar_t<Y>* k[coefficients<M>::all];

  REVODE_HD stage_pointers(const rk_tape<M, Y>& tape, const rk_scratch<M, Y>& w) {
    constexpr int s = coefficients<M>::stages;
    for (int j = 0; j < coefficients<M>::all; ++j)
      k[j] = j < s ? tape.k[j].data() : w.k_extra[j - s].data();
  }
};

/// The value of stage I: tape.y itself for the first, otherwise rebuilt in w.stage.
template <class M, int I, class Y>
REVODE_HD const Y& stage_value(scalar_t<Y> h, const rk_tape<M, Y>& tape,
                               const scalar_t<Y>* const* k, rk_scratch<M, Y>& w) {
  if constexpr (I == 0) {
    return tape.y;
  } else {
    advance_state<stage_row<M, I>, I>(tape.y, h, k, w.stage);
    return w.stage;
  }
}

/// w.k_bar = h (b_I λ + Σ_{j>I} a_jI θ_j) + seed of k_I
template <class M, int I, int Seeded, class Y>
REVODE_HD void stage_cotangent(scalar_t<Y> h, const Y& lambda,
                               const typename method_types<M, Y>::seeds* seeds,
                               rk_scratch<M, Y>& w) {
  using T = scalar_t<Y>;
  using column = pulled_column<M, I, Seeded>;
  constexpr int last = Seeded ? Seeded : coefficients<M>::stages;
  constexpr T b = static_cast<T>(coefficients<M>::b(I));
  const T* theta[last];
  for (int j = 0; j < last; ++j) theta[j] = w.theta[j].data();
  T weight[last];
  scale_row<column, I + 1, last>(h, weight);
  const T h_b = h * b;
  const T* l = lambda.data();
  T* __restrict out = w.k_bar.data();
  sweep_elements(lambda, [&](int i) {
    T sum(-0.0);  // vanishes in an addition, and compilers know it
    if constexpr (Seeded) sum = seeds->k[I].data()[i];
    if constexpr (b != 0) sum = muladd(h_b, l[i], sum);
    out[i] = add_weighted_backwards<column, I + 1, last>(sum, weight, theta, i);
  });
}

/// Stages I, I − 1, … 0: θ_I = (∂f/∂y)ᵀ k̄_I at the stage's value, and its share of p̄; t_bar[I] = its
/// (∂f/∂t)ᵀ k̄_I, unless t_bar is null.
/// source  the recursion of Hager, Numer. Math. 87 (2000) 247–282, in the form without division by b
template <class M, int I, int Seeded, class System, class Y, class P>
REVODE_HD void pull_stages(System& sys, double t, double t_new, const rk_tape<M, Y>& tape,
                           const stage_pointers<M, Y>& s, rk_scratch<M, Y>& w,
                           const rk_seeds<M, Y>* seeds, const Y& lambda, P& p_bar,
                           time_bar_t<Y>* t_bar) {
  using T = scalar_t<Y>;
  if constexpr (I >= 0) {
    if constexpr (Seeded || coefficients<M>::reached(I)) {
      const T h = static_cast<T>(t_new - t);
      stage_cotangent<M, I, Seeded>(h, lambda, seeds, w);
      const Y& at = stage_value<M, I>(h, tape, s.k, w);
      fill(w.theta[I], T(-0.0));
      if (t_bar != nullptr) t_bar[I] = time_bar_t<Y>(0);
      time_bar_t<Y>* of_time = t_bar != nullptr ? t_bar + I : nullptr;
      if constexpr (has_call_v<System, I, M>)
        sys.vjp(I, stage_time<M, I>(t, t_new), at, w.k_bar, of_time, w.theta[I], p_bar);
      else
        sys.vjp(stage_time<M, I>(t, t_new), at, w.k_bar, of_time, w.theta[I], p_bar);
    }
    pull_stages<M, I - 1, Seeded>(sys, t, t_new, tape, s, w, seeds, lambda, p_bar, t_bar);
  }
}

/// What the ends of the step get from stages I, I − 1, … 0: by the times they are at, and by h.
template <class M, int I, int Seeded, class Y>
REVODE_HD void pull_ends(const stage_pointers<M, Y>& s, const rk_scratch<M, Y>& w, const Y& lambda,
                         const time_bar_t<Y>* t_bar, step_ends<time_bar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  if constexpr (I >= 0) {
    if constexpr (Seeded || coefficients<M>::reached(I)) {
      constexpr T b = static_cast<T>(coefficients<M>::b(I));
      constexpr T c = static_cast<T>(coefficients<M>::c(I));
      T row[I > 0 ? I : 1];
      scale_row<stage_row<M, I>, 0, I>(T(1), row);
      const auto h_bar = sum_by_parts(
          lambda, [&](int first, int last) __attribute__((always_inline)) {
            T sum(0);
            for (int i = first; i < last; ++i) {
              sum = muladd(b * lambda.data()[i], s.k[I][i], sum);
              const T slope = add_weighted<stage_row<M, I>, 0, I>(T(0), row, s.k, i);
              sum = muladd(w.theta[I].data()[i], slope, sum);
            }
            return sum;
          });
      ends.t += (1 - c) * t_bar[I] - h_bar;
      ends.t_new += c * t_bar[I] + h_bar;
    }
    pull_ends<M, I - 1, Seeded>(s, w, lambda, t_bar, ends);
  }
}

template <class M, int I, int Seeded, class Y>
REVODE_HD void add_stage_cotangents(const rk_scratch<M, Y>& w, Y& lambda) {
  if constexpr (I >= 0) {
    if constexpr (Seeded || coefficients<M>::reached(I)) add(w.theta[I], lambda);
    add_stage_cotangents<M, I - 1, Seeded>(w, lambda);
  }
}

/// `times`: room for a number a stage; null where the ends do not move, and nobody asks for them.
template <class M, int Seeded, class System, class Y, class P>
REVODE_HD void pull_step(System& sys, double t, double t_new, const rk_tape<M, Y>& tape,
                         rk_scratch<M, Y>& w, const typename method_types<M, Y>::seeds* seeds,
                         Y& state_bar, P& p_bar, time_bar_t<Y>* times,
                         step_ends<time_bar_t<Y>>* ends) {
  constexpr int last = Seeded ? Seeded : coefficients<M>::stages;
  const stage_pointers<M, Y> s(tape, w);
  pull_stages<M, last - 1, Seeded>(sys, t, t_new, tape, s, w, seeds, state_bar, p_bar, times);
  if (ends != nullptr) pull_ends<M, last - 1, Seeded>(s, w, state_bar, times, *ends);
  add_stage_cotangents<M, last - 1, Seeded>(w, state_bar);
  if constexpr (Seeded) add(seeds->y, state_bar);
}

/// pull without a call around it, for loops over lanes: nobody asks about its ends and dense output.
template <explicit_method M, class System, class Y, class P>
REVODE_HD void pull_flat(const M&, System& sys, double t, double t_new, const rk_tape<M, Y>& tape,
                         Y& state_bar, P& p_bar) {
  rk_scratch<M, Y> scratch;
  pull_step<M, 0>(sys, t, t_new, tape, scratch, nullptr, state_bar, p_bar, nullptr, nullptr);
}

/// The common case of a small state: all of the step, the field's derivative included, is one piece
/// of code without a call, so that cotangents never touch memory. Ends is void where they stand still.
template <class M, class Ends, class System, class Y, class P>
REVODE_FLAT void pull_in_registers(System& sys, double t, double t_new, const rk_tape<M, Y>& tape,
                                   Y& state_bar, P& p_bar, Ends* ends) {
  rk_scratch<M, Y> local;
  const rk_tape<M, Y> stages = tape;
  Y y_bar = state_bar;
  P parameters_bar = p_bar;
  if constexpr (std::is_void_v<Ends>) {
    pull_step<M, 0>(sys, t, t_new, stages, local, nullptr, y_bar, parameters_bar, nullptr, nullptr);
  } else {
    time_bar_t<Y> times[coefficients<M>::stages];
    pull_step<M, 0>(sys, t, t_new, stages, local, nullptr, y_bar, parameters_bar, times, ends);
  }
  state_bar = y_bar;
  p_bar = parameters_bar;
}

/// The exact transpose of one step.
/// cost    one field VJP for each stage that the new state or a seed reaches; no field evaluation
template <explicit_method M, class System, class Y, class P>
REVODE_HD void pull(const M&, System& sys, double t, double t_new, nothing,
                    const rk_tape<M, Y>& tape, rk_scratch<M, Y>& w,
                    const typename method_types<M, Y>::seeds* seeds, Y& state_bar, P& p_bar,
                    step_ends<time_bar_t<Y>>* ends) {
  constexpr bool small = stays_in_registers<Y> && stays_in_registers<P>;
  time_bar_t<Y> room[coefficients<M>::all];
  time_bar_t<Y>* times = small || ends != nullptr ? room : nullptr;  // small: one piece of code
  if (seeds != nullptr) {
    if (coefficients<M>::all == coefficients<M>::stages || seeds->dense)
      pull_step<M, coefficients<M>::all>(sys, t, t_new, tape, w, seeds, state_bar, p_bar, times,
                                         ends);
    else
      pull_step<M, coefficients<M>::stages>(sys, t, t_new, tape, w, seeds, state_bar, p_bar, times,
                                            ends);
  } else if constexpr (small) {
    if (ends == nullptr)
      pull_in_registers<M, void>(sys, t, t_new, tape, state_bar, p_bar, nullptr);
    else
      pull_in_registers<M>(sys, t, t_new, tape, state_bar, p_bar, ends);
  } else {
    pull_step<M, 0>(sys, t, t_new, tape, w, nullptr, state_bar, p_bar, times, ends);
  }
}

/// out = y_dot + h Σⱼ Row(j) dkⱼ + ḣ Σⱼ Row(j) kⱼ, dk in w.theta
template <class Row, int Last, class M, class Y>
REVODE_HD void add_stages(scalar_t<Y> h, scalar_t<Y> h_dot, const scalar_t<Y>* const* k,
                          const rk_scratch<M, Y>& w, const Y& y_dot, Y& out) {
  using T = scalar_t<Y>;
  constexpr int size = Last > 0 ? Last : 1;
  const T* dk[size];
  for (int j = 0; j < Last; ++j) dk[j] = w.theta[j].data();
  T weight[size], weight_dot[size];
  scale_row<Row, 0, Last>(h, weight);
  scale_row<Row, 0, Last>(h_dot, weight_dot);
  for_each_element(
      y_dot, [&](int i) __attribute__((always_inline)) {
        const T sum = add_weighted<Row, 0, Last>(y_dot.data()[i], weight, dk, i);
        out.data()[i] = add_weighted<Row, 0, Last>(sum, weight_dot, k, i);
      });
}

/// Stages I … Last − 1 of the tangent: w.theta[I] = dk_I.
template <class M, int I, int Last, class System, class Y, class P>
REVODE_HD void push_stages(System& sys, double t, double t_new, const rk_tape<M, Y>& tape,
                           const stage_pointers<M, Y>& s, rk_scratch<M, Y>& w, const Y& y_dot,
                           const P& p_dot, const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  if constexpr (I < Last) {
    constexpr T c = static_cast<T>(coefficients<M>::c(I));
    const T h = static_cast<T>(t_new - t), h_dot = ends.t_new - ends.t;
    const Y& at = stage_value<M, I>(h, tape, s.k, w);
    add_stages<stage_row<M, I>, I>(h, h_dot, s.k, w, y_dot, w.k_bar);
    const T t_dot = (1 - c) * ends.t + c * ends.t_new;
    if constexpr (has_call_v<System, I, M>)
      sys.jvp(I, stage_time<M, I>(t, t_new), at, t_dot, w.k_bar, p_dot, w.theta[I]);
    else
      sys.jvp(stage_time<M, I>(t, t_new), at, t_dot, w.k_bar, p_dot, w.theta[I]);
    push_stages<M, I + 1, Last>(sys, t, t_new, tape, s, w, y_dot, p_dot, ends);
  }
}

/// The exact derivative of one step. Leaves the tangents of the stages in w for dense output.
/// cost    one field JVP a stage
template <explicit_method M, class System, class Y, class P>
REVODE_HD void push(const M&, System& sys, double t, double t_new, nothing,
                    const rk_tape<M, Y>& tape, rk_scratch<M, Y>& w, Y& y_dot, const P& p_dot,
                    const step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  constexpr int s = coefficients<M>::stages;
  const stage_pointers<M, Y> pointers(tape, w);
  push_stages<M, 0, s>(sys, t, t_new, tape, pointers, w, y_dot, p_dot, ends);
  const T h = static_cast<T>(t_new - t), h_dot = ends.t_new - ends.t;
  add_stages<solution_row<M>, s>(h, h_dot, pointers.k, w, y_dot, y_dot);
}

}  // namespace revode
