// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include <revode/linalg/algebra.hpp>
#include <revode/solvers/implicit/derivative_solve.hpp>
#include <revode/solvers/implicit/newton.hpp>
#include <revode/solvers/multistep/bdf_formula.hpp>
#include <revode/solvers/multistep/nordsieck.hpp>

namespace revode {

/// Backward differentiation of orders 1 to K on a Nordsieck array, zⱼ = hʲ y⁽ʲ⁾/j!, order and step chosen
/// from step to step: one Newton solve and one or two field evaluations a step, for large stiff systems.
///   predict z ← P z (Pascal's triangle),  solve (z₁ + l₁ a)/h = f(t_new, z₀ + a),  correct z ← z + l a
/// The leading coefficient is fixed, order and step follow CVODE's rules; J is taken at accepted states,
/// estimates are enlarged by 3, so that what a solve leaves is a few tolerances.
/// Starts at order 1, also behind events. Fixed steps raise the order by one a step: what their first step
/// leaves is of order 2, whatever K is.
/// dense output  the array's polynomial, of the order of the step
/// snapshots  hold the array, the last two corrections and where J was taken: K + 4 states
/// source  Byrne & Hindmarsh, ACM TOMS 1 (1975) 71–96; Cohen & Hindmarsh, CVODE, Computers in Physics 10
///         (1996) 138–143
template <int K>
struct bdf {
  static_assert(K >= 1 && K <= 5, "BDF is unstable beyond order 5 for stiff systems in practice");
  static constexpr const char* name = K == 1   ? "bdf1"
                                      : K == 2 ? "bdf2"
                                      : K == 3 ? "bdf3"
                                      : K == 4 ? "bdf4"
                                               : "bdf5";
  static constexpr const char* source = "Byrne & Hindmarsh, ACM TOMS 1 (1975) 71-96";
  static constexpr int most_order = K, order = K, embedded_order = K, dense_order = K;
  static constexpr int estimate_order = 1;  ///< of the first step
  static constexpr bool multistep = true;
  static constexpr int first_of_equal = 1, most_of_equal = K;  ///< orders of fixed steps
  static constexpr double least_growth = 1.5;                  ///< new factors are worth that
  /// On steps that grow by more than 1.727, 1.375, 1.178 and 1.109 at orders 2 to 5 errors grow without bound, whatever
  /// f is; by NDF 2.0, 1.351, 1.178 and 1.109.
  static constexpr double stretch(int q) {
    constexpr double of_order[] = {0, 0, 1.7, 1.33, 1.16, 1.1};
    return of_order[q];
  }
  using formula = bdf_formula<K>;
  using order_change = bdf_order_change<K>;

  /// What iterations may leave, in units of the tolerance; 0: a tenth, a hundredth where there are algebraic
  /// equations, whose estimates see it as a jump that no step is short enough for.
  double newton = 0;

  /// Orders 3 to 5 are left where they amplify an oscillation near the imaginary axis that they do not resolve, 0.5 <
  /// |hλ| < 9, instead of being kept at steps that resolve it.
  /// source  what the last corrections say of it (bdf_stability.hpp); to the end of Hindmarsh, Avoiding BDF stability
  ///         barriers in the MOL solution of advection-dominated problems, Appl. Numer. Math. 17 (1995) 311–318
  bool leaves_unstable_orders = true;
};

/// One of these methods, or one with another algebra.
template <class M>
concept bdf_method = std::derived_from<M, bdf<M::most_order>>;
template <bdf_method M>
inline constexpr bool takes_mass_v<M> = !inexact_v<algebra_t<M>>;

/// Beside what all families decide by: the iterations.
struct bdf_decisions : nordsieck_decisions {
  int factors_for = 0, jacobian_for = 0;  ///< steps so far with these
  double rate = 1;                        ///< of the iterations with these factors
  bool newton_failed = false;
  int amplifying = 0;         ///< steps (amplifying_steps)
  int highest = 0, held = 0;  ///< the highest order for so many steps; 0: none is
  int hold = 100;             ///< for how many the next one is
  vec<double, 6>
      products{};  ///< of the last corrections (see oscillation_products); set by the attempt

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    nordsieck_decisions::parts(self, visit);
    visit(self.factors_for);
    visit(self.jacobian_for);
    visit(self.rate);
    visit(self.newton_failed);
    visit(self.amplifying);
    visit(self.highest);
    visit(self.held);
    visit(self.hold);
    visit(self.products);
  }
};

