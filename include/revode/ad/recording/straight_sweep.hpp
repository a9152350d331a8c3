// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <revode/ad/dual.hpp>
#include <revode/ad/field_calls.hpp>
#include <revode/ad/recording/register_recording.hpp>
#include <revode/config.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// The derivative of a dual in one direction, over recorded variables, and whether it has one: what
/// stands still leaves no node.
template <class V>
struct noted_direction {
  V part{};
  bool moves = false;
};

/// A dual of such, copied number by number: g++ 12 loses sight of the parts of a part that is copied
/// as a whole.
template <class T, class H>
struct dual<variable<T, H>, 1, noted_direction<variable<T, H>>> {
  using V = variable<T, H>;
  V value;
  noted_direction<V> d;

  static constexpr int directions = 1;

  dual() = default;
  [[gnu::always_inline]] dual(const V& v, const noted_direction<V>& derivative)
      : value(v.value, v.id, v.home),
        d{V(derivative.part.value, derivative.part.id, derivative.part.home), derivative.moves} {}
  [[gnu::always_inline]] dual(const dual& x) : dual(x.value, x.d) {}
  [[gnu::always_inline]] dual& operator=(const dual& x) {
    put(x.value, value);
    put(x.d.part, d.part);
    d.moves = x.d.moves;
    return *this;
  }
  template <class C>
  requires(std::is_arithmetic_v<C> || std::same_as<C, V> || constant_for<C, V>)
      [[gnu::always_inline]] dual(const C& c)
      : dual(lift<V>(c), noted_direction<V>{}) {}

 private:
  [[gnu::always_inline]] static void put(const V& from, V& to) {
    to.value = from.value;
    to.id = from.id;
    to.home = from.home;
  }
};

template <class V>
[[gnu::always_inline]] inline noted_direction<V> operator-(const noted_direction<V>& a) {
  if (!a.moves) return a;
  return {-a.part, true};
}
template <class V>
[[gnu::always_inline]] inline noted_direction<V> operator+(const noted_direction<V>& a,
                                                           const noted_direction<V>& b) {
  if (!a.moves) return b;
  if (!b.moves) return a;
  return {a.part + b.part, true};
}
template <class V>
[[gnu::always_inline]] inline noted_direction<V> operator-(const noted_direction<V>& a,
                                                           const noted_direction<V>& b) {
  if (!a.moves) return -b;
  if (!b.moves) return a;
  return {a.part - b.part, true};
}
template <class V>
[[gnu::always_inline]] inline noted_direction<V> operator*(const V& s,
                                                           const noted_direction<V>& a) {
  if (!a.moves) return a;
  return {s * a.part, true};
}
template <class V>
[[gnu::always_inline]] inline noted_direction<V> muladd(const V& s, const noted_direction<V>& a,
                                                        const noted_direction<V>& b) {
  if (!a.moves) return b;
  if (!b.moves) return {s * a.part, true};
  return {muladd(s, a.part, b.part), true};
}
template <class V>
[[gnu::always_inline]] inline noted_direction<V> along(const V& slope,
                                                       const noted_direction<V>& a) {
  return slope * a;
}

/// Products with the derivatives of a field of middle size by register recordings: of the field for
/// vjp, of its derivative in a direction for second. Each is one function a field, compiled once, and
/// used where the optimiser finds the recording's length constant: not for a field that branches on
/// its state or keeps a loop. Numbers are those of `recording`: vjp's to the bit but for the sign of a
/// zero, second's to rounding. Cost, of pollu (n = 20, 25 parameters): 440 instructions for vjp, 510
/// for second, where recordings in memory take 5700 and 8900. Host, g++.
template <class F, class Y, class P>
class straight_sweep {
  using T = scalar_t<Y>;
  static constexpr int n = static_size_v<Y>, np = static_size_v<P>;
  static constexpr bool timeless = requires { requires F::autonomous; };
  template <int PerInput>
  using tape = register_recording<T, PerInput*(n + np + 6)>;
  using tape_of_field = tape<4>;
  using tape_of_derivative = tape<6>;
  using V = typename tape_of_field::variable_type;
  using V2 = typename tape_of_derivative::variable_type;
  using moving = dual<V2, 1, noted_direction<V2>>;

 public:
  /// Sizes and fields that it takes. Compilers look back over a thousand stores at most: formulas of
  /// 150 operations are seen through for vjp, of 70 to 100 for second.
  static constexpr bool takes =
      std::is_floating_point_v<T> && n > 0 && np >= 0 && n + np <= 64 &&
      std::is_same_v<Y, vec<T, n>>&& std::is_same_v<P, vec<T, np>>&& call_accepts<F, Y, P, V>;

  /// gt (unless null), gy, gp += wᵀ (f_t, f_y, f_p), or false and nothing. Asked once per field and
  /// program whether the length is known, so that every caller goes the same way.
  template <class GP>
  static bool vjp(const F& f, T t, const Y& y, const P& p, const Y& w, T* gt, Y& gy, GP& gp) {
    static const sweep_of_field<GP> chosen = ask<optimiser_answers, GP>(f, t, y, p, w);
    return chosen != nullptr && chosen(f, t, y, p, w, gt, gy, gp);
  }

  /// gt (unless null), gy, gp += gradient of uᵀ(f_t kt + f_y k), or false and nothing.
  template <class GP>
  static bool second(const F& f, T t, const Y& y, const P& p, const Y& u, T kt, const Y& k, T* gt,
                     Y& gy, GP& gp) {
    if constexpr (call_accepts<F, Y, P, moving>) {
      static const sweep_of_derivative<GP> chosen =
          ask_second<optimiser_answers, GP>(f, t, y, p, u, kt, k);
      return chosen != nullptr && chosen(f, t, y, p, u, kt, k, gt, gy, gp);
    } else {
      return false;
    }
  }
  /// What they found.
  static inline optimiser_answer told{}, told_of_second{};

