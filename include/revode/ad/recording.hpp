// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>

namespace revode {

template <class T>
class recording;

/// A number whose formula is being recorded. Constants have no home and leave no trace.
template <class T>
struct variable {
  T value{};
  int id = -1;  // its node in the recording
  recording<T>* home = nullptr;

  variable() = default;
  variable(const T& v, int node, recording<T>* where) : value(v), id(node), home(where) {}

  template <class C>
  requires(std::is_arithmetic_v<C> || std::same_as<C, T> || constant_for<C, T>) variable(const C& c)
      : value(lift<T>(c)) {}
};

template <class T>
inline constexpr bool is_differentiable_v<variable<T>> = true;

/// The record of one evaluation of a formula, for its reverse derivative: one node an operation,
/// with two parents and two partial derivatives.
///   rec.clear(); auto x = rec.input(3.0); auto y = x * x; rec.pull(one output y, weight 1);
///   rec.adjoint(x.id) == 6
/// T is float, double or a dual (reverse over forward, for second derivatives). Memory: 8 + 3
/// sizeof(T) bytes an operation, kept by clear(): nothing is allocated once the arena has seen its
/// largest formula. Cost of pull: two multiply-adds a node, in fixed order. Not shared between
/// threads; there is no global state, two recordings know nothing of each other.
template <class T>
class recording {
 public:
  void clear() { nodes_.clear(); }

  variable<T> input(const T& value) { return {value, push(-1, -1, T(0), T(0)), this}; }

  /// Adjoints of all nodes: d(sum_i weights[i] outputs[i]) / d(node). Outputs that are constants
  /// have none to give.
  void pull(const variable<T>* outputs, const T* weights, int count) {
    adjoints_.assign(nodes_.size(), T(0));
    for (int i = 0; i < count; ++i) {
      if (outputs[i].home == nullptr) continue;
      REVODE_EXPECT(outputs[i].home == this);
      T& adjoint = adjoints_[at(outputs[i].id)];
      adjoint = adjoint + weights[i];
    }
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      const node& n = nodes_[k];
      if (n.a >= 0) give(n.a, n.slope_a, adjoints_[k]);
      if (n.b >= 0) give(n.b, n.slope_b, adjoints_[k]);
    }
  }

  template <class Outputs, class Weights>
  void pull(const Outputs& outputs, const Weights& weights) {
    pull(outputs.data(), weights.data(), static_cast<int>(outputs.size()));
  }

  const T& adjoint(int id) const { return adjoints_[at(id)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  /// For operators: a new node with parents a and b (-1: none).
  int push(int a, int b, const T& slope_a, const T& slope_b) {
    nodes_.push_back(node{slope_a, slope_b, a, b});
    return static_cast<int>(nodes_.size()) - 1;
  }

 private:
  struct node {
    T slope_a, slope_b;
    int a, b;
  };

  static std::size_t at(int id) { return static_cast<std::size_t>(id); }

  void give(int parent, const T& slope, const T& adjoint) {
    T& target = adjoints_[at(parent)];
    target = muladd(slope, adjoint, target);
  }

  std::vector<node> nodes_;
  std::vector<T> adjoints_;
};

template <class T>
variable<T> chain(const variable<T>& x, const T& value, const T& slope) {
  if (x.home == nullptr) return variable<T>(value);
  return {value, x.home->push(x.id, -1, slope, T(0)), x.home};
}

template <class T>
variable<T> chain(const variable<T>& a, const variable<T>& b, const T& value, const T& slope_a,
                  const T& slope_b) {
  if (a.home == nullptr) return chain(b, value, slope_b);
  if (b.home == nullptr) return chain(a, value, slope_a);
  return {value, a.home->push(a.id, b.id, slope_a, slope_b), a.home};
}

template <class T>
variable<T> operator+(const variable<T>& a) {
  return a;
}

template <class T>
variable<T> operator-(const variable<T>& a) {
  return chain(a, T(-a.value), T(-1));
}

template <class T>
variable<T> operator+(const variable<T>& a, const variable<T>& b) {
  return chain(a, b, T(a.value + b.value), T(1), T(1));
}

template <class T>
variable<T> operator-(const variable<T>& a, const variable<T>& b) {
  return chain(a, b, T(a.value - b.value), T(1), T(-1));
}

template <class T>
variable<T> operator*(const variable<T>& a, const variable<T>& b) {
  return chain(a, b, T(a.value * b.value), b.value, a.value);
}

template <class T>
variable<T> operator/(const variable<T>& a, const variable<T>& b) {
  const T ratio = a.value / b.value;
  const T inverse = T(1) / b.value;
  return chain(a, b, ratio, inverse, T(-ratio * inverse));
}

// x + constant moves with x: it shares x's node.
template <class T, constant_for<variable<T>> C>
variable<T> operator+(const variable<T>& a, const C& c) {
  return {T(a.value + lift<T>(c)), a.id, a.home};
}

template <class T, constant_for<variable<T>> C>
variable<T> operator+(const C& c, const variable<T>& a) {
  return {T(lift<T>(c) + a.value), a.id, a.home};
}

template <class T, constant_for<variable<T>> C>
variable<T> operator-(const variable<T>& a, const C& c) {
  return {T(a.value - lift<T>(c)), a.id, a.home};
}

template <class T, constant_for<variable<T>> C>
variable<T> operator-(const C& c, const variable<T>& a) {
  return chain(a, T(lift<T>(c) - a.value), T(-1));
}

template <class T, constant_for<variable<T>> C>
variable<T> operator*(const variable<T>& a, const C& c) {
  const T factor = lift<T>(c);
  return chain(a, T(a.value * factor), factor);
}

template <class T, constant_for<variable<T>> C>
variable<T> operator*(const C& c, const variable<T>& a) {
  const T factor = lift<T>(c);
  return chain(a, T(factor * a.value), factor);
}

template <class T, constant_for<variable<T>> C>
variable<T> operator/(const variable<T>& a, const C& c) {
  const T divisor = lift<T>(c);
  return chain(a, T(a.value / divisor), T(T(1) / divisor));
}

template <class T, constant_for<variable<T>> C>
variable<T> operator/(const C& c, const variable<T>& a) {
  const T ratio = lift<T>(c) / a.value;
  return chain(a, ratio, T(-ratio / a.value));
}

/// a*b + c with the value rounded as muladd of the values is.
template <class A, class B, class C, class T>
variable<T> muladd_recorded(const A& a, const B& b, const C& c, const T& value) {
  variable<T> r = a * b + c;
  r.value = value;
  return r;
}

template <class T>
variable<T> muladd(const variable<T>& a, const variable<T>& b, const variable<T>& c) {
  return muladd_recorded(a, b, c, T(muladd(a.value, b.value, c.value)));
}

template <class T, constant_for<variable<T>> C>
variable<T> muladd(const C& a, const variable<T>& b, const variable<T>& c) {
  return muladd_recorded(a, b, c, T(muladd(lift<T>(a), b.value, c.value)));
}

template <class T, constant_for<variable<T>> C>
variable<T> muladd(const variable<T>& a, const C& b, const variable<T>& c) {
  return muladd_recorded(a, b, c, T(muladd(a.value, lift<T>(b), c.value)));
}

template <class T, constant_for<variable<T>> C>
variable<T> muladd(const variable<T>& a, const variable<T>& b, const C& c) {
  return muladd_recorded(a, b, c, T(muladd(a.value, b.value, lift<T>(c))));
}

}  // namespace revode