/// Also where J was taken, and the shift of the factors (0: there are none).
template <class Y, int K>
struct bdf_memo : nordsieck_memo<Y, K, bdf_decisions> {
  using base = nordsieck_memo<Y, K, bdf_decisions>;
  double t_jacobian = std::numeric_limits<double>::quiet_NaN();  ///< NaN: there is none
  double shift = 0;
  Y y_jacobian;

  bdf_memo() = default;
  explicit bdf_memo(const Y& like) : base(like), y_jacobian(like) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    base::parts(self, visit);
    visit(self.t_jacobian);
    visit(self.shift);
    visit(self.y_jacobian);
  }
};

/// What is rebuilt from the memo, and places for the iterations.
template <class L, class Y>
struct bdf_cache {
  static constexpr bool inexact = inexact_v<L>;
  typename L::template jacobian<Y> jacobian;
  typename L::template factors<Y> factors;  ///< of l₁/h − J
  Y stage, change, weight;

  bdf_cache() = default;
  explicit bdf_cache(const Y& y) : jacobian{}, factors{}, stage(y), change(y), weight(y) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.jacobian);
    visit(self.factors);
  }
  template <class Visit>
  void temporaries(Visit&& visit) const {
    visit(stage);
    visit(change);
    visit(weight);
  }
};

/// What a replay of a step must not decide; and what propose is to know of an attempt.
struct bdf_record {
  float factor;  ///< on the length of an accepted step
  float rate;    ///< of the iterations
  std::uint8_t order, next_order, iterations, flags;

  static constexpr std::uint8_t new_jacobian = 1, new_factors = 2, from_start = 4, amplifies = 8;
  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};
/// Where solves end at a goal, the goal as well.
struct inexact_bdf_record : bdf_record {
  short_number goal;
};
template <class M>
using bdf_record_of = std::conditional_t<inexact_v<algebra_t<M>>, inexact_bdf_record, bdf_record>;

/// For pull and push: a Jacobian and factors of their own; for dense output, the array's tangent.
template <class L, class Y, int K>
struct bdf_scratch {
  typename L::template jacobian<Y> jacobian;
  typename L::template factors<Y> factors;
  sweep_factors kept{};
  held_matrix held{};
  static constexpr bool keeps_factors() { return true; }
  Y right, x[1], rest[1];
  nordsieck<Y, K> dot;

  bdf_scratch() = default;
  /// Dense output is the tape's alone.
  static bdf_scratch for_dense_output(const Y&) { return {}; }
  explicit bdf_scratch(const Y& y) : jacobian{}, factors{}, right(y), x{y}, rest{y}, dot(y) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.jacobian);
    visit(self.factors);
    visit(self.right);
    visit(self.x[0]);
    visit(self.rest[0]);
    visit(self.dot);
  }
};

template <class M, class Y>
using bdf_scratch_t = bdf_scratch<algebra_t<M>, Y, M::most_order>;

template <bdf_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using state = nordsieck_t<M, Y>;
  using memo = bdf_memo<Y, M::most_order>;
  using cache = bdf_cache<algebra_t<M>, Y>;
  using tape = nordsieck_tape<Y, M::most_order>;
  using record = bdf_record_of<M>;
  using scratch = bdf_scratch_t<M, Y>;
  using seeds = nordsieck_t<M, Y>;
  static constexpr bool asks_jacobian = std::is_same_v<algebra_t<M>, dense_algebra>;
};

}  // namespace revode
