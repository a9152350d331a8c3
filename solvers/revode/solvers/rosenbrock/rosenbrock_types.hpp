// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/linalg/krylov/solve_goal.hpp>
#include <revode/solve/lane_trouble.hpp>
#include <revode/solvers/explicit/runge_kutta_step.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_matrix.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_tableau.hpp>

namespace revode {

/// A Rosenbrock method is data: a tableau, and rows of dense output (see rodas4.hpp).
template <class M>
concept rosenbrock_method = requires {
  M::rosenbrock;
  M::dense_rows;
};
template <rosenbrock_method M>
inline constexpr bool is_linearly_implicit_v<M> = true;
template <rosenbrock_method M>
inline constexpr bool takes_spread_v<M> = by_parts_v<algebra_t<M>>;

/// The numbers of a tableau as functions for use in constant expressions, on host and device.
template <class M>
struct rosenbrock_entries {
  static constexpr int stages = static_cast<int>(sizeof(M::rosenbrock.m) / sizeof(double));
  static constexpr int rows =
      static_cast<int>(sizeof(M::dense_rows.row) / sizeof(M::dense_rows.row[0]));

  static consteval double gamma() { return M::rosenbrock.gamma; }
  static consteval double a(int i, int j) { return M::rosenbrock.a[i][j]; }
  static consteval double c(int i, int j) { return M::rosenbrock.c[i][j]; }
  static consteval double m(int j) { return M::rosenbrock.m[j]; }
  static consteval double e(int j) { return M::rosenbrock.e[j]; }
  static consteval double node(int i) { return M::rosenbrock.node[i]; }
  static consteval double driven(int i) { return M::rosenbrock.driven[i]; }
  static consteval double row(int l, int j) { return M::dense_rows.row[l][j]; }

  /// The first stage with the argument of stage i: they share one evaluation of the field.
  static consteval int source(int i) {
    for (int j = 0; j < i; ++j)
      if (same_argument(i, j)) return j;
    return i;
  }
  static consteval bool same_argument(int i, int j) {
    for (int k = 0; k < stages; ++k)
      if (a(i, k) != a(j, k)) return false;
    return node(i) == node(j);
  }
  static consteval bool is_shared(int i) {
    for (int j = i + 1; j < stages; ++j)
      if (source(j) == i) return true;
    return false;
  }
  /// Does the cotangent of the new state reach stage i?
  static consteval bool reached(int i) {
    if (m(i) != 0) return true;
    for (int j = i + 1; j < stages; ++j)
      if ((a(j, i) != 0 || c(j, i) != 0) && reached(j)) return true;
    return false;
  }
  static consteval bool used(int j) {
    for (int l = 0; l < rows; ++l)
      if (row(l, j) != 0) return true;
    return reached(j);
  }
  /// How many stages the new state and dense output need; the others only make the estimate.
  static consteval int needed() {
    int count = stages;
    while (!used(count - 1)) --count;
    return count;
  }

  /// Is y₁ the argument of the last stage plus its increment? Then it fulfils algebraic equations as well
  /// as that stage does.
  static consteval bool stiffly_accurate() {
    for (int j = 0; j < stages - 1; ++j)
      if (m(j) != a(stages - 1, j)) return false;
    return m(stages - 1) == 1 && node(stages - 1) == 1;
  }
  /// Is the argument of the last stage the new state?
  static consteval bool ends_in_new_state() {
    for (int j = 0; j < stages - 1; ++j)
      if (m(j) != a(stages - 1, j)) return false;
    return m(stages - 1) == 0 && node(stages - 1) == 1;
  }
};

template <class M>
struct rosenbrock_numbers : rosenbrock_entries<M> {
  static constexpr int kept = rosenbrock_entries<M>::needed();
  static constexpr bool fsal = rosenbrock_entries<M>::ends_in_new_state();

  /// Does stage i evaluate the field itself? Of an fsal method the first and last are given.
  static consteval bool evaluates(int i) {
    return rosenbrock_entries<M>::source(i) == i &&
           !(fsal && (i == 0 || i == rosenbrock_entries<M>::stages - 1));
  }
};

template <rosenbrock_method M>
inline constexpr bool takes_mass_v<M> = rosenbrock_numbers<M>::stiffly_accurate() &&
                                        !inexact_v<algebra_t<M>>;

template <class M, int I>
struct argument_row {
  static consteval double at(int j) { return rosenbrock_numbers<M>::a(I, j); }
};
template <class M, int I>
struct coupling_row {
  static consteval double at(int j) { return rosenbrock_numbers<M>::c(I, j); }
};
template <class M>
struct increment_row {
  static consteval double at(int j) { return rosenbrock_numbers<M>::m(j); }
};
template <class M>
struct estimate_row {
  static consteval double at(int j) { return rosenbrock_numbers<M>::e(j); }
};

/// Is the gradient that of the steps taken? Only where a method does not say otherwise.
template <class M>
inline constexpr bool is_exact_v = !requires {
  requires !M::exact;
};

/// A method whose stages are improved once by what is left of their equations, with J U from the
/// field and not from the matrix J. Linear invariants of the field then survive the rounding of the
/// solves, in which large entries of J cancel (e5 at rtol 1e-6: 5 digits in place of 2). Derivatives
/// are those of the method.
/// cost    a JVP and a solve for every stage
/// source  Skeel, Math. Comp. 35 (1980) 817-832: refinement in the working precision
template <class M>
struct refined : M {
  static constexpr bool refines = true;
};
template <class M>
inline constexpr bool refines_v = requires {
  requires M::refines;
};

/// A system whose field says that it does not depend on t: `static constexpr bool autonomous =
/// true`.
template <class System>
inline constexpr bool is_autonomous_v = requires {
  requires System::autonomous;
};

/// What a step needs besides its tape.
template <class M, class Y>
struct rosenbrock_work {
  static constexpr int extra = rosenbrock_numbers<M>::stages - rosenbrock_numbers<M>::kept;
  Y f, shared, f_t;
  Y u_extra[extra > 0 ? extra : 1];
  stage_matrix<M, Y> matrix;
  using refinement = std::conditional_t<refines_v<M>, Y, nothing>;
  [[no_unique_address]] refinement right, unknown, rest;

