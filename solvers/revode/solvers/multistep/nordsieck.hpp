// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/concepts.hpp>
#include <revode/state/elements.hpp>

namespace revode {

// What multistep methods share: an array zⱼ = hʲ y⁽ʲ⁾/j!, a prediction z ← P z by Pascal's triangle, a correction
// z ← z + l a, and CVODE's rules for order and step. A family says what l is and where its errors lie
// (M::formula), how the array changes with the order (M::order_change), and how a is found.

/// A family of multistep methods on a Nordsieck array of orders 1 to M::most_order.
template <class M>
concept nordsieck_method = requires {
  typename M::formula;
  typename M::order_change;
  M::most_order;
};

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
template <class M, class Y>
using nordsieck_t = nordsieck<Y, M::most_order>;

/// What a step leaves to the next one to decide by. Set by propose alone.
struct nordsieck_decisions {
  int order = 1;           ///< of the next step
  int wait = 2;            ///< steps until the order may change
  int error_failures = 0;  ///< of the step at hand
  double saved_ratio = 0;  ///< belongs to nordsieck_memo::saved; 0: there is none
  bool first = true, rejected = false;

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.order);
    visit(self.wait);
    visit(self.error_failures);
    visit(self.saved_ratio);
    visit(self.first);
    visit(self.rejected);
  }
};

/// The order of the array, the last steps (the first of them scales it; 0 beyond the start), and an earlier
/// correction for the estimate at the next order.
template <class Y, int K, class Decisions>
struct nordsieck_memo {
  int order = 1;
  double tau[K] = {1};
  Y saved;
  Decisions next{};

  nordsieck_memo() = default;
  explicit nordsieck_memo(const Y& like) : saved(like) {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.order);
    for (auto& part : self.tau) visit(part);
    visit(self.saved);
    visit(self.next);
  }
};

/// The array behind the step, and the numbers by which it came about.
template <class Y, int K>
struct nordsieck_tape {
  Y z[K + 1];
  vec<double, K + 1> l{}, change{};
  double scale = 1, raise = 0;
  index before = 1;  ///< the order before it

  nordsieck_tape() = default;
  explicit nordsieck_tape(const Y& like) {
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

template <nordsieck_method M, class Y>
const Y& value(const M&, const nordsieck<Y, M::most_order>& s) {
  return s.z[0];
}
template <nordsieck_method M, class Y>
const Y& push_value(const M&, const nordsieck<Y, M::most_order>& s) {
  return s.z[0];
}
template <nordsieck_method M, class Y>
void pull_value(const M&, const Y& y_bar, nordsieck<Y, M::most_order>& s) {
  add(y_bar, s.z[0]);
}

}  // namespace revode
