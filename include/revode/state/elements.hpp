// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <revode/config.hpp>
#include <revode/state/block_sum.hpp>
#include <revode/state/scalar_of.hpp>
#include <revode/state/vec.hpp>

namespace revode {

template <class Y>
REVODE_HD constexpr int length(const Y& y) {
  return static_cast<int>(y.size());
}

/// Number of elements where the type fixes it, otherwise -1.
template <class Y>
inline constexpr int static_size_v = [] {
  if constexpr (requires { Y::SizeAtCompileTime; }) {
    return static_cast<int>(Y::SizeAtCompileTime);  // a dense Eigen type
  } else if constexpr (requires { std::integral_constant<int, Y::size()>{}; }) {
    return Y::size();
  } else {
    return -1;
  }
}();
template <class T, int N>
inline constexpr int static_size_v<vec<T, N>> = N;

/// The same container over another scalar: how duals and recorded variables reach a field.
template <class Y, class S>
struct rebind {};
template <class T, int N, class S>
struct rebind<vec<T, N>, S> {
  using type = vec<S, N>;
};
/// Whether Eigen may hold elements S: some of its kernels would lose the derivatives of others without
/// interop/eigen.hpp, which says so of duals and recorded variables.
template <class S>
inline constexpr bool eigen_may_hold_v = std::is_arithmetic_v<S>;
template <template <class, int, int, int, int, int> class EigenMatrix, class T, int R, int C, int O,
          int MaxR, int MaxC, class S>
struct rebind<EigenMatrix<T, R, C, O, MaxR, MaxC>, S> {
  static_assert(eigen_may_hold_v<S>,
                "an Eigen state in a field that is differentiated (Eigen's own kernels lose the "
                "derivatives of elements that are 0) add #include <revode/interop/eigen.hpp>?");
  using type = EigenMatrix<S, R, C, O, MaxR, MaxC>;
};
/// Named numbers: a struct template over their type.
template <template <class> class Numbers, class T, class S>
struct rebind<Numbers<T>, S> {
  using type = Numbers<S>;
};
template <template <class, class> class Sequence, class T, class A, class S>
struct rebind<Sequence<T, A>, S> {
  using type = Sequence<S, typename std::allocator_traits<A>::template rebind_alloc<S>>;
};
template <class Y, class S>
using rebind_t = typename rebind<Y, S>::type;

/// Up to how many elements for_each_element is written out.
template <class Y>
inline constexpr int most_unrolled = 16;

/// f(0) … f(n − 1), in order, n the length of y. Written out for small fixed sizes: their elements
/// then stay in registers, where a vectorised loop over three of them would go through memory.
/// f is marked always_inline where it is written, since a call would go through memory as well.
template <class Y, class F>
REVODE_HD void for_each_element(const Y& y, F&& f) {
  if constexpr (static_size_v<Y> >= 0 && static_size_v<Y> <= most_unrolled<Y>) {
    // A loop, not a recursion: g++ 12 unrolls it before it decides what may live in registers.
#if defined(__CUDACC__)
#pragma unroll
#else
#pragma GCC unroll 64
#endif
    for (int i = 0; i < static_size_v<Y>; ++i) f(i);
  } else {
#if defined(__CUDA_ARCH__)  // nvcc writes longer loops out too, and ptxas then keeps all in memory
    constexpr int size = static_size_v<Y>, together = 0 < size && size <= 28 ? size : 1;
#pragma unroll together
#endif
    for (int i = 0, n = length(y); i < n; ++i) f(i);
  }
}

/// on_threads for a solve of Y; states whose length is fixed are short.
struct on_one_thread {
  explicit on_one_thread(int) {}
};
template <class Y>
using threads_of = std::conditional_t<(static_size_v<Y> < 0), on_threads, on_one_thread>;

/// The same as for_each_element for an f whose calls know nothing of each other: of long states of numbers on the threads
/// of the solve. Recorded variables stay on the thread that their recording belongs to.
template <class Y, class F>
REVODE_HD void sweep_elements(const Y& y, F&& f) {
#if defined(_OPENMP) && !defined(__CUDACC__)
  if constexpr (static_size_v<Y> < 0 && std::is_floating_point_v<scalar_t<Y>>)
    if (const int n = length(y); threads_for(n) > 1)
      return for_each_part(n, [&](int first, int last) {
        for (int i = first; i < last; ++i) f(i);
      });
#endif
  for_each_element(y, f);
}

/// f(first, last) in place of f(first) … f(last − 1), for loops of one's own.
template <class Y, class F>
void sweep_parts(const Y& y, F&& f) {
  const int n = length(y);
#if defined(_OPENMP) && !defined(__CUDACC__)
  if constexpr (static_size_v<Y> < 0 && std::is_floating_point_v<scalar_t<Y>>)
    if (threads_for(n) > 1) return for_each_part(n, f);
#endif
  f(0, n);
}

template <class Y>
REVODE_HD void fill(Y& y, scalar_t<Y> value) {
  auto* out = y.data();
  sweep_elements(
      y, [=](int i) __attribute__((always_inline)) { out[i] = value; });
}

/// y's shape over scalar S, all zero. Allocates when Y is dynamic.
template <class S, class Y>
REVODE_HD rebind_t<Y, S> rebind_like(const Y& y) {
  rebind_t<Y, S> z{};
  if constexpr (requires { y.template rebound<S>(); }) {
    z = y.template rebound<S>();
  } else if constexpr (static_size_v<Y> < 0) {
    if constexpr (requires { z.resize(y.rows(), y.cols()); }) {
      z.resize(y.rows(), y.cols());
    } else {
      z.resize(static_cast<std::size_t>(y.size()));
    }
  }
  fill(z, S(0));
  return z;
}

template <class Y>
REVODE_HD Y zero_like(const Y& y) {
  return rebind_like<scalar_t<Y>>(y);
}

/// to = from, element by element; both have the same length (no allocation, any mix of types).
template <class Y, class Z>
REVODE_HD void copy(const Y& from, Z& to) {
  const auto* in = from.data();
  auto* out = to.data();
  sweep_elements(
      to, [=](int i) __attribute__((always_inline)) { out[i] = in[i]; });
}

/// y += a x
template <class Y, class X>
REVODE_HD void axpy(scalar_t<Y> a, const X& x, Y& y) {
  const auto* in = x.data();
  auto* out = y.data();
  sweep_elements(
      y, [=](int i) __attribute__((always_inline)) { out[i] = muladd(a, in[i], out[i]); });
}

/// y += x
template <class Y, class X>
REVODE_HD void add(const X& x, Y& y) {
  const auto* in = x.data();
  auto* out = y.data();
  sweep_elements(
      y, [=](int i) __attribute__((always_inline)) { out[i] = out[i] + in[i]; });
}

/// Σ xᵢ yᵢ, from the first to the last; of more than 1,024 in blocks (block_sum.hpp).
template <class X, class Y>
REVODE_HD scalar_t<Y> dot(const X& x, const Y& y) {
  const auto* a = x.data();
  const auto* b = y.data();
  using T = scalar_t<Y>;
  if constexpr (static_size_v<Y> >= 0 && static_size_v<Y> <= block_length) {
    T sum(0);
    for_each_element(
        y, [&](int i) __attribute__((always_inline)) { sum = muladd(a[i], b[i], sum); });
    return sum;
  } else {
#if defined(_OPENMP) && !defined(__CUDACC__)
    const on_threads here(std::is_floating_point_v<T> ? solve_threads : 1);
#endif
    return block_sum<T>(length(y), [=](int first, int last) {
      T sum(0);
      for (int i = first; i < last; ++i) sum = muladd(a[i], b[i], sum);
      return sum;
    });
  }
}

/// True when no element is infinite or NaN (x - x is 0 for finite x only).
template <class Y>
REVODE_HD bool all_finite(const Y& y) {
  const auto* x = y.data();
  const auto bad = [=](int first, int last) {
    int count = 0;
    for (int i = first; i < last; ++i) count += !(x[i] - x[i] == 0);
    return count;
  };
  if constexpr (static_size_v<Y> >= 0)
    return bad(0, length(y)) == 0;
  else
    return block_sum<int>(length(y), bad) == 0;
}

/// True when x and y have the same elements, in every bit but the sign of 0.
template <class Y>
REVODE_HD bool same_elements(const Y& x, const Y& y) {
  bool same = true;
  for (int i = 0, n = length(y); i < n; ++i) same = same & (x.data()[i] == y.data()[i]);
  return same;
}

/// Bytes of one state's elements.
template <class Y>
index bytes_of(const Y& y) {
  return static_cast<index>(sizeof(scalar_t<Y>)) * length(y);
}

}  // namespace revode
