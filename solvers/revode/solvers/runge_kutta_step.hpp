// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/functions.hpp>
#include <revode/concepts.hpp>
#include <revode/solve/options.hpp>
#include <revode/solvers/butcher_tableau.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

/// An explicit Runge–Kutta method is data: a tableau, and how to interpolate (see tsit5.hpp).
template <class M>
concept explicit_method = requires {
  M::tableau;
  M::dense;
};

/// The numbers of a tableau as functions usable in constant expressions on host and device. Stages
/// 0 … stages − 1 make the step; those up to `all` belong to dense output only.
template <class M>
struct coefficients {
  static constexpr int stages = static_cast<int>(sizeof(M::tableau.b) / sizeof(double));
  static constexpr int all =
      static_cast<int>(sizeof(M::dense.weights) / sizeof(M::dense.weights[0]));
  static constexpr int degree = static_cast<int>(sizeof(M::dense.weights[0]) / sizeof(double));
  static constexpr bool fsal = is_fsal(M::tableau);

  static consteval double a(int i, int j) {
    if (i < stages) return j < stages ? M::tableau.a[i][j] : 0.0;
    return M::dense.a[i - stages][j];
  }
  static consteval double b(int j) { return j < stages ? M::tableau.b[j] : 0.0; }
  static consteval double e(int j) { return M::tableau.b[j] - M::tableau.b_embedded[j]; }
  static consteval double e_low(int j) {
    if constexpr (requires { M::b_embedded_low; })
      return M::tableau.b[j] - M::b_embedded_low[j];
    else
      return 0 * M::tableau.b[j];
  }
  static consteval double c(int i) { return i < stages ? M::tableau.c[i] : M::dense.c[i - stages]; }
  /// Does the cotangent of the new state reach stage i?
  static consteval bool reached(int i) {
    if (i >= stages) return false;
    if (b(i) != 0) return true;
    for (int j = i + 1; j < stages; ++j)
      if (a(j, i) != 0 && reached(j)) return true;
    return false;
  }
};

/// Rows of numbers that sums run over.
template <class M, int I>
struct stage_row {
  static consteval double at(int j) { return coefficients<M>::a(I, j); }
};
template <class M, int I>
struct stage_column {
  static consteval double at(int j) { return coefficients<M>::a(j, I); }
};
template <class M>
struct solution_row {
  static consteval double at(int j) { return coefficients<M>::b(j); }
};
template <class M>
struct error_row {
  static consteval double at(int j) { return coefficients<M>::e(j); }
};
template <class M>
struct low_error_row {
  static consteval double at(int j) { return coefficients<M>::e_low(j); }
};

template <class Row>
consteval int first_nonzero(int from, int to) {
  while (from < to && Row::at(from) == 0) ++from;
  return from;
}

/// start + Σ_{First ≤ j < Last} weight_j k_j[i] from left to right, where Row(j) = 0 left out;
/// weight_j is h Row(j) from scale_row.
template <class Row, int First, int Last, class T>
REVODE_HD T add_weighted(T start, const T* weight, const T* const* k, int i) {
  constexpr int j = first_nonzero<Row>(First, Last);
  if constexpr (j >= Last) {
    return start;
  } else {
    return add_weighted<Row, j + 1, Last>(muladd(weight[j], k[j][i], start), weight, k, i);
  }
}

/// The same from right to left: in a reverse sweep the newest cotangent is the leftmost.
template <class Row, int First, int Last, class T>
REVODE_HD T add_weighted_backwards(T start, const T* weight, const T* const* k, int i) {
  if constexpr (first_nonzero<Row>(First, Last) >= Last) {
    return start;
  } else {
    constexpr int j = Last - 1;
    if constexpr (Row::at(j) != 0) start = muladd(weight[j], k[j][i], start);
    return add_weighted_backwards<Row, First, j>(start, weight, k, i);
  }
}

/// weight_j = h Row(j): the newest stage is then one muladd away from the next.
template <class Row, int J, int Last, class T>
REVODE_HD void scale_row(T h, T* weight) {
  if constexpr (J < Last) {
    constexpr T a = static_cast<T>(Row::at(J));
    weight[J] = h * a;
    scale_row<Row, J + 1, Last>(h, weight);
  }
}

