// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/ad/recording/thread_owner.hpp>
#include <revode/ad/recording/variable.hpp>
#include <revode/linalg/mass_entries.hpp>
#include <revode/linalg/sparse/sparsity.hpp>

namespace revode {

/// Which inputs the numbers of a formula depend on: a recording that keeps no slopes. An operation is a node
/// with two parents where both move, and its moving parent where only one does. What is multiplied by 0
/// does not move. Of what min, max and the if of models choose from, all moves: another state may choose the other.
/// Memory: 12 bytes an operation of two numbers. Not shared between threads.
template <class T>
class dependencies {
 public:
  using number = variable<T, dependencies>;
  static constexpr bool sees_both = true;  ///< of two that are chosen from

  void begin(int inputs) {
    owner_.take();
    inputs_ = inputs;
    nodes_.clear();
  }
  number input(const T& value, int i) { return {value, i, this}; }

  /// For operators, as recording::push.
  int push(int a, int b, const T& slope_a, const T& slope_b) {
    if (!owner_.here()) return -1;
    const int from = slope_a == T(0) ? -1 : a, other = slope_b == T(0) ? -1 : b;
    if (from < 0 || from == other) return other;
    if (other < 0) return from;
    nodes_.push_back({from, other});
    return inputs_ + static_cast<int>(nodes_.size()) - 1;
  }

  /// Calls visit(i) once for each input on which a number depends.
  template <class Visit>
  void visit_inputs(const number& x, Visit&& visit) {
    if (x.home == nullptr || x.id < 0) return;
    seen_.resize(static_cast<std::size_t>(inputs_) + nodes_.size(), 0);
    ++visits_;
    open_.assign(1, x.id);
    while (!open_.empty()) {
      const int id = open_.back();
      open_.pop_back();
      if (std::exchange(seen_[static_cast<std::size_t>(id)], visits_) == visits_) continue;
      if (id < inputs_) {
        visit(id);
      } else {
        const auto [a, b] = nodes_[static_cast<std::size_t>(id - inputs_)];
        open_.push_back(a);
        open_.push_back(b);
      }
    }
  }

  /// Did all of the formula run on one thread?
  bool whole() const { return owner_.alone(); }

 private:
  int inputs_ = 0, visits_ = 0;
  std::vector<std::pair<int, int>> nodes_;
  std::vector<int> seen_, open_;  // by which visit; what is left of this one
  thread_owner owner_;
};

/// The places where a field's Jacobian is not 0 at y, by one call of the field over `dependencies`; false
/// where it runs on threads.
template <class F, class Y, class P>
bool add_dependencies(const F& f, scalar_t<Y> t, const Y& y, const P& p,
                      std::vector<std::pair<int, int>>& entries) {
  using T = scalar_t<Y>;
  using number = typename dependencies<T>::number;
  dependencies<T> record;
  field_arrays<Y, P, number> a;
  a.fit(y, p);
  const int n = length(y);
  record.begin(n);
  for (int i = 0; i < n; ++i) a.y.data()[i] = record.input(y.data()[i], i);
  copy(p, a.p);
  f(number(t), a.y, a.p, a.dy);
  if (!record.whole()) return false;
  for (int i = 0; i < n; ++i)
    record.visit_inputs(a.dy.data()[i], [&](int j) { entries.emplace_back(i, j); });
  return true;
}
/// The same by n products with unit vectors.
template <class F, class Y, class P>
void add_products(const F& f, scalar_t<Y> t, const Y& y, const P& p,
                  std::vector<std::pair<int, int>>& entries) {
  using T = scalar_t<Y>;
  derivatives<F, Y, P> of;
  Y unit = y, out = y;
  const vec<T, 0> still{};
  for (int j = 0, n = length(y); j < n; ++j) {
    fill(unit, T(0));
    unit.data()[j] = T(1);
    of.jvp(f, t, y, p, T(0), unit, still, out);
    for (int i = 0; i < n; ++i)
      if (out.data()[i] != T(0)) entries.emplace_back(i, j);
  }
}

/// The pattern of a field's Jacobian at y0 and at `points` states near it, no element of which is 0, and of its mass
/// matrix. They are moved by some percent, elements that are 0 by as much of the largest.
/// Entries that are nonzero elsewhere only, behind a branch of C++ say, must be given by hand; an algebra's `check`
/// finds what is missing where a solve comes by.
/// cost    O(entries): one call of a field that is generic in its scalar a point, and the sums in it once for
///         each row that has them; n products a point for a field that is not, or runs on threads
template <class F, class Y, class P>
sparsity sparsity_of(const F& f, double t, const Y& y0, const P& p, int points = 2) {
  using T = scalar_t<Y>;
  const int n = length(y0);
  std::vector<std::pair<int, int>> entries;
  T unit(0);
  for (int i = 0; i < n; ++i) {
    const T size = y0.data()[i] < T(0) ? T(-y0.data()[i]) : y0.data()[i];
    if (size > unit) unit = size;
  }
  if (unit == T(0)) unit = T(1);
  Y y = y0;
  for (int point = 0; point <= points; ++point) {
    for (int i = 0; point > 0 && i < n; ++i) {
      const double part = 0.01 * (point + static_cast<double>(i * 7919L % 101) / 101);
      y.data()[i] = y0.data()[i] == T(0) ? T(part) * unit : y0.data()[i] * T(1 + part);
    }
    const T at(t + (point > 0 ? 0.001 * (point - 1) : 0));
    if constexpr (requires { f.add_dependencies(at, y, p, entries); }) {  // one behind a type
      if (f.add_dependencies(at, y, p, entries)) continue;
    } else if constexpr (call_accepts<F, Y, P, typename dependencies<T>::number>) {
      if (add_dependencies(f, at, y, p, entries)) continue;
    }
    add_products(f, at, y, p, entries);
  }
  if constexpr (has_mass_v<F>) {
    mass_entries m;
    f.mass(m);
    const auto is_there = [n](int i) { return 0 <= i && i < n; };  // solves refuse the others
    for (const auto& w : m.all())
      if (w.value != 0 && is_there(w.row) && is_there(w.column))
        entries.emplace_back(w.row, w.column);
  }
  return sparsity(n, entries);
}
template <class Problem>
sparsity sparsity_of(const Problem& q) {
  return sparsity_of(q.f, q.t0, q.y0, q.p);
}

}  // namespace revode
