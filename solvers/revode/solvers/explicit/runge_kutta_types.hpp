// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/functions.hpp>
#include <revode/concepts.hpp>
#include <revode/solvers/explicit/butcher_tableau.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// An explicit Runge–Kutta method is data: a tableau, and how to interpolate (see tsit5.hpp).
template <class M>
concept explicit_method = requires {
  M::tableau;
  M::dense;
};

template <explicit_method M>
inline constexpr bool takes_spread_v<M> = true;

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

/// Cotangents of y_n and of every stage that dense output reads; `dense` where it gave some.
template <class M, class Y>
struct rk_seeds {
  static constexpr int all = coefficients<M>::all;
  Y y;
  Y k[all];
  bool dense = false;

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
    dense = false;
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
  /// Stages of its own and, for these, their arguments.
  static rk_scratch for_dense_output(const Y& like) {
    rk_scratch w;
    for (int i = 0; i < extra; ++i) w.stage = w.k_extra[i] = like;
    return w;
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
template <class M, class T>
struct rk_columns;  // runge_kutta_columns.hpp

template <explicit_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  static_assert(has_no_algebra<M>,
                "an explicit method solves no linear systems (an algebra would never be asked): "
                "take the method without with_algebra?");
  using slices = rk_slices<M, Y>;
  using columns = rk_columns<M, scalar_t<Y>>;
  using cache = std::conditional_t<coefficients<M>::fsal, rk_first_stage<Y>, nothing>;
  using tape = rk_tape<M, Y>;
  using scratch = rk_scratch<M, Y>;
  using seeds = rk_seeds<M, Y>;
  static constexpr int kept_calls = coefficients<M>::stages;
  /// The call of the last stage is that of the next step's first.
  static constexpr bool last_call_is_first = coefficients<M>::fsal;
};

}  // namespace revode
