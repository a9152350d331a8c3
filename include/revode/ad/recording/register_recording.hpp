// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <revode/ad/field_calls.hpp>
#include <revode/ad/optimiser_answer.hpp>
#include <revode/ad/recording/recording.hpp>

namespace revode {

/// The sign of a slope that is 1 or −1 by its type; 0: any.
template <class Slope>
inline constexpr int sign_by_type = 0;
template <int Sign>
inline constexpr int sign_by_type<unit_slope<Sign>> = Sign;

/// The recording of a short formula of fixed length, made of locals: where the compiler knows every
/// node's number, nothing of it is left but the arithmetic of a hand-written reverse derivative.
/// Nodes beyond the capacity are counted and lost. Memory: 33 Capacity bytes of stack at the worst
/// (57 where the pull is long), none at the best.
template <class T, int Capacity>
class register_recording {
 public:
  static constexpr int capacity = Capacity;
  using variable_type = variable<T, register_recording>;

  /// Inputs come first.
  [[gnu::always_inline]] variable_type input(const T& value) {
    nodes_[size_].link = 0;
    return {value, size_++, this};
  }

  template <class SlopeA, class SlopeB>
  [[gnu::always_inline]] int push(int a, int b, const SlopeA& slope_a, const SlopeB& slope_b) {
    const int k =
        size_++;  // read once: a field's own threads may come while it is asked for its length
    if (k < Capacity) {
      node& n = nodes_[k];
      n.link = link_of(a, sign_by_type<SlopeA>) + (link_of(b, sign_by_type<SlopeB>) << link_bits);
      if constexpr (sign_by_type<SlopeA> == 0)
        if (a >= 0) n.slope_a = slope_a;
      if constexpr (sign_by_type<SlopeB> == 0)
        if (b >= 0) n.slope_b = slope_b;
    }
    return k;
  }

  int size() const { return size_; }

  /// Adjoints of all nodes, 0 at first, and which of them has something in it: the first product or
  /// number that one gets is its value, to the bit.
  struct adjoints {
    T value[Capacity];
    bool used[Capacity];
    [[gnu::always_inline]] void add(int k, const T& x) {
      if (used[k])
        value[k] = value[k] + x;
      else
        value[k] = x, used[k] = true;
    }
    [[gnu::always_inline]] void add_product(int k, const T& slope, const T& x) {
      if (used[k])
        value[k] = muladd(slope, x, value[k]);
      else
        value[k] = slope * x, used[k] = true;
    }
    /// to += adjoint k
    [[gnu::always_inline]] void hand_out(int k, T& to) const {
      if (used[k]) to = to + value[k];
    }
  };

  /// adjoints[k] += Σ slope adjoints[child], from the newest node to the first that is no input.
  template <int Inputs>
  [[gnu::always_inline]] void pull(adjoints& to) const {
    pull<Inputs>(to, nodes_, std::make_integer_sequence<int, Capacity - Inputs>{});
  }
  /// The same of a long recording whose length is a constant: the compiler finds a node that is
  /// copied before all sums where it gives up looking back beyond them.
  template <int Inputs>
  [[gnu::always_inline]] void pull_long(adjoints& to) const {
    node nodes[Capacity];
    copy_nodes(nodes, std::make_integer_sequence<int, Capacity>{});
    pull<Inputs>(to, nodes, std::make_integer_sequence<int, Capacity - Inputs>{});
  }

 private:
  // Few stores, since compilers look back over a thousand at most: both parents are one number, and a
  // slope that is not read is not written.
  static constexpr int id_bits = 10, link_bits = id_bits + 2;
  static_assert(Capacity < 1 << id_bits, "a parent has so many bits");
  struct node {
    T slope_a, slope_b;
    unsigned link;  // twice: a parent, from 1 (0: none), and the sign by type of its slope, plus 1
  };
  [[gnu::always_inline]] static constexpr unsigned link_of(int id, int sign) {
    return static_cast<unsigned>(id + 1) + (static_cast<unsigned>(sign + 1) << id_bits);
  }

  template <int... K>
  [[gnu::always_inline]] void copy_nodes(node* to, std::integer_sequence<int, K...>) const {
    ((K < size_ ? static_cast<void>(to[K] = nodes_[K]) : static_cast<void>(0)), ...);
  }
  template <int Inputs, int... K>
  [[gnu::always_inline]] void pull(adjoints& to, const node* nodes,
                                   std::integer_sequence<int, K...>) const {
    (give<Capacity - 1 - K>(to, nodes[Capacity - 1 - K]), ...);
  }