 private:
  template <class GP>
  using sweep_of_field = bool (*)(const F&, T, const Y&, const P&, const Y&, T*, Y&, GP&);
  template <class GP>
  using sweep_of_derivative = bool (*)(const F&, T, const Y&, const P&, const Y&, T, const Y&, T*,
                                       Y&, GP&);

  template <bool Answers, class GP>
  [[gnu::noinline]] static sweep_of_field<GP> ask(const F& f, T t, const Y& y, const P& p,
                                                  const Y& w) {
    sweep_of_field<GP> chosen = nullptr;
    if constexpr (Answers) {
      Y unused{};
      GP none{};
      const volatile sweep_of_field<GP> all = &sweep<GP>;  // not a copy made for the question
      if (all(f, t, y, p, w, nullptr, unused, none)) chosen = all;
    }
    told.give(chosen != nullptr);
    return chosen;
  }
  template <bool Answers, class GP>
  [[gnu::noinline]] static sweep_of_derivative<GP> ask_second(const F& f, T t, const Y& y,
                                                              const P& p, const Y& u, T kt,
                                                              const Y& k) {
    sweep_of_derivative<GP> chosen = nullptr;
    if constexpr (Answers) {
      Y unused{};
      GP none{};
      const volatile sweep_of_derivative<GP> all = &sweep_second<GP>;
      if (all(f, t, y, p, u, kt, k, nullptr, unused, none)) chosen = all;
    }
    told_of_second.give(chosen != nullptr);
    return chosen;
  }

  template <class GP>
  static constexpr int tracked = static_size_v<GP> == 0 ? 0 : np;
  template <class GP>
  static constexpr int inputs = n + tracked<GP> + (timeless ? 0 : 1);  // y, p, t

  template <class GP>
  [[gnu::noinline, gnu::flatten]] static bool sweep(const F& f, T t, const Y& y, const P& p,
                                                    const Y& w, T* gt, Y& gy, GP& gp) {
    tape_of_field r;
    field_arrays<Y, P, V> a;
    for_constant<n>([&](int i)
                        __attribute__((always_inline)) { a.y.data()[i] = r.input(y.data()[i]); });
    for_constant<np>([&](int i) __attribute__((always_inline)) {
      a.p.data()[i] = tracked<GP> > 0 ? r.input(p.data()[i]) : V(p.data()[i]);
    });
    const V time = timeless ? V(t) : r.input(t);
    f(time, a.y, a.p, a.dy);
    const int size = r.size();
    if (!__builtin_constant_p(size) || size > tape_of_field::capacity) return false;
    typename tape_of_field::adjoints adjoint{};
    for_constant<n>([&](int i) __attribute__((always_inline)) {
      const V& out = a.dy.data()[i];
      if (out.home != nullptr) adjoint.add(out.id, w.data()[i]);
    });
    r.template pull_long<inputs<GP>>(adjoint);
    hand_out(adjoint, gt, gy, gp);
    return true;
  }

  template <class GP>
  [[gnu::noinline, gnu::flatten]] static bool sweep_second(const F& f, T t, const Y& y, const P& p,
                                                           const Y& u, T kt, const Y& k, T* gt,
                                                           Y& gy, GP& gp) {
    tape_of_derivative r;
    field_arrays<Y, P, moving> a;
    for_constant<n>([&](int i) __attribute__((always_inline)) {
      a.y.data()[i] = moving(r.input(y.data()[i]), {V2(k.data()[i]), true});
    });
    for_constant<np>([&](int i) __attribute__((always_inline)) {
      a.p.data()[i] = moving(tracked<GP> > 0 ? r.input(p.data()[i]) : V2(p.data()[i]));
    });
    const moving time = timeless ? moving(V2(t)) : moving(r.input(t), {V2(kt), true});
    f(time, a.y, a.p, a.dy);
    const int size = r.size();
    if (!__builtin_constant_p(size) || size > tape_of_derivative::capacity) return false;
    typename tape_of_derivative::adjoints adjoint{};
    for_constant<n>([&](int i) __attribute__((always_inline)) {
      const noted_direction<V2>& out = a.dy.data()[i].d;
      if (out.moves && out.part.home != nullptr) adjoint.add(out.part.id, u.data()[i]);
    });
    r.template pull_long<inputs<GP>>(adjoint);
    hand_out(adjoint, gt, gy, gp);
    return true;
  }

  /// Adds what inputs got to the cotangents; nothing where they got nothing.
  template <class Adjoints, class GP>
  [[gnu::always_inline]] static void hand_out(const Adjoints& adjoint, T* gt, Y& gy, GP& gp) {
    for_constant<n>([&](int i)
                        __attribute__((always_inline)) { adjoint.hand_out(i, gy.data()[i]); });
    for_constant<tracked<GP>>([&](int i) __attribute__((always_inline)) {
      adjoint.hand_out(n + i, gp.data()[i]);
    });
    if constexpr (!timeless)
      if (gt != nullptr) adjoint.hand_out(inputs<GP> - 1, *gt);
  }

  template <int Count, class Op>
  [[gnu::always_inline]] static void for_constant(const Op& op) {
    [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) { (op(K), ...); }
    (std::make_integer_sequence<int, Count>{});
  }
};

}  // namespace revode