  rosenbrock_work() = default;
  REVODE_HD explicit rosenbrock_work(const Y& like)
      : f(like),
        shared(like),
        f_t(like),
        matrix(like),
        right(make_like<refinement>(like)),
        unknown(make_like<refinement>(like)),
        rest(make_like<refinement>(like)) {
    for (auto& u : u_extra) u = like;
  }
};

/// y_n and the stages of one step: all that its adjoint needs. The matrix is not kept, for its
/// adjoint can rebuild it; states without a small matrix have the step's working memory here.
template <class M, class Y>
struct rosenbrock_tape {
  static constexpr int kept = rosenbrock_numbers<M>::kept;
  Y y;
  Y u[kept];
  [[no_unique_address]] std::conditional_t<has_small_matrix<M, Y>, nothing, rosenbrock_work<M, Y>>
      work;

  rosenbrock_tape() = default;
  REVODE_HD explicit rosenbrock_tape(const Y& like)
      : y(like),
        work(make_like<decltype(work)>(like)) {
    for (auto& stage : u) stage = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& stage : self.u) visit(stage);
  }
  /// What no stored tape has.
  template <class Self, class Visit>
  static void matrices([[maybe_unused]] Self& self, [[maybe_unused]] Visit&& visit) {
    if constexpr (!has_small_matrix<M, Y>) self.work.matrix.parts(self.work.matrix, visit);
  }
  template <class Visit>
  void temporaries(Visit&& visit) const requires(!has_small_matrix<M, Y>) {
    visit(work.f);
    visit(work.shared);
    visit(work.f_t);
    for (const Y& u : work.u_extra) visit(u);
    if constexpr (refines_v<M>) {
      visit(work.right);
      visit(work.unknown);
      visit(work.rest);
    }
  }
};

/// Cotangents of y_n and of the stages, from dense output.
template <class M, class Y>
struct rosenbrock_seeds {
  static constexpr int kept = rosenbrock_numbers<M>::kept;
  Y y;
  Y u[kept];

  rosenbrock_seeds() = default;
  REVODE_HD explicit rosenbrock_seeds(const Y& like) : y(like) {
    for (auto& stage : u) stage = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.y);
    for (auto& stage : self.u) visit(stage);
  }
  REVODE_HD void clear() {
    fill(y, scalar_t<Y>(0));
    for (auto& stage : u) fill(stage, scalar_t<Y>(0));
  }
};

/// Temporaries of pull and push: per stage the cotangents of its right-hand side (w) and argument
/// (v), or its tangent (v).
template <class M, class Y>
struct rosenbrock_scratch {
  static constexpr int kept = rosenbrock_numbers<M>::kept;
  Y stage, sum, f_t, y_bar;
  Y w[kept], v[kept];
  stage_matrix<M, Y> matrix;

  rosenbrock_scratch() = default;
  /// Dense output is the tape's alone.
  static rosenbrock_scratch for_dense_output(const Y&) { return {}; }
  REVODE_HD explicit rosenbrock_scratch(const Y& like)
      : stage(like),
        sum(like),
        f_t(like),
        y_bar(like),
        matrix(like) {
    for (auto& part : w) part = like;
    for (auto& part : v) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto* part : {&self.stage, &self.sum, &self.f_t, &self.y_bar}) visit(*part);
    for (auto& part : self.w) visit(part);
    for (auto& part : self.v) visit(part);
  }
  template <class Self, class Visit>
  static void matrices([[maybe_unused]] Self& self, [[maybe_unused]] Visit&& visit) {
    if constexpr (!has_small_matrix<M, Y>) self.matrix.parts(self.matrix, visit);
  }
};

template <class M, class Y>
struct rosenbrock_slices;  // rosenbrock_slices.hpp

template <rosenbrock_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using implicit_slices = rosenbrock_slices<M, Y>;
  using cache = std::conditional_t<rosenbrock_numbers<M>::fsal, rk_first_stage<Y>, nothing>;
  using tape = rosenbrock_tape<M, Y>;
  using work = rosenbrock_work<M, Y>;
  using scratch = rosenbrock_scratch<M, Y>;
  using seeds = rosenbrock_seeds<M, Y>;
  static constexpr bool asks_jacobian = std::is_same_v<algebra_t<M>, dense_algebra>;
};

}  // namespace revode