  template <int K>
  [[gnu::always_inline]] void give(adjoints& to, const node& n) const {
    if (K >= size_ || !to.used[K]) return;
    const unsigned link = n.link;
    give(to, link, n.slope_a, to.value[K]);
    give(to, link >> link_bits, n.slope_b, to.value[K]);
  }
  /// to[k] += slope x, rounded as muladd is: a product by ±1, or one added to nothing, is exact.
  [[gnu::always_inline]] static void give(adjoints& to, unsigned link, const T& slope, const T& x) {
    const int k = static_cast<int>(link & ((1U << id_bits) - 1)) - 1;
    const int sign = static_cast<int>(link >> id_bits & 3) - 1;
    if (k < 0) return;
    const T factor = sign > 0 ? T(1) : sign < 0 ? T(-1) : slope;
    to.add_product(k, factor, x);
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
  /// for a field that branches on its state or keeps a loop. Asked once per field and program, so that
  /// every caller goes the same way and gets the same bits.
  static bool fits(const F& f, T t, const Y& y, const P& p) { return asked(f, t, y, p) != nullptr; }
  /// What fits() said.
  static inline optimiser_answer told{};

  /// gt (unless null), gy, gp += wᵀ (f_t, f_y, f_p); needs fits(). Compiled into its caller where the
  /// length is a constant there as well; otherwise, and in a unit whose optimiser is not asked, the
  /// code that was asked is called.
  template <class GP>
  [[gnu::always_inline]] static void vjp(const F& f, T t, const Y& y, const P& p, const Y& w, T* gt,
                                         Y& gy, GP& gp) {
    if constexpr (optimiser_answers)
      if (gt != nullptr ? sweep<true>(f, t, y, p, w, gt, gy, gp)
                        : sweep<false>(f, t, y, p, w, gt, gy, gp))
        return;
    T unused(0);
    vjp_as_asked(f, t, y, p, w, gt != nullptr ? *gt : unused, gy, gp);
  }

 private:
  using sweep_of_field = bool (*)(const F&, T, const Y&, const P&, const Y&, T*, Y&, P&);

  static sweep_of_field asked(const F& f, T t, const Y& y, const P& p) {
    static const sweep_of_field answer = [&] {  // of copies: the caller's arrays stay in registers
      const Y at = y;
      const P parameters = p;
      return ask<optimiser_answers>(f, t, at, parameters);
    }();
    return answer;
  }
  template <bool Answers>
  [[gnu::noinline]] static sweep_of_field ask(const F& f, T t, const Y& y, const P& p) {
    sweep_of_field answer = nullptr;
    if constexpr (Answers) {
      Y unused{};
      P none{};
      T time(0);
      if (sweep_apart(f, t, y, p, y, &time, unused, none)) answer = &sweep_apart;
    }
    told.give(answer != nullptr);
    return answer;
  }
  template <class GP>
  [[gnu::noinline]] static void vjp_as_asked(const F& f, T t, const Y& y, const P& p, const Y& w,
                                             T& gt, Y& gy, GP& gp) {
    if constexpr (std::is_same_v<GP, P>) {
      asked(f, t, y, p)(f, t, y, p, w, &gt, gy, gp);
    } else {
      P none{};
      vjp_as_asked(f, t, y, p, w, gt, gy, none);
    }
  }

  // By its name, not by a pointer: whether it throws is seen, and what asks has no code for that.
#if __has_cpp_attribute(gnu::noclone)
  [[gnu::noclone]]  // no copy is made for the question
#endif
  [[gnu::noinline, gnu::flatten]] static bool
  sweep_apart(const F& f, T t, const Y& y, const P& p, const Y& w, T* gt, Y& gy, P& gp) {
    return sweep<true>(f, t, y, p, w, gt, gy, gp);
  }

  /// False, and nothing is added, where the optimiser does not see how long the recording is: what
  /// would pull it is then left out.
  template <bool Time, class GP>
  [[gnu::flatten]] static bool sweep(const F& f, T t, const Y& y, const P& p, const Y& w, T* gt,
                                     Y& gy, GP& gp) {
    constexpr int tracked = static_size_v<GP> == 0 ? 0 : np, inputs = n + tracked + (Time ? 1 : 0);
    tape r;
    field_arrays<Y, P, V> a;
    record<Time, tracked>(r, f, t, y, p, a);
    const int size = r.size();
    if (!__builtin_constant_p(size) || size > capacity) return false;
    typename tape::adjoints adjoint{};
    for_constant<n>([&](int i) __attribute__((always_inline)) {
      const V& out = a.dy.data()[i];
      if (out.home != nullptr) adjoint.add(out.id, w.data()[i]);
    });
    r.template pull<inputs>(adjoint);
    for_constant<n>([&](int i)
                        __attribute__((always_inline)) { adjoint.hand_out(i, gy.data()[i]); });
    for_constant<tracked>([&](int i) __attribute__((always_inline)) {
      adjoint.hand_out(n + i, gp.data()[i]);
    });
    if constexpr (Time) adjoint.hand_out(n + tracked, *gt);
    return true;
  }

  template <int Count, class Op>
  [[gnu::always_inline]] static void for_constant(const Op& op) {
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) { (op(K), ...); }
    (std::make_integer_sequence<int, Count>{});
  }

  // Not inlined by force: compilers would look into this function before they have looked into the field.
  template <bool Time, int Tracked>
  static void record(tape& r, const F& f, T t, const Y& y, const P& p, field_arrays<Y, P, V>& a) {
    for_constant<n>([&](int i)
                        __attribute__((always_inline)) { a.y.data()[i] = r.input(y.data()[i]); });
    for_constant<np>([&](int i) __attribute__((always_inline)) {
      a.p.data()[i] = Tracked > 0 ? r.input(p.data()[i]) : V(p.data()[i]);
    });
    const V time = Time ? r.input(t) : V(t);
    f(time, a.y, a.p, a.dy);
  }
};

}  // namespace revode