/// y_n and the stage derivatives of one step: all that its adjoint needs.
template <class M, class Y>
struct rk_tape {
  static constexpr int stages = coefficients<M>::stages;
  Y y;
  Y k[stages];

  rk_tape() = default;
  REVODE_HD explicit rk_tape(const Y& like) : y(like) {
    for (auto& stage : k) stage = like;
  }
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& stage : self.k) visit(stage);
  }
};

template <class Y>
struct rk_first_stage {
  Y k;
  rk_first_stage() = default;
  REVODE_HD explicit rk_first_stage(const Y& like) : k(like) {}
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    visit(self.k);
  }
};

/// Cotangents of y_n and of every stage that dense output reads.
template <class M, class Y>
struct rk_seeds {
  static constexpr int all = coefficients<M>::all;
  Y y;
  Y k[all];

  rk_seeds() = default;
  REVODE_HD explicit rk_seeds(const Y& like) : y(like) {
    for (auto& stage : k) stage = like;
  }
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& stage : self.k) visit(stage);
  }
  REVODE_HD void clear() {
    fill(y, scalar_t<Y>(0));
    for (auto& stage : k) fill(stage, scalar_t<Y>(0));
  }
};

/// Temporaries: one stage value, and per stage a derivative, cotangent or tangent.
template <class M, class Y>
struct rk_scratch {
  static constexpr int all = coefficients<M>::all;
  static constexpr int extra = all - coefficients<M>::stages;
  Y stage, k_bar;
  Y theta[all];                      // cotangents of stage values, or tangents of k
  Y k_extra[extra > 0 ? extra : 1];  // stages that only dense output needs

  rk_scratch() = default;
  REVODE_HD explicit rk_scratch(const Y& like) : stage(like), k_bar(like) {
    for (auto& part : theta) part = like;
    for (auto& part : k_extra) part = like;
  }
  template <class Self, class Visit>
  REVODE_HD static void parts(Self& self, Visit&& visit) {
    visit(self.stage);
    visit(self.k_bar);
    for (auto& part : self.theta) visit(part);
    for (auto& part : self.k_extra) visit(part);
  }
};

template <class M, class Y>
struct rk_slices;  // runge_kutta_slices.hpp

template <explicit_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using slices = rk_slices<M, Y>;
  using cache = std::conditional_t<coefficients<M>::fsal, rk_first_stage<Y>, nothing>;
  using tape = rk_tape<M, Y>;
  using scratch = rk_scratch<M, Y>;
  using seeds = rk_seeds<M, Y>;
};

/// tᵢ = t + cᵢ h; exactly t_new where cᵢ = 1, since t + (t_new − t) need not be t_new.
template <class M, int I>
REVODE_HD double stage_time(double t, double t_new) {
  constexpr double c = coefficients<M>::c(I);
  if constexpr (c == 0)
    return t;
  else if constexpr (c == 1)
    return t_new;
  else
    return muladd(c, t_new - t, t);
}

/// out = y + h Σⱼ Row(j) kⱼ
template <class Row, int Last, class Y>
REVODE_HD void advance_state(const Y& y, scalar_t<Y> h, const scalar_t<Y>* const* k, Y& out) {
  using T = scalar_t<Y>;
  const T* from = y.data();
  T* __restrict to = out.data();
  T weight[Last];
  scale_row<Row, 0, Last>(h, weight);
  for_each_element(
      out, [&](int i) __attribute__((always_inline)) {
        to[i] = add_weighted<Row, 0, Last>(from[i], weight, k, i);
      });
}

/// Stages I, I + 1, … of the step that tape.y starts; `stage` ends as the last stage's value.
template <class M, int I, class System, class Y>
REVODE_HD void evaluate_stages(System& sys, double t, double t_new, rk_tape<M, Y>& tape, Y& stage) {
  if constexpr (I < coefficients<M>::stages) {
    using T = scalar_t<Y>;
    if constexpr (I == 0) {
      sys(t, tape.y, tape.k[0]);
    } else {
      const T* k[I];
      for (int j = 0; j < I; ++j) k[j] = tape.k[j].data();
      advance_state<stage_row<M, I>, I>(tape.y, static_cast<T>(t_new - t), k, stage);
      sys(stage_time<M, I>(t, t_new), stage, tape.k[I]);
    }
    evaluate_stages<M, I + 1>(sys, t, t_new, tape, stage);
  }
}

