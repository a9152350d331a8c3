// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <revode/solvers/multistep/adams_formula.hpp>
#include <revode/solvers/multistep/nordsieck.hpp>

namespace revode {

/// Adams' methods of orders 1 to K on a Nordsieck array, zⱼ = hʲ y⁽ʲ⁾/j!, order and step chosen from step to step:
/// two field evaluations a step whatever the order, for smooth problems that are not stiff, with fields that
/// are dear or with many digits.
///   predict  z ← P z (Pascal's triangle)        evaluate  a = (h f(t_new, z₀) − z₁)/l₁
///   correct  y = z₀ + a                         evaluate  b = (h f(t_new, y) − z₁)/l₁,  zⱼ ← zⱼ + lⱼ b for j ≥ 1
/// A step is explicit (PECE), and so is its derivative. Order and step follow CVODE's rules, but that steps grow
/// by a tenth where CVODE waits for a half, since there are no factors to keep; estimates are enlarged by 3,
/// so that what a solve leaves is a few tolerances.
/// Starts at order 1, also behind events. Fixed steps are of order 2, 3 and then 4 at most, where PECE is stable
/// for |h λ| to one and more; what their first step leaves is of order 3.
/// dense output  the array's polynomial with b − a beside it, once continuously differentiable, of the order of
///               the step
/// snapshots  hold the array and the last two corrections: K + 3 states; tapes as many
/// source  Byrne & Hindmarsh, ACM TOMS 1 (1975) 71–96; Shampine & Gordon, Computer Solution of Ordinary
///         Differential Equations (1975), of PECE
template <int K>
struct adams {
  static_assert(K >= 1 && K <= 12, "Adams' methods are known to work here up to order 12");
  static constexpr char name[] = {
      'a', 'd', 'a', 'm', 's', K < 10 ? '0' + K : '1', K < 10 ? '\0' : '0' + K - 10, '\0'};
  static constexpr const char* source = "Byrne & Hindmarsh, ACM TOMS 1 (1975) 71-96";
  static constexpr int most_order = K, order = K, embedded_order = K, dense_order = K;
  static constexpr int estimate_order = 1;  ///< of the first step
  static constexpr bool multistep = true;
  static constexpr int first_of_equal =
      K < 2 ? K : 2;  ///< of fixed steps: the array has two columns
  static constexpr int most_of_equal = K < 4 ? K : 4;
  static constexpr double least_growth = 1.1;
  /// On steps that grow by more than that PECE is stable for |h λ| < 0.4 at best.
  static constexpr double stretch(int q) { return q < 3 ? 2.5 : (q == 3 ? 1.5 : 1.2); }
  using formula = adams_formula<K>;
  using order_change = adams_order_change<K>;
};

template <class M>
concept adams_method = std::derived_from<M, adams<M::most_order>>;

/// Places for the attempt.
template <class Y>
struct adams_cache {
  Y change, weight;

  adams_cache() = default;
  explicit adams_cache(const Y& y) : change(y), weight(y) {}
  template <class Self, class Visit>
  static void parts(Self&, Visit&&) {}
  template <class Visit>
  void temporaries(Visit&& visit) const {
    visit(change);
    visit(weight);
  }
};

/// Also where the first evaluation was (the array's first column is where the second one was), and b − a, by
/// which the array's polynomial misses the start of the step.
template <class Y, int K>
struct adams_tape : nordsieck_tape<Y, K> {
  using base = nordsieck_tape<Y, K>;
  Y predicted, gap;

  adams_tape() = default;
  explicit adams_tape(const Y& like) : base(like), predicted(like), gap(like) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    base::parts(self, visit);
    visit(self.predicted);
    visit(self.gap);
  }
};

/// What a replay must not decide: the order; and what propose is to know of an attempt.
struct adams_record {
  float factor;  ///< on the length of an accepted step
  std::uint8_t order, next_order;
};

/// For pull and push; for dense output, the tangents of the array and of the tape's gap.
template <class Y, int K>
struct adams_scratch {
  Y first, second, gap_dot;
  nordsieck<Y, K> dot;

  adams_scratch() = default;
  /// Dense output is the tape's alone.
  static adams_scratch for_dense_output(const Y&) { return {}; }
  explicit adams_scratch(const Y& y) : first(y), second(y), gap_dot(y), dot(y) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.first);
    visit(self.second);
    visit(self.gap_dot);
    visit(self.dot);
  }
};

template <adams_method M, class Y>
struct method_types<M, Y> : default_types<Y> {
  static_assert(has_no_algebra<M>,
                "an explicit method solves no linear systems (an algebra would never be asked): "
                "take the method without with_algebra?");
  using state = nordsieck_t<M, Y>;
  using memo = nordsieck_memo<Y, M::most_order, nordsieck_decisions>;
  using cache = adams_cache<Y>;
  using tape = adams_tape<Y, M::most_order>;
  using record = adams_record;
  using scratch = adams_scratch<Y, M::most_order>;
  using seeds = nordsieck_t<M, Y>;
};

}  // namespace revode
