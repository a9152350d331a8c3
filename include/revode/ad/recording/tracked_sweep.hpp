// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <revode/ad/dual.hpp>
#include <revode/ad/field_calls.hpp>
#include <revode/ad/optimiser_answer.hpp>
#include <revode/ad/recording/tracked_pack.hpp>
#include <revode/config.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/mat.hpp>

namespace revode {

/// The Jacobian of a field of fixed size n <= 32 in one call, of which only what the formula can
/// make nonzero is computed, without a pattern being given: parameters and time do not move, and
/// what is left is the arithmetic of a Jacobian written by hand. Entries equal those of dense duals
/// (see tracked_pack). Cost: the nonzero arithmetic in pairs and the stores of the matrix; for pollu
/// (n = 20, 82 nonzeros) 510 instructions, where dense duals take 7800. Host, g++.
template <class F, class Y, class P>
class tracked_sweep {
  using T = scalar_t<Y>;
  static constexpr int n = static_size_v<Y>, np = static_size_v<P>;
  template <int Width>
  using pack = tracked_pack<T, n, Width>;
  template <int Width>
  using arrays = field_arrays<Y, P, dual<T, n, pack<Width>>>;

 public:
  /// jac(i, j) = df_i/dy_j, every element, or false and nothing. Does the optimiser know which parts
  /// move? Not of a field that branches on its state or keeps a loop. Asked once per field and
  /// program, so that every caller goes the same way; the first call evaluates the field once more.
  template <class J>
  static bool jacobian(const F& f, T t, const Y& y, const P& p, J& jac) {
    static const sweep_of_field<J> chosen = ask<optimiser_answers>(f, t, y, p, jac);
    return chosen != nullptr && chosen(f, t, y, p, jac);
  }

  /// Does jacobian return true?
  [[gnu::noinline]] static bool knows(const F& f, T t, const Y& y, const P& p) {
    static const bool known = [&] {
      mat<T, n> unused;
      return jacobian(f, t, y, p, unused);
    }();
    return known;
  }

  /// What it found.
  static inline optimiser_answer told{};

  /// The same numbers, whatever the optimiser knows, one direction a part: inlined in a loop over
  /// lanes, neighbours share vectors.
  template <class J>
  static void jacobian_in_lane(const F& f, T t, const Y& y, const P& p, J& jac) {
    arrays<1> a;
    call(f, t, y, p, a);
    for_constant<n>([&](int i) { store_row(i, a.dy.data()[i].d, jac); });
  }

 private:
  template <class J>
  using sweep_of_field = bool (*)(const F&, T, const Y&, const P&, J&);
  template <bool Answers, class J>
  [[gnu::noinline]] static sweep_of_field<J> ask(const F& f, T t, const Y& y, const P& p, J& jac) {
    sweep_of_field<J> chosen = nullptr;
    if constexpr (Answers) {
      const volatile sweep_of_field<J> all = &sweep<J>;  // not a copy made for the question
      if (all(f, t, y, p, jac)) chosen = all;
    }
    told.give(chosen != nullptr);
    return chosen;
  }

  template <class J>
  [[gnu::noinline, gnu::flatten]] static bool sweep(const F& f, T t, const Y& y, const P& p,
                                                    J& jac) {
    arrays<direction_pack<T, n>::width> a;
    call(f, t, y, p, a);
    unsigned moving = 0;
    for_constant<n>([&](int i) { moving = moving * 3 + a.dy.data()[i].d.moving; });
    if (!__builtin_constant_p(moving)) return false;
    for_constant<n>([&](int i) { store_row(i, a.dy.data()[i].d, jac); });
    return true;
  }

  /// f over duals whose directions are y's.
  template <int Width>
  static void call(const F& f, T t, const Y& y, const P& p, arrays<Width>& a) {
    using D = dual<T, n, pack<Width>>;
    for_constant<n>([&](int i) { a.y.data()[i] = D::input(y.data()[i], i); });
    for_constant<np>([&](int i) { a.p.data()[i] = D(p.data()[i]); });
    f(D(t), a.y, a.p, a.dy);
  }

  template <int Width, class J>
  static void store_row(int i, const pack<Width>& row, J& jac) {
    if constexpr (Width > 1 && std::is_same_v<J, mat<T, n>>) {
      for_constant<pack<Width>::count>([&](int k) {
        const int first = k * Width, left = n - first;
        const auto columns = static_cast<unsigned>(left < Width ? left : Width);
        __builtin_memcpy(jac.data() + i * n + first, &row.parts[k], columns * sizeof(T));
      });
    } else {
      for_constant<n>([&](int j) { jac(i, j) = row[j]; });
    }
  }

  template <int Count, class Op>
  static void for_constant(const Op& op) {
    [&]<int... K>(std::integer_sequence<int, K...>) { (op(K), ...); }
    (std::make_integer_sequence<int, Count>{});
  }
};

}  // namespace revode