/// tape.y and the first stage's cache → all stages, and the new state in `out`.
template <class M, class System, class Y, class Cache>
REVODE_HD void take_step(System& sys, double t, double t_new, const Cache& cache,
                         rk_tape<M, Y>& tape, Y& out) {
  using T = scalar_t<Y>;
  constexpr int s = coefficients<M>::stages;
  if constexpr (coefficients<M>::fsal) {
    copy(cache.k, tape.k[0]);
    evaluate_stages<M, 1>(sys, t, t_new, tape, out);  // the last stage's value is the new state
  } else {
    evaluate_stages<M, 0>(sys, t, t_new, tape, out);
    const T* k[s];
    for (int j = 0; j < s; ++j) k[j] = tape.k[j].data();
    advance_state<solution_row<M>, s>(tape.y, static_cast<T>(t_new - t), k, out);
  }
}

/// Mean of (h Σ eⱼ kⱼ / (atol + rtol max(|y|, |y_new|)))²; with a second estimate of low order
/// (DOP853), E²/(E + E_low/100) of the two means. The divisions do not wait for the last stage.
template <class M, class Y>
REVODE_HD double scaled_error_squared(const tolerance& tol, double h, const rk_tape<M, Y>& tape,
                                      const Y& y_new) {
  using T = scalar_t<Y>;
  constexpr int s = coefficients<M>::stages;
  const T* k[s];
  for (int j = 0; j < s; ++j) k[j] = tape.k[j].data();
  T e[s], e_low[s];
  scale_row<error_row<M>, 0, s>(static_cast<T>(h), e);
  scale_row<low_error_row<M>, 0, s>(static_cast<T>(h), e_low);
  const T* a = tape.y.data();
  const T* b = y_new.data();
  const T rtol = static_cast<T>(tol.rtol), atol = static_cast<T>(tol.atol);
  const int n = length(y_new);
  T sum(0), low(0);
  for_each_element(
      y_new, [&](int i) __attribute__((always_inline)) {
        const T from = a[i] < 0 ? -a[i] : a[i];
        const T to = b[i] < 0 ? -b[i] : b[i];
        const T weight = 1 / muladd(rtol, to > from ? to : from, atol);
        const T error = weight * add_weighted<error_row<M>, 0, s>(T(-0.0), e, k, i);
        sum = muladd(error, error, sum);
        if constexpr (requires { M::b_embedded_low; }) {
          const T other = weight * add_weighted<low_error_row<M>, 0, s>(T(-0.0), e_low, k, i);
          low = muladd(other, other, low);
        }
      });
  const double to_mean = n > 0 ? 1.0 / n : 0.0;
  const double mean = to_mean * static_cast<double>(value_of(sum));
  if constexpr (requires { M::b_embedded_low; }) {
    const double both = muladd(0.01 * to_mean, static_cast<double>(value_of(low)), mean);
    return both == 0 ? 0.0 : mean * (mean / both);
  }
  return mean;
}

/// The same under options::norm.
template <class M, class Y>
#if defined(__CUDACC__)
__host__ __device__
#else
[[gnu::noinline, gnu::cold]]
#endif
    double
    component_error_squared(const component_scale& each, double h, const rk_tape<M, Y>& tape,
                            const Y& y_new) {
  using T = scalar_t<Y>;
  constexpr int s = coefficients<M>::stages;
  const T* k[s];
  for (int j = 0; j < s; ++j) k[j] = tape.k[j].data();
  T e[s];
  const auto norm_of = [&]<class Row>(Row) {
    scale_row<Row, 0, s>(static_cast<T>(h), e);
    return norm_squared(each, tape.y, y_new,
                        [&](int i) { return add_weighted<Row, 0, s>(T(-0.0), e, k, i); });
  };
  const double norm = norm_of(error_row<M>{});
  if constexpr (requires { M::b_embedded_low; }) {
    const double both = norm + 0.01 * norm_of(low_error_row<M>{});
    return both == 0 ? 0.0 : norm * (norm / both);
  }
  return norm;
}

