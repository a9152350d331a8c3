// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/array_store.hpp>
#include <revode/ad/functions.hpp>
#include <revode/ad/operation_list.hpp>
#include <revode/config.hpp>

namespace revode {

template <class T>
class recording;

/// A number whose formula is being recorded. Constants have no home and leave no trace.
template <class T, class Home = recording<T>>
struct variable {
  T value{};
  int id = -1;  // its node in the recording
  Home* home = nullptr;

  variable() = default;
  variable(const T& v, int node, Home* where) : value(v), id(node), home(where) {}

  template <class C>
  requires(std::is_arithmetic_v<C> || std::same_as<C, T> || constant_for<C, T>) variable(const C& c)
      : value(lift<T>(c)) {}
};

template <class T, class Home>
inline constexpr bool is_differentiable_v<variable<T, Home>> = true;

/// The record of one evaluation of a formula, for its reverse derivative: one node an operation,
/// with two parents and two partial derivatives.
///   rec.clear(); auto x = rec.input(3.0); auto y = x * x; rec.pull(one output y, weight 1);
///   rec.adjoint(x.id) == 6
/// T is float, double or a dual (reverse over forward, for second derivatives). Memory: 8 + 3
/// sizeof(T) bytes an operation, kept by clear(): nothing is allocated once the arena has seen its
/// largest formula. Cost of pull: two multiply-adds a node, in fixed order. Not shared between
/// threads; there is no global state, two recordings know nothing of each other: one may be made
/// and pulled while another is pulled.
///
/// What is no formula of two scalars is an operation: a callable, called as f() or f(recording) in
/// its place of the reverse order. It reads the adjoints of its results (inputs that it made) and
/// adds to those of its arguments.
///   auto y = rec.input(value); rec.operation([=](auto& r) { r.adjoint(x.id) += 6 * r.adjoint(y.id); });
/// Operations are consumed: a recording that has some is pulled once.
template <class T>
class recording {
 public:
  void clear() {
    operations_.clear();
    arrays_.clear();
    nodes_.clear();
  }

  variable<T> input(const T& value) { return {value, push(-1, -1, T(0), T(0)), this}; }

  /// f is run in pull(): after whatever is recorded from now on, before what was recorded so far.
  template <class F>
  std::decay_t<F>& operation(F&& f) {
    return operations_.template add<recording>(nodes_.size(), std::forward<F>(f));
  }

  /// Adjoints of all nodes: d(sum_i weights[i] outputs[i]) / d(node). Outputs that are constants
  /// have none to give.
  void pull(const variable<T>* outputs, const T* weights, int count) {
    begin_pull();
    for (int i = 0; i < count; ++i) seed(outputs[i], weights[i]);
    pull();
  }

  /// The same in parts: all adjoints are 0; add weights of outputs; propagate them.
  void begin_pull() { adjoints_.assign(nodes_.size(), T(0)); }
  void seed(const variable<T>& output, const T& weight) {
    if (output.home == nullptr) return;
    REVODE_EXPECT(output.home == this);
    T& adjoint = adjoints_[at(output.id)];
    adjoint = adjoint + weight;
  }
  void pull() {
    std::size_t k = nodes_.size();
    while (!operations_.empty()) {
      const std::size_t position = operations_.last_position();
      sweep(k, position);
      k = position;
      operations_.run_last(*this);
    }
    sweep(k, 0);
  }

  template <class Outputs, class Weights>
  void pull(const Outputs& outputs, const Weights& weights) {
    pull(outputs.data(), weights.data(), static_cast<int>(outputs.size()));
  }

