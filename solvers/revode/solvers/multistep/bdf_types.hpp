// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include <revode/linalg/algebra.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solve/mass/consistent_start.hpp>
#include <revode/solvers/implicit/newton.hpp>
#include <revode/solvers/multistep/bdf_formula.hpp>

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

  /// What iterations may leave, in units of the tolerance; 0: a tenth, a hundredth where there are algebraic
  /// equations, whose estimates see it as a jump that no step is short enough for.
  double newton = 0;
};

/// One of these methods, or one with another algebra.
template <class M>
concept bdf_method = std::derived_from<M, bdf<M::most_order>>;
template <bdf_method M>
inline constexpr bool takes_mass_v<M> = !inexact_v<algebra_t<M>>;

/// zⱼ up to the order of the last step, 0 beyond, and its correction, from which the order is raised.
template <class Y, int K>
struct nordsieck {
  Y z[K + 1], correction;

  nordsieck() = default;
  explicit nordsieck(const Y& like) : correction(like) {
    for (Y& part : z) part = like;
    clear();
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto& part : self.z) visit(part);
    visit(self.correction);
  }
  void clear() { fill(*this, scalar_t<Y>(0)); }
};
template <class Y, int K>
void fill(nordsieck<Y, K>& s, scalar_t<Y> x) {
  for (Y& part : s.z) revode::fill(part, x);
  revode::fill(s.correction, x);
}

/// What a step leaves to the next one to decide by. Set by propose alone.
struct bdf_decisions {
  int order = 1;                          ///< of the next step
  int wait = 2;                           ///< steps until the order may change
  int factors_for = 0, jacobian_for = 0;  ///< steps so far with these
  int error_failures = 0;                 ///< of the step at hand
  double rate = 1;                        ///< of the iterations with these factors
  double saved_ratio = 0;                 ///< belongs to bdf_memo::saved; 0: there is none
  bool first = true, rejected = false, newton_failed = false;

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.order);
    visit(self.wait);
    visit(self.factors_for);
    visit(self.jacobian_for);
    visit(self.error_failures);
    visit(self.rate);
    visit(self.saved_ratio);
    visit(self.first);
    visit(self.rejected);
    visit(self.newton_failed);
  }
};

/// The order of the array, the last steps (the first of them scales it), where J was taken, the shift of
/// the factors (0: there are none), and an earlier correction for the estimate at the next order.
template <class Y, int K>
struct bdf_memo {
  int order = 1;
  double tau[K] = {1};
  double t_jacobian = std::numeric_limits<double>::quiet_NaN();  ///< NaN: there is none
  double shift = 0;
  Y y_jacobian, saved;
  bdf_decisions next{};

  bdf_memo() = default;
  explicit bdf_memo(const Y& like) : y_jacobian(like), saved(like) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.order);
    for (auto& part : self.tau) visit(part);
    visit(self.t_jacobian);
    visit(self.shift);
    visit(self.y_jacobian);
    visit(self.saved);
    visit(self.next);
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
};

/// The array behind the step, and the numbers by which it came about.
template <class Y, int K>
struct bdf_tape {
  Y z[K + 1];
  vec<double, K + 1> l{}, change{};
  double scale = 1, raise = 0;
  index before = 1;  ///< the order before it

  bdf_tape() = default;
  explicit bdf_tape(const Y& like) {
    for (Y& part : z) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    for (auto& part : self.z) visit(part);
    visit(self.l);
    visit(self.change);
    visit(self.scale);
    visit(self.raise);
    visit(self.before);
  }
};

/// What a replay of a step must not decide; and what propose is to know of an attempt.
struct bdf_record {
  float factor;  ///< on the length of an accepted step
  float rate;    ///< of the iterations
  std::uint8_t order, next_order, iterations, flags;

  static constexpr std::uint8_t new_jacobian = 1, new_factors = 2;
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
using bdf_state_t = nordsieck<Y, M::most_order>;
template <class M, class Y>
using bdf_tape_t = bdf_tape<Y, M::most_order>;
template <class M, class Y>
using bdf_scratch_t = bdf_scratch<algebra_t<M>, Y, M::most_order>;

template <bdf_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  using state = bdf_state_t<M, Y>;
  using memo = bdf_memo<Y, M::most_order>;
  using cache = bdf_cache<algebra_t<M>, Y>;
  using tape = bdf_tape_t<M, Y>;
  using record = bdf_record_of<M>;
  using scratch = bdf_scratch_t<M, Y>;
  using seeds = bdf_state_t<M, Y>;
  static constexpr bool asks_jacobian = std::is_same_v<algebra_t<M>, dense_algebra>;
};

template <bdf_method M, class Y>
const Y& value(const M&, const nordsieck<Y, M::most_order>& s) {
  return s.z[0];
}
template <bdf_method M, class Y>
const Y& push_value(const M&, const nordsieck<Y, M::most_order>& s) {
  return s.z[0];
}
template <bdf_method M, class Y>
void pull_value(const M&, const Y& y_bar, nordsieck<Y, M::most_order>& s) {
  add(y_bar, s.z[0]);
}

}  // namespace revode