template <explicit_method M, class System, class Y>
REVODE_HD void refresh(const M&, System& sys, double t, carry<M, Y>& c) {
  if constexpr (coefficients<M>::fsal) sys(t, c.state, c.cache.k);
}

template <class M, class System, class Y>
REVODE_HD double try_step(System& sys, const tolerance& tol, double t, double t_new,
                          const carry<M, Y>& from, rk_tape<M, Y>& tape, carry<M, Y>& next) {
  copy(from.state, tape.y);
  take_step<M>(sys, t, t_new, from.cache, tape, next.state);
  if constexpr (coefficients<M>::fsal) copy(tape.k[coefficients<M>::stages - 1], next.cache.k);
  if constexpr (has_estimate_v<M>)
    if (tol.estimate) return scaled_error_squared<M>(tol, t_new - t, tape, next.state);
  return 0;
}

/// States small enough for that.
template <class Y>
inline constexpr bool stays_in_registers =
    std::is_trivially_copyable_v<Y>&& static_size_v<Y> >= 0 && static_size_v<Y> <= 16;

/// The same in locals, with the field inlined at every use: stages then live in registers. Where
/// such code begins matters: 16 bytes off a multiple of 32 it takes a fifth longer (g++ 12, Zen 5).
template <class M, class System, class Y>
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::flatten, gnu::aligned(64)]]
#endif
    double
    try_in_registers(System& sys, const tolerance& tol, double t, double t_new,
                     const carry<M, Y>& from, rk_tape<M, Y>& tape, carry<M, Y>& next) {
  rk_tape<M, Y> stages;
  carry<M, Y> reached;
  const double error_squared = try_step<M>(sys, tol, t, t_new, from, stages, reached);
  next = reached;
  tape = stages;
  return error_squared;
}

template <explicit_method M, class System, class Y>
REVODE_HD outcome<nothing> attempt(const M&, System& sys, const tolerance& tol, double t,
                                   double t_new, const carry<M, Y>& from, rk_tape<M, Y>& tape,
                                   carry<M, Y>& next) {
  double error_squared;
  if constexpr (stays_in_registers<Y>)
    error_squared = try_in_registers<M>(sys, tol, t, t_new, from, tape, next);
  else
    error_squared = try_step<M>(sys, tol, t, t_new, from, tape, next);
  if constexpr (has_estimate_v<M>)
    if (tol.each != nullptr)
      error_squared = component_error_squared<M>(*tol.each, t_new - t, tape, next.state);
  return {error_squared};
}

template <explicit_method M, class System, class Y>
REVODE_HD void replay(const M& m, System& sys, double t, double t_new, nothing, carry<M, Y>& c,
                      rk_tape<M, Y>& tape) {
  if constexpr (stays_in_registers<Y>) {
    attempt(m, sys, {.estimate = false}, t, t_new, c, tape, c);  // reads c before it writes it
  } else {
    copy(c.state, tape.y);
    take_step<M>(sys, t, t_new, c.cache, tape, c.state);
    if constexpr (coefficients<M>::fsal) copy(tape.k[coefficients<M>::stages - 1], c.cache.k);
  }
}

/// The carry after a step is a sum over its tape, in the order in which the step made it; the last
/// stage becomes the next step's first.
template <explicit_method M, class System, class Y>
REVODE_HD void resume(const M&, System&, double t, double t_new, const rk_tape<M, Y>& tape,
                      carry<M, Y>& c) {
  using T = scalar_t<Y>;
  constexpr int s = coefficients<M>::stages;
  const T* k[s];
  for (int j = 0; j < s; ++j) k[j] = tape.k[j].data();
  if constexpr (coefficients<M>::fsal) {
    advance_state<stage_row<M, s - 1>, s - 1>(tape.y, static_cast<T>(t_new - t), k, c.state);
    copy(tape.k[s - 1], c.cache.k);
  } else {
    advance_state<solution_row<M>, s>(tape.y, static_cast<T>(t_new - t), k, c.state);
  }
}

}  // namespace revode