  const T& adjoint(int id) const { return adjoints_[at(id)]; }
  T& adjoint(int id) { return adjoints_[at(id)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  /// Whole arrays that operations read and write (interop/eigen_recording.hpp).
  array_store<T>& arrays() { return arrays_; }
  const array_store<T>& arrays() const { return arrays_; }

  /// All memory that this recording keeps.
  std::size_t bytes() const {
    return nodes_.capacity() * sizeof(node) + adjoints_.capacity() * sizeof(T) + arrays_.bytes() +
           operations_.bytes();
  }

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

  /// The nodes from - 1 … to hand their adjoints on.
  void sweep(std::size_t from, std::size_t to) {
    for (std::size_t k = from; k-- > to;) {
      const node& n = nodes_[k];
      if (n.a >= 0) give(n.a, n.slope_a, adjoints_[k]);
      if (n.b >= 0) give(n.b, n.slope_b, adjoints_[k]);
    }
  }

  static std::size_t at(int id) { return static_cast<std::size_t>(id); }

  void give(int parent, const T& slope, const T& adjoint) {
    T& target = adjoints_[at(parent)];
    target = muladd(slope, adjoint, target);
  }

  std::vector<node> nodes_;
  std::vector<T> adjoints_;
  array_store<T> arrays_;
  operation_list operations_;
};

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> chain(const variable<T, H>& x, const T& value,
                                                   const T& slope) {
  if (x.home == nullptr) return variable<T, H>(value);
  return {value, x.home->push(x.id, -1, slope, T(0)), x.home};
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> chain(const variable<T, H>& a, const variable<T, H>& b,
                                                   const T& value, const T& slope_a,
                                                   const T& slope_b) {
  if (a.home == nullptr) return chain(b, value, slope_b);
  if (b.home == nullptr) return chain(a, value, slope_a);
  REVODE_EXPECT(a.home == b.home);  // variables of two recordings do not meet
  return {value, a.home->push(a.id, b.id, slope_a, slope_b), a.home};
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator+(const variable<T, H>& a) {
  return a;
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator-(const variable<T, H>& a) {
  return chain(a, T(-a.value), T(-1));
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator+(const variable<T, H>& a,
                                                       const variable<T, H>& b) {
  return chain(a, b, T(a.value + b.value), T(1), T(1));
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator-(const variable<T, H>& a,
                                                       const variable<T, H>& b) {
  return chain(a, b, T(a.value - b.value), T(1), T(-1));
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator*(const variable<T, H>& a,
                                                       const variable<T, H>& b) {
  return chain(a, b, T(a.value * b.value), b.value, a.value);
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> operator/(const variable<T, H>& a,
                                                       const variable<T, H>& b) {
  const T ratio = a.value / b.value;
  const T inverse = T(1) / b.value;
  return chain(a, b, ratio, inverse, T(-ratio * inverse));
}

// x + constant moves with x: it shares x's node.
template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator+(const variable<T, H>& a, const C& c) {
  return {T(a.value + lift<T>(c)), a.id, a.home};
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator+(const C& c, const variable<T, H>& a) {
  return {T(lift<T>(c) + a.value), a.id, a.home};
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator-(const variable<T, H>& a, const C& c) {
  return {T(a.value - lift<T>(c)), a.id, a.home};
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator-(const C& c, const variable<T, H>& a) {
  return chain(a, T(lift<T>(c) - a.value), T(-1));
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator*(const variable<T, H>& a, const C& c) {
  const T factor = lift<T>(c);
  return chain(a, T(a.value * factor), factor);
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator*(const C& c, const variable<T, H>& a) {
  const T factor = lift<T>(c);
  return chain(a, T(factor * a.value), factor);
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator/(const variable<T, H>& a, const C& c) {
  const T divisor = lift<T>(c);
  return chain(a, T(a.value / divisor), T(T(1) / divisor));
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> operator/(const C& c, const variable<T, H>& a) {
  const T ratio = lift<T>(c) / a.value;
  return chain(a, ratio, T(-ratio / a.value));
}

/// a*b + c with the value rounded as muladd of the values is.
template <class A, class B, class C, class T>
[[gnu::always_inline]] inline auto muladd_recorded(const A& a, const B& b, const C& c,
                                                   const T& value) {
  auto r = a * b + c;
  r.value = value;
  return r;
}

template <class T, class H>
[[gnu::always_inline]] inline variable<T, H> muladd(const variable<T, H>& a,
                                                    const variable<T, H>& b,
                                                    const variable<T, H>& c) {
  return muladd_recorded(a, b, c, T(muladd(a.value, b.value, c.value)));
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> muladd(const C& a, const variable<T, H>& b,
                                                    const variable<T, H>& c) {
  return muladd_recorded(a, b, c, T(muladd(lift<T>(a), b.value, c.value)));
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> muladd(const variable<T, H>& a, const C& b,
                                                    const variable<T, H>& c) {
  return muladd_recorded(a, b, c, T(muladd(a.value, lift<T>(b), c.value)));
}

template <class T, class H, constant_for<variable<T, H>> C>
[[gnu::always_inline]] inline variable<T, H> muladd(const variable<T, H>& a,
                                                    const variable<T, H>& b, const C& c) {
  return muladd_recorded(a, b, c, T(muladd(a.value, b.value, lift<T>(c))));
}

}  // namespace revode
