// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/interop/eigen_recording/slices.hpp>

// The operators of recorded matrices and arrays, among themselves, with plain ones and with numbers.

namespace revode {

template <class A, class B>
concept array_formula = (recorded_array<A> &&
                         (recorded_array<B> || plain_array<B> || number_like<B>)) ||
                        (recorded_array<B> && (plain_array<A> || number_like<A>)) ||
                        (recorded_number_like<A> && plain_array<B>) ||
                        (plain_array<A> && recorded_number_like<B>);

/// x as a recorded matrix of `home`, in its own storage order.
template <class T, class X>
auto in_own_order(recording<T>& home, const X& x) {
  if constexpr (plain_array<X>) expect_numbers<X, T>();
  if constexpr (recorded_array<X>)
    return matrix_variable<recorded_plain_t<X>>(in_recording(home, x.array_node()), x.rows(),
                                                x.cols());
  else
    return constant_of<plain_over_t<T, X>>(home, x);
}

/// The scalar of a plain matrix over T in a formula with N: that of recorded duals, or its own.
template <class T, class N>
struct scalar_beside {
  using type = T;
};
template <class T, recorded_number_like N>
requires constant_for<T, decltype(N::value)>
struct scalar_beside<T, N> {
  using type = decltype(N::value);
};

/// The Eigen type that leads a formula of a and b.
template <class A, class B>
struct leading_plain {
  using type = plain_over_t<typename scalar_beside<typename A::Scalar, B>::type, A>;
};
template <recorded_array A, class B>
struct leading_plain<A, B> {
  using type = recorded_plain_t<A>;
};
template <class A, recorded_array B>
requires(!recorded_array<A>) struct leading_plain<A, B> {
  using type = recorded_plain_t<B>;
};
template <number_like A, class B>
requires(!recorded_array<B>) struct leading_plain<A, B> {
  using type = typename leading_plain<B, A>::type;
};

/// The recording of a formula: that of its first variable.
template <class A, class B>
auto& recording_for(const A& a, const B& b) {
  using T = typename leading_plain<A, B>::type::Scalar;
  const auto home_of_one = []<class X>(const X& x) -> recording<T>* {
    if constexpr (recorded_array<X>)
      return x.recorded_in();
    else if constexpr (recorded_number_like<X>)
      return x.home == nullptr ? nullptr : &x.home->template over<T>();
    else
      return nullptr;
  };
  recording<T>* const constants = &constants_of_thread<T>();
  for (recording<T>* home : {home_of_one(a), home_of_one(b)})
    if (home != nullptr && home != constants) return *home;
  return *constants;
}

/// x as a recorded matrix of `home`, in the storage order of Like.
template <class Like, class X>
auto recorded_like(recording<typename Like::Scalar>& home, const X& x) {
  if constexpr (plain_array<X>) expect_numbers<X, typename Like::Scalar>();
  if constexpr (recorded_array<X>) {
    using P = recorded_plain_t<X>;
    using target = plain_shape_t<typename P::Scalar, P::RowsAtCompileTime, P::ColsAtCompileTime,
                                 Like::IsRowMajor, is_array_shape_v<P>>;
    if constexpr (std::is_same_v<target, P>) {
      return matrix_variable<P>(in_recording(home, x.array_node()), x.rows(), x.cols());
    } else {
      const matrix_variable<target> y(static_cast<const matrix_variable<P>&>(x));
      return matrix_variable<target>(in_recording(home, y.array_node()), y.rows(), y.cols());
    }
  } else {
    return constant_of<plain_over_t<typename Like::Scalar, X, Like::IsRowMajor>>(home, x);
  }
}

/// f(a, b), element by element; a number stands for a matrix of its value.
template <class F, class A, class B>
auto combine(const F& f, const A& a, const B& b, const char* what) {
  auto& home = recording_for(a, b);
  using like = typename leading_plain<A, B>::type;
  using T = typename like::Scalar;
  if constexpr (number_like<B>) {
    const auto x = recorded_like<like>(home, a);
    return matrix_variable<like>(
        apply_binary(f, home, operand<T, extent::full>{x.array_node()},
                     operand<T, extent::number>{{}, variable<T>(b)}, x.size(), 1),
        x.rows(), x.cols());
  } else if constexpr (number_like<A>) {
    const auto x = recorded_like<like>(home, b);
    return matrix_variable<like>(
        apply_binary(f, home, operand<T, extent::number>{{}, variable<T>(a)},
                     operand<T, extent::full>{x.array_node()}, x.size(), 1),
        x.rows(), x.cols());
  } else {
    expect_same_shape(what, a, b);
    const auto x = recorded_like<like>(home, a);
    const auto y = recorded_like<like>(home, b);
    using result = merged_t<typename decltype(x)::plain_type, typename decltype(y)::plain_type>;
    return matrix_variable<result>(
        apply_binary(f, home, operand<T, extent::full>{x.array_node()},
                     operand<T, extent::full>{y.array_node()}, x.size(), 1),
        x.rows(), x.cols());
  }
}

/// x as a factor of a product.
template <class T, class X>
auto factor_of(recording<T>& home, const X& x) {
  if constexpr (is_block_v<X>) {
    return x.factor(home);
  } else if constexpr (recorded_array<X>) {
    return shaped_array<recorded_plain_t<X>>{in_recording(home, x.array_node()), x.rows(),
                                             x.cols()};
  } else {
    const auto own = in_own_order(home, x);
    return shaped_array<typename std::remove_cvref_t<decltype(own)>::plain_type>{
        own.array_node(), own.rows(), own.cols()};
  }
}

/// a b of matrices
template <class A, class B>
auto multiply(const A& a, const B& b) {
  expect_product(a, b);
  auto& home = recording_for(a, b);
  using PA = typename decltype(factor_of(home, a))::plain_type;
  using PB = typename decltype(factor_of(home, b))::plain_type;
  using result = product_t<PA, PB>;
  return matrix_variable<result>(
      array_product<result>(home, factor_of(home, a), factor_of(home, b)), a.rows(), b.cols());
}

/// a·b of vectors, whichever way they lie
template <class A, class B>
auto dot_of(const A& a, const B& b) {
  if (a.size() != b.size()) expect_same_shape("dot product", a, b);
  auto& home = recording_for(a, b);
  using like = typename leading_plain<A, B>::type;
  return array_dot(recorded_like<like>(home, a).array_node(),
                   recorded_like<like>(home, b).array_node());
}

/// vᵀ w and the like count as numbers beside numbers, as in Eigen.
template <class X>
concept one_by_one =
    recorded_array<X> && !has_array_kind<X> && int(std::remove_cvref_t<X>::SizeAtCompileTime) == 1;

template <class A, class B>
constexpr void check_kinds() {
  static_assert(number_like<A> || number_like<B> || has_array_kind<A> == has_array_kind<B>,
                "a matrix beside an array: write .array() or .matrix() as Eigen asks?");
  static_assert((!number_like<A> && !number_like<B>) ||
                    (number_like<A> ? has_array_kind<B> : has_array_kind<A>),
                "a number added to a matrix, or divided by one: write .array() as Eigen asks?");
}

template <class A, class B>
requires array_formula<A, B>
auto operator+(const A& a, const B& b) {
  if constexpr (one_by_one<A> && number_like<B>) {
    return a.value() + b;
  } else if constexpr (number_like<A> && one_by_one<B>) {
    return a + b.value();
  } else {
    check_kinds<A, B>();
    return combine(plus_of{}, a, b, "sum");
  }
}

template <class A, class B>
requires array_formula<A, B>
auto operator-(const A& a, const B& b) {
  if constexpr (one_by_one<A> && number_like<B>) {
    return a.value() - b;
  } else if constexpr (number_like<A> && one_by_one<B>) {
    return a - b.value();
  } else {
    check_kinds<A, B>();
    return combine(difference_of{}, a, b, "difference");
  }
}

template <class A, class B>
requires array_formula<A, B>
auto operator*(const A& a, const B& b) {
  if constexpr (number_like<A> || number_like<B>) {
    return combine(times_of{}, a, b, "product");
  } else {
    static_assert(has_array_kind<A> == has_array_kind<B>,
                  "a matrix beside an array: write .array() or .matrix() as Eigen asks?");
    if constexpr (has_array_kind<A>)
      return combine(times_of{}, a, b, "elementwise product");
    else
      return multiply(a, b);
  }
}

template <class A, class B>
requires array_formula<A, B>
auto operator/(const A& a, const B& b) {
  if constexpr (!number_like<B>) check_kinds<A, B>();
  return combine(ratio_of{}, a, b, "elementwise quotient");
}

template <recorded_array A>
auto operator-(const A& a) {
  using P = recorded_plain_t<A>;
  return matrix_variable<P>(apply_unary(minus_of{}, a.array_node()), a.rows(), a.cols());
}

// Functions of arrays, as they are written for Eigen's.
auto exp(const recorded_array auto& x) { return x.exp(); }
auto log(const recorded_array auto& x) { return x.log(); }
auto log1p(const recorded_array auto& x) { return x.log1p(); }
auto sqrt(const recorded_array auto& x) { return x.sqrt(); }
auto square(const recorded_array auto& x) { return x.square(); }
auto sin(const recorded_array auto& x) { return x.sin(); }
auto cos(const recorded_array auto& x) { return x.cos(); }
auto tanh(const recorded_array auto& x) { return x.tanh(); }
auto tan(const recorded_array auto& x) { return x.tan(); }
auto asin(const recorded_array auto& x) { return x.asin(); }
auto acos(const recorded_array auto& x) { return x.acos(); }
auto atan(const recorded_array auto& x) { return x.atan(); }
auto sinh(const recorded_array auto& x) { return x.sinh(); }
auto cosh(const recorded_array auto& x) { return x.cosh(); }
auto expm1(const recorded_array auto& x) { return x.expm1(); }
auto rsqrt(const recorded_array auto& x) { return x.rsqrt(); }
auto cube(const recorded_array auto& x) { return x.cube(); }
auto abs(const recorded_array auto& x) { return x.abs(); }
auto logistic(const recorded_array auto& x) { return x.logistic(); }
auto pow(const recorded_array auto& x, const auto& exponent) { return x.pow(exponent); }

}  // namespace revode
