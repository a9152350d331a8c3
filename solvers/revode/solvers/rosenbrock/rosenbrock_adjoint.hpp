// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/rosenbrock/rosenbrock_step.hpp>

namespace revode {

/// Columns below the diagonal, without the stages that no cotangent reaches; arguments that are
/// shared pull once, at the first stage that has them.
template <class M, int I, bool Seeded>
struct argument_column {
  static consteval double at(int j) {
    using numbers = rosenbrock_numbers<M>;
    if (numbers::source(j) != j) return 0;
    return Seeded || numbers::reached(j) || numbers::is_shared(j) ? numbers::a(j, I) : 0.0;
  }
};
template <class M, int I, bool Seeded>
struct coupling_column {
  static consteval double at(int j) {
    using numbers = rosenbrock_numbers<M>;
    return Seeded || numbers::reached(j) ? numbers::c(j, I) : 0.0;
  }
};

/// w.w[I] = W⁻ᵀ (m_I λ + Σ_{j>I} (a_jI v_j + (c_jI/h) w_j) + seed of U_I), with Mᵀ before the w_j.
template <class M, int I, bool Seeded, class System, class Y>
REVODE_HD void rosenbrock_cotangent(System& sys, scalar_t<Y> h, const Y& lambda,
                                    const rosenbrock_seeds<M, Y>* seeds,
                                    rosenbrock_scratch<M, Y>& w) {
  using T = scalar_t<Y>;
  constexpr int last = rosenbrock_numbers<M>::kept;
  using of_arguments = argument_column<M, I, Seeded>;
  using of_couplings = coupling_column<M, I, Seeded>;
  const T* at_v[last];
  const T* at_w[last];
  for (int j = 0; j < last; ++j) at_v[j] = w.v[j].data(), at_w[j] = w.w[j].data();
  T weight_v[last], weight_w[last];
  scale_row<of_arguments, I + 1, last>(T(1), weight_v);
  scale_row<of_couplings, I + 1, last>(T(1) / h, weight_w);
  constexpr T m = static_cast<T>(rosenbrock_numbers<M>::m(I));
  const T* l = lambda.data();
  T* __restrict out = w.w[I].data();
  for_each_element(
      lambda, [&](int i) __attribute__((always_inline)) {
        T sum(-0.0);
        if constexpr (Seeded) sum = seeds->u[I].data()[i];
        if constexpr (m != 0) sum = muladd(m, l[i], sum);
        sum = add_weighted_backwards<of_arguments, I + 1, last>(sum, weight_v, at_v, i);
        if constexpr (is_massive_v<System>)
          out[i] = add_entries(sys.mass.column(i), sum, [&](int k) {
            return add_weighted_backwards<of_couplings, I + 1, last>(T(-0.0), weight_w, at_w, k);
          });
        else
          out[i] = add_weighted_backwards<of_couplings, I + 1, last>(sum, weight_w, at_w, i);
      });
  solve_stage_derivative<true>(sys, w.matrix, w.w[I]);
}

/// The cotangent of h that a stage has by itself: wᵀ(M (U/γ − Σ c U_j)/h + h γ_I ∂f/∂t)/h, without h², which may
/// be no number.
template <class M, int I, class System, class Y>
REVODE_HD time_bar_t<Y> length_cotangent([[maybe_unused]] System& sys, scalar_t<Y> h,
                                         const rosenbrock_tape<M, Y>& tape,
                                         const rosenbrock_scratch<M, Y>& w) {
  using T = scalar_t<Y>;
  using numbers = rosenbrock_numbers<M>;
  const T* u[I + 1];
  for (int j = 0; j <= I; ++j) u[j] = tape.u[j].data();
  T weight[I > 0 ? I : 1]{};
  scale_row<coupling_row<M, I>, 0, I>(T(-1), weight);
  const T inverse = T(1) / h;
  const auto inside = [&](int i) __attribute__((always_inline)) {
    const T own = u[I][i] * T(1 / numbers::gamma());
    return inverse * add_weighted<coupling_row<M, I>, 0, I>(own, weight, u, i);
  };
  return sum_by_parts(
      tape.y, [&](int first, int last) __attribute__((always_inline)) {
        T sum(0);
        for (int i = first; i < last; ++i) {
          T rate;
          if constexpr (is_massive_v<System>)
            rate = add_entries(sys.mass.row(i), T(0), inside);
          else
            rate = inside(i);
          if constexpr (!is_autonomous_v<System> && numbers::driven(I) != 0)
            rate = muladd(T(numbers::driven(I)) * h, w.f_t.data()[i], rate);
          sum = muladd(w.w[I].data()[i], rate, sum);
        }
        return inverse * sum;
      });
}

/// w.sum += the cotangents of stages J, J + 1, … that share the argument of stage I.
template <class M, int I, int J, bool Seeded, class Y>
REVODE_HD void add_sharing_stages(rosenbrock_scratch<M, Y>& w) {
  using numbers = rosenbrock_numbers<M>;
  if constexpr (J < numbers::kept) {
    if constexpr (numbers::source(J) == I && (Seeded || numbers::reached(J))) add(w.w[J], w.sum);
    add_sharing_stages<M, I, J + 1, Seeded>(w);
  }
}

/// w.v[I] = (∂f/∂y)ᵀ w at the stage's argument, w the sum over the stages that share it.
template <class M, int I, bool Seeded, class System, class Y, class P>
REVODE_HD void pull_argument(System& sys, double t, double t_new, const rosenbrock_tape<M, Y>& tape,
                             rosenbrock_scratch<M, Y>& w, P& p_bar,
                             step_ends<time_bar_t<Y>>* ends) {
  using T = scalar_t<Y>;
  using numbers = rosenbrock_numbers<M>;
  const Y* at = &tape.y;
  if constexpr (I > 0) {
    const T* u[I];
    for (int j = 0; j < I; ++j) u[j] = tape.u[j].data();
    add_increments<argument_row<M, I>, I>(tape.y, u, w.stage);
    at = &w.stage;
  }
  const Y* weight = &w.w[I];
  if constexpr (numbers::is_shared(I)) {
    copy(w.w[I], w.sum);
    add_sharing_stages<M, I, I + 1, Seeded>(w);
    weight = &w.sum;
  }
  fill(w.v[I], T(-0.0));
  constexpr bool asks = !is_autonomous_v<System>;
  time_bar_t<Y> t_bar(0);  // a small step is one piece of code, whoever asks for its ends
  time_bar_t<Y>* of_time = asks && (has_small_matrix<M, Y> || ends != nullptr) ? &t_bar : nullptr;
  sys.vjp(rosenbrock_time<M, I>(t, t_new), *at, *weight, of_time, w.v[I], p_bar);
  if (asks && ends != nullptr) {
    constexpr T c = static_cast<T>(numbers::node(I));
    ends->t += (1 - c) * t_bar;
    ends->t_new += c * t_bar;
  }
}

/// Stages I, I − 1, … 0. Second derivatives of the field at the step's start gather in w.y_bar.
template <class M, int I, bool Seeded, class System, class Y, class P>
REVODE_HD void pull_rosenbrock_stages(System& sys, double t, double t_new,
                                      const rosenbrock_tape<M, Y>& tape,
                                      rosenbrock_scratch<M, Y>& w,
                                      const rosenbrock_seeds<M, Y>* seeds, const Y& lambda,
                                      P& p_bar, step_ends<time_bar_t<Y>>* ends) {
  if constexpr (I >= 0) {
    using T = scalar_t<Y>;
    using numbers = rosenbrock_numbers<M>;
    constexpr bool autonomous = is_autonomous_v<System>;
    if constexpr (Seeded || numbers::reached(I)) {
      const T h = T(t_new - t);
      rosenbrock_cotangent<M, I, Seeded>(sys, h, lambda, seeds, w);
      if (ends != nullptr) {
        const auto h_bar = length_cotangent<M, I>(sys, h, tape, w);
        ends->t -= h_bar;
        ends->t_new += h_bar;
      }
      if constexpr (is_exact_v<M>) {
        time_bar_t<Y> t_bar(0);
        const T t_dot = autonomous ? T(0) : h * T(numbers::driven(I));
        time_bar_t<Y>* of_time = ends == nullptr || autonomous ? nullptr : &t_bar;
        sys.second(t, tape.y, w.w[I], t_dot, tape.u[I], of_time, w.y_bar, p_bar);
        if (ends != nullptr) ends->t += t_bar;
      }
    }
    if constexpr (numbers::source(I) == I &&
                  (Seeded || numbers::reached(I) || numbers::is_shared(I))) {
      if constexpr (!Seeded && !numbers::reached(I)) fill(w.w[I], T(0));
      pull_argument<M, I, Seeded>(sys, t, t_new, tape, w, p_bar, ends);
      add(w.v[I], w.y_bar);
    }
    pull_rosenbrock_stages<M, I - 1, Seeded>(sys, t, t_new, tape, w, seeds, lambda, p_bar, ends);
  }
}

template <class M, bool Seeded, class System, class Y, class P>
REVODE_HD void pull_rosenbrock_step(const M& m, System& sys, double t, double t_new,
                                    const rosenbrock_tape<M, Y>& tape, rosenbrock_scratch<M, Y>& w,
                                    const typename method_types<M, Y>::seeds* seeds, Y& state_bar,
                                    P& p_bar, step_ends<time_bar_t<Y>>* ends) {
  const double h_gamma = (t_new - t) * rosenbrock_numbers<M>::gamma();
  factor_again(m, sys, t, h_gamma, tape.y, w.matrix);
  if constexpr (!is_autonomous_v<System>)
    if (ends != nullptr) sys.time_derivative(t, tape.y, w.f_t);
  fill(w.y_bar, scalar_t<Y>(0));
  pull_rosenbrock_stages<M, rosenbrock_numbers<M>::kept - 1, Seeded>(sys, t, t_new, tape, w, seeds,
                                                                     state_bar, p_bar, ends);
  add(w.y_bar, state_bar);
  if constexpr (Seeded) add(seeds->y, state_bar);
}

/// pull without a call around it, for loops over lanes: nobody asks about its ends and dense output.
template <rosenbrock_method M, class System, class Y, class P>
REVODE_HD void pull_flat(const M& m, System& sys, double t, double t_new,
                         const rosenbrock_tape<M, Y>& tape, Y& state_bar, P& p_bar) {
  rosenbrock_scratch<M, Y> scratch;
  pull_rosenbrock_step<M, false>(m, sys, t, t_new, tape, scratch, nullptr, state_bar, p_bar,
                                 nullptr);
}

template <class M, class System, class Y, class P>
REVODE_FLAT void pull_small_rosenbrock_step(const M& m, System& sys, double t, double t_new,
                                            const rosenbrock_tape<M, Y>& tape, Y& state_bar,
                                            P& p_bar, step_ends<time_bar_t<Y>>* ends) {
  rosenbrock_scratch<M, Y> local;
  Y y_bar = state_bar;
  P parameters_bar = p_bar;
  pull_rosenbrock_step<M, false>(m, sys, t, t_new, tape, local, nullptr, y_bar, parameters_bar,
                                 ends);
  state_bar = y_bar;
  p_bar = parameters_bar;
}

/// The exact transpose of one step, the dependence of J and ∂f/∂t on y, p and t included:
///   W⁻ᵀ-solves give wᵢ from the last stage to the first, vᵢ = (∂f/∂y)ᵀ wᵢ at its argument, and
///   ȳ += λ + Σ vᵢ + ∇ Σ wᵢᵀ(J Uᵢ + h γᵢ ∂f/∂t).
/// cost    one Jacobian, one factorisation; a transposed solve and a second derivative for every
///         stage, a VJP for every different argument. Methods with exact = false leave the second
///         derivatives out.
/// source  Daescu, Carmichael & Sandu, J. Comput. Phys. 165 (2000) 496–510
template <rosenbrock_method M, class System, class Y, class P>
REVODE_HD void pull(const M& m, System& sys, double t, double t_new, nothing,
                    const rosenbrock_tape<M, Y>& tape, rosenbrock_scratch<M, Y>& w,
                    const rosenbrock_seeds<M, Y>* seeds, Y& state_bar, P& p_bar,
                    step_ends<time_bar_t<Y>>* ends) {
  if (seeds != nullptr) {
    pull_rosenbrock_step<M, true>(m, sys, t, t_new, tape, w, seeds, state_bar, p_bar, ends);
  } else if constexpr (stays_in_registers<Y> && stays_in_registers<P>) {
    pull_small_rosenbrock_step<M>(m, sys, t, t_new, tape, state_bar, p_bar, ends);
  } else {
    pull_rosenbrock_step<M, false>(m, sys, t, t_new, tape, w, nullptr, state_bar, p_bar, ends);
  }
}

}  // namespace revode
