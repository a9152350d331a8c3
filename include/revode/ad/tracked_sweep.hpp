// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <revode/ad/dual.hpp>
#include <revode/ad/field_calls.hpp>
#include <revode/ad/tracked_pack.hpp>
#include <revode/config.hpp>
#include <revode/state/algebra.hpp>
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
  using pack = tracked_pack<T, n>;
  using D = dual<T, n, pack>;

 public:
  /// jac(i, j) = df_i/dy_j, every element, or false and nothing. Does the optimiser know which parts
  /// move? Not of a field that branches on its state or keeps a loop. Asked once per field, so that
  /// every caller goes the same way; the first call evaluates the field once more.
#if defined(__clang__)  // which keeps the notes in memory
  template <class J>
  static bool jacobian(const F&, T, const Y&, const P&, J&) {
    return false;
  }
#else
  template <class J>
  static bool jacobian(const F& f, T t, const Y& y, const P& p, J& jac) {
    static const bool known = sweep(f, t, y, p, jac);
    return known && sweep(f, t, y, p, jac);
  }
#endif

 private:
  template <class J>
  [[gnu::noinline, gnu::flatten]] static bool sweep(const F& f, T t, const Y& y, const P& p,
                                                    J& jac) {
    field_arrays<Y, P, D> a;
    for_constant<n>([&](int i) { a.y.data()[i] = D::input(y.data()[i], i); });
    for_constant<np>([&](int i) { a.p.data()[i] = D(p.data()[i]); });
    f(D(t), a.y, a.p, a.dy);
    unsigned moving = 0;
    for_constant<n>([&](int i) { moving = moving * 3 + a.dy.data()[i].d.moving; });
    if (!__builtin_constant_p(moving)) return false;
    for_constant<n>([&](int i) { store_row(i, a.dy.data()[i].d, jac); });
    return true;
  }

  template <class J>
  static void store_row(int i, const pack& row, J& jac) {
    if constexpr (std::is_same_v<J, mat<T, n>>) {
      for_constant<pack::count>([&](int k) {
        const int first = k * pack::width, left = n - first;
        const auto columns = static_cast<unsigned>(left < pack::width ? left : pack::width);
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
