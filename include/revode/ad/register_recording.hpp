// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <revode/ad/field_calls.hpp>
#include <revode/ad/recording.hpp>

namespace revode {

/// The recording of a short formula of fixed length, made of locals: where the compiler knows every
/// node's number, nothing of it is left but the arithmetic of a hand-written reverse derivative.
/// Nodes beyond the capacity are counted and lost. Memory: 24 Capacity bytes of stack at the worst,
/// none at the best.
template <class T, int Capacity>
class register_recording {
 public:
  using variable_type = variable<T, register_recording>;

  [[gnu::always_inline]] variable_type input(const T& value) {
    return {value, push(-1, -1, T(0), T(0)), this};
  }

  template <class SlopeA, class SlopeB>
  [[gnu::always_inline]] int push(int a, int b, const SlopeA& slope_a, const SlopeB& slope_b) {
    if (size_ < Capacity)
      nodes_[size_] = {slope_a, slope_b, a, b, sign_of(slope_a), sign_of(slope_b)};
    return size_++;
  }

  int size() const { return size_; }

  /// Adjoints of all nodes, and which of them has something in it: one without is −0, which vanishes
  /// in an addition, so that the first product or number that it gets is its value, to the bit.
  struct adjoints {
    T value[Capacity];
    bool used[Capacity];
    [[gnu::always_inline]] void add(int k, const T& x) {
      value[k] = used[k] ? value[k] + x : x;
      used[k] = true;
    }
  };

  /// adjoints[k] += Σ slope adjoints[child], from the newest node to the first that is no input.
  template <int Inputs>
  [[gnu::always_inline]] void pull(adjoints& to) const {
    pull<Inputs>(to, std::make_integer_sequence<int, Capacity - Inputs>{});
  }

 private:
  struct node {
    T slope_a, slope_b;
    int a, b;
    int sign_a, sign_b;  // of a slope that is 1 or −1 by its type; 0: any
  };

  static constexpr int sign_of(const T&) { return 0; }
  template <int Sign>
  static constexpr int sign_of(const unit_slope<Sign>&) {
    return Sign;
  }

  template <int Inputs, int... K>
  [[gnu::always_inline]] void pull(adjoints& to, std::integer_sequence<int, K...>) const {
    (give<Capacity - 1 - K>(to), ...);
  }

  template <int K>
  [[gnu::always_inline]] void give(adjoints& to) const {
    if (K >= size_) return;
    const node& n = nodes_[K];
    if (n.a >= 0) give(to, n.a, n.slope_a, n.sign_a, to.value[K]);
    if (n.b >= 0) give(to, n.b, n.slope_b, n.sign_b, to.value[K]);
  }
  /// to[k] += slope x, rounded as muladd is: a product by ±1, or one that −0 is added to, is exact.
  [[gnu::always_inline]] static void give(adjoints& to, int k, const T& slope, int sign,
                                          const T& x) {
    if (sign > 0)
      to.add(k, x);
    else if (sign < 0)
      to.add(k, -x);
    else if (to.used[k])
      to.value[k] = muladd(slope, x, to.value[k]);
    else
      to.add(k, slope * x);
  }

  node nodes_[Capacity];
  int size_ = 0;
};

/// wᵀ times the Jacobian of a field of fixed size by such a recording: a third of the instructions of
/// dual_sweep on a field like Lorenz's, and no longer than the product written by hand.
template <class F, class Y, class P>
class register_sweep {
  using T = scalar_t<Y>;
  static constexpr int n = static_size_v<Y>, np = static_size_v<P>, capacity = 64;
  using tape = register_recording<T, capacity>;
  using V = typename tape::variable_type;

 public:
  /// Is this field's recording one of constant length, and short enough? The optimiser knows: not
  /// for a field that branches on its state or keeps a loop. Asked once per field, in one function,
  /// so that every caller goes the same way and gets the same bits.
#if defined(__clang__)  // which keeps the nodes in memory
  static bool fits(const F&, T, const Y&, const P&) { return false; }
#else
  static bool fits(const F& f, T t, const Y& y, const P& p) {
    static const bool answer = probe(f, t, y, p);
    return answer;
  }
#endif

  /// gt, gy, gp += wᵀ (f_t, f_y, f_p); needs fits()
  template <bool Time, class GP>
  [[gnu::flatten]] static void vjp(const F& f, T t, const Y& y, const P& p, const Y& w, T* gt,
                                   Y& gy, GP& gp) {
    constexpr int tracked = static_size_v<GP> == 0 ? 0 : np, inputs = n + tracked + (Time ? 1 : 0);
    tape r;
    field_arrays<Y, P, V> a;
    record<Time, tracked>(r, f, t, y, p, a);
    typename tape::adjoints adjoint;
    for_constant<capacity>([&](int k) __attribute__((always_inline)) {
      adjoint.value[k] = T(-0.0), adjoint.used[k] = false;
    });
    for_constant<n>([&](int i) __attribute__((always_inline)) {
      const V& out = a.dy.data()[i];
      if (out.home != nullptr) adjoint.add(out.id, w.data()[i]);
    });
    r.template pull<inputs>(adjoint);
    for_constant<n>([&](int i) __attribute__((always_inline)) {
      gy.data()[i] = gy.data()[i] + adjoint.value[i];
    });
    for_constant<tracked>([&](int i) __attribute__((always_inline)) {
      gp.data()[i] = gp.data()[i] + adjoint.value[n + i];
    });
    if constexpr (Time) *gt = *gt + adjoint.value[n + tracked];
  }

 private:
  template <int Count, class Op>
  [[gnu::always_inline]] static void for_constant(const Op& op) {
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) { (op(K), ...); }
    (std::make_integer_sequence<int, Count>{});
  }

  template <bool Time, int Tracked>
  [[gnu::always_inline]] static void record(tape& r, const F& f, T t, const Y& y, const P& p,
                                            field_arrays<Y, P, V>& a) {
    for_constant<n>([&](int i)
                        __attribute__((always_inline)) { a.y.data()[i] = r.input(y.data()[i]); });
    for_constant<np>([&](int i) __attribute__((always_inline)) {
      a.p.data()[i] = Tracked > 0 ? r.input(p.data()[i]) : V(p.data()[i]);
    });
    const V time = Time ? r.input(t) : V(t);
    f(time, a.y, a.p, a.dy);
  }

  [[gnu::noinline, gnu::flatten]] static bool probe(const F& f, T t, const Y& y, const P& p) {
    tape r;
    field_arrays<Y, P, V> a;
    record<true, np>(r, f, t, y, p, a);
    const int size = r.size();
    return __builtin_constant_p(size) && size <= capacity;
  }
};

}  // namespace revode
