// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <revode/ad/faces.hpp>
#include <revode/concepts.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/last_argument.hpp>

namespace revode {

/// A field that says f(t, y, dy) as one of f(t, y, p, dy), whose parameters nobody reads.
template <class F>
struct field_without_parameters {
  static constexpr bool takes_arrays = takes_arrays_v<std::remove_cvref_t<F>>;
  F f;

  field_without_parameters(F&& given) : f(std::forward<F>(given)) {}
  template <class Entries>
  void mass(Entries& m) const requires requires(const std::remove_cvref_t<F>& g) {
    g.mass(m);
  }
  { f.mass(m); }
  auto index() const requires requires(const std::remove_cvref_t<F>& g) { g.index(); }
  { return f.index(); }
  template <class T, class Y, class P>
  REVODE_HD auto operator()(const T& t, const Y& y, const P&, Y& dy) const
      -> decltype(std::as_const(f)(t, y, dy)) {
    return std::as_const(f)(t, y, dy);
  }
};

/// Does the field name parts or halves, each with derivatives of its own?
template <class F, class Y, class P>
inline constexpr bool has_parts_v =
    has_face<implicit_face, F, Y, P, scalar_t<Y>> || has_face<half_face<0>, F, Y, P, scalar_t<Y>>;
/// Has the field a face that some method can call?
template <class F, class Y, class P>
inline constexpr bool is_field_v = [] {
  using G = std::remove_cvref_t<F>;
  if constexpr (dense<Y> && dense<P>) {
    return has_face<whole_face, G, Y, P, scalar_t<Y>> || has_parts_v<G, Y, P>;
  } else {
    return true;  // of what is no array another thing is wrong
  }
}();
template <class F, class Y>
concept field_of_time_and_state =
    dense<Y> && !is_field_v<F, Y, vec<double, 0>> &&
    requires(const std::remove_cvref_t<F>& f, const scalar_t<Y>& t, const Y& y, Y& dy) {
  f(t, y, dy);
};

/// Is dy a copy, in which a field's slopes are lost?
template <class F, class Y, class P>
inline constexpr bool writes_to_copy_v = [] {
  if constexpr (dense<Y> && dense<P>) return copies_last_argument<F, scalar_t<Y>, Y, P, Y>;
  return false;
}();
template <class F, class Y, class P>
inline constexpr bool writes_to_copy_v<field_without_parameters<F>, Y, P> =
    copies_last_argument<std::remove_cvref_t<F>, scalar_t<Y>, Y, Y>;

/// Are elements of x numbers that a solve can move by less than 1?
template <class X>
inline constexpr bool has_real_elements_v = [] {
  if constexpr (dense<X>) return static_size_v<X> == 0 || !std::is_integral_v<scalar_t<X>>;
  return true;
}();

template <class Y>
struct no_parameters {
  using type = vec<double, 0>;
};
template <dense Y>
struct no_parameters<Y> {
  using type = vec<scalar_t<Y>, 0>;
};

/// What a problem holds of an array that it is given: the array, or where that refers to numbers of somebody else,
/// an Eigen::Map, block or expression, a copy, so that states and gradients are arrays of their own.
template <class Y>
struct own_array {
  using type = Y;
};
template <class Y>
requires requires { typename Y::PlainObject; }
struct own_array<Y> {
  using type = typename Y::PlainObject;
};
template <template <class, int, int, int, int, int> class EigenMatrix, class T, int R, int C, int O,
          int MaxR, int MaxC>
struct own_array<EigenMatrix<T, R, C, O, MaxR, MaxC>> {  // whatever its alignment
  using type = EigenMatrix<T, R, C, O, MaxR, MaxC>;
};
template <class Y>
using own_array_t = typename own_array<Y>::type;

/// The initial value problem y' = f(t, y, p), y(t0) = y0, from t0 to t1 (either direction).
///
///   problem decay{[](auto, const auto& y, const auto& p, auto& dy) { dy[0] = -p[0] * y[0]; },
///                 vec{1.0}, 0.0, 2.0, vec{0.5}};
///
/// A field given as a named object is held by reference and never copied; a temporary is moved in. One
/// without parameters may leave p out, f(t, y, dy).
/// y0 and p are anything dense: vec, Eigen vectors and matrices (maps and expressions are copied), std::vector, and
/// struct templates of named numbers:
///
///   template <class T>
///   struct rates {
///     T growth, decay;                              // p.growth in the field
///     T* data() { return &growth; }
///     const T* data() const { return &growth; }
///     static constexpr int size() { return 2; }
///   };
///
/// errors  what is no state, no parameters or no field does not compile, and the first words say why
template <class F, class Y, class P = typename no_parameters<Y>::type>
struct problem {
  static_assert(dense<Y>,
                "a state that is no array (y0 needs data() and size()) write vec{1.0} or "
                "vec{1.0, 0.0}, or take an Eigen vector or a std::vector?");
  static_assert(
      dense<P>,
      "parameters that are no array (they are read, copied and differentiated as one, so p "
      "needs data() and size()) write vec{10.0, 28.0}, or make the struct of named numbers "
      "a template over their type with both, as problem.hpp shows?");
  static_assert(has_real_elements_v<Y>,
                "a state of integers (its elements move by less than 1) write vec{1.0, 0.0}?");
  static_assert(has_real_elements_v<P>,
                "parameters that are integers (derivatives belong to real numbers) write "
                "vec{10.0, 28.0}?");
  static_assert(
      is_field_v<F, Y, P>,
      "a field that cannot be called as f(t, y, p, dy), or f(t, y, dy) without parameters "
      "(t and the elements of all of them have one type; f, y and p are const) make its "
      "operator() const with such arguments, or wrap it: from_returning(f) where it "
      "returns dy?");
  static_assert(!writes_to_copy_v<std::remove_cvref_t<F>, Y, P>,
                "a field whose dy is a copy, or const (what it writes there is lost) take a "
                "reference, auto& dy?");
  using field_type = std::remove_cvref_t<F>;
  using state_type = Y;
  using parameter_type = P;

  F f;
  Y y0;
  double t0 = 0;
  double t1 = 1;
  P p{};
};

template <class F, class Y, class A, class B>
problem(F&&, Y, A, B) -> problem<F, own_array_t<Y>>;
template <class F, class Y, class A, class B>
requires field_of_time_and_state<F, own_array_t<Y>> problem(F&&, Y, A, B)
->problem<field_without_parameters<F>, own_array_t<Y>>;
template <class F, class Y, class A, class B, class P>
problem(F&&, Y, A, B, P) -> problem<F, own_array_t<Y>, own_array_t<P>>;

}  // namespace revode
