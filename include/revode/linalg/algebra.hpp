// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <revode/linalg/dense/complex_lu.hpp>
#include <revode/linalg/dense/dense_lu.hpp>

namespace revode {

/// How implicit methods keep Jacobians and solve with them. An algebra L has
///   L::jacobian<Y>          data() and size() of its stored elements, rows(); add_product and
///                           add_transposed_product take it
///   L::factors<Y>           factor_shifted(J, s): s I − J; solve(x), solve_transposed(x)
///   L::complex_factors<Y>   factor_shifted(J, α, β): (α + iβ) I − J, factor_negative(J, K): −(J + iK), which is asked
///                           for mass matrices alone; solve and solve_adjoint(x, y)
///   l.evaluate(sys, t, y, J)   J = ∂f/∂y
/// each default constructible, copyable, and sized when first used. Factors may tell by price() how many solves they
/// cost, a number of the pattern alone; methods then use them for longer; and real ones by sign_has_turned()
/// what growth.hpp asks. This one is dense: lu.hpp for states of fixed size, dense_lu.hpp for the others.
struct dense_algebra {
  template <class Y>
  using jacobian = jacobian_t<Y>;
  template <class Y>
  using factors = lu_t<Y>;
  template <class Y>
  using complex_factors = complex_lu_t<Y>;

  template <class System, class Y, class Matrix>
  void evaluate(System& sys, double t, const Y& y, Matrix& j) const {
    if constexpr (requires { j.resize(1); }) {
      j.resize(length(y));
      sys.jacobian(t, y, j);
      require_size(j, length(y));
    } else {
      sys.jacobian(t, y, j);
    }
  }
};

/// The algebra of the transposes: bands and patterns the other way round.
template <class L>
L for_transposes(L algebra) {
  if constexpr (requires { algebra.lower, algebra.upper; }) std::swap(algebra.lower, algebra.upper);
  if constexpr (requires { algebra.pattern->transposed(); })
    if (algebra.pattern != nullptr) algebra.pattern = algebra.pattern->transposed();
  if constexpr (requires { algebra.preconditioner; })
    algebra.preconditioner = for_transposes(algebra.preconditioner);
  return algebra;
}

/// What an algebra says of its matrices for states of n elements.
template <class L>
matrix_shape shape_of(const L& algebra, index n) {
  matrix_shape shape{n};
  if constexpr (requires { algebra.preconditioner; }) shape = shape_of(algebra.preconditioner, n);
  if constexpr (requires { algebra.lower, algebra.upper; }) {
    shape.lower = algebra.lower;
    shape.upper = algebra.upper;
  }
  if constexpr (requires { algebra.pattern->transposed(); }) shape.pattern = algebra.pattern.get();
  if constexpr (requires { algebra.layout.size; }) shape.block = algebra.layout.size;
  if constexpr (requires { algebra.limits.restart; }) shape.restart = algebra.limits.restart;
  return shape;
}

/// A method with another algebra: with_algebra<kencarp4, eigen_sparse>{{}, {pattern}}.
template <class M, class L>
struct with_algebra : M {
  L algebra{};
};

/// act(algebra) where a method, or the implicit one of a pair that switches, has one of its own.
template <class M, class Act>
void with_own_algebra(M& m, Act&& act) {
  if constexpr (requires { m.algebra; })
    act(m.algebra);
  else if constexpr (requires { m.stiff; })
    with_own_algebra(m.stiff, act);
}

/// The algebra of a method, or of the implicit one of a pair that switches: its member `algebra`, or the dense one.
template <class M>
auto algebra_of(const M& m) {
  if constexpr (requires { m.algebra; })
    return m.algebra;
  else if constexpr (requires { m.stiff; })
    return algebra_of(m.stiff);
  else
    return dense_algebra{};
}
template <class M>
using algebra_t = decltype(algebra_of(std::declval<const M&>()));

/// How many solves new factors cost; 0 where they do not tell.
template <class Factors>
double price_of(const Factors& factors) {
  if constexpr (requires { factors.price(); })
    return factors.price();
  else
    return 0;
}

/// Factors that serve for other steps, too, where fewer of them are worth more iterations, each a solve and a call of
/// the field: from 16 solves on.
template <class Factors>
bool are_dear(const Factors& factors) {
  return price_of(factors) >= 16;
}

// What algebras ask of a system.

/// The field of this system brings a Jacobian that can be written to a Matrix.
template <class System, class Matrix>
inline constexpr bool brings_jacobian = false;
template <template <class, class, class> class System, class F, class Y, class P, class Matrix>
inline constexpr bool brings_jacobian<System<F, Y, P>, Matrix> =
    requires(const F& f, const scalar_t<Y>& t, const Y& y, const P& p, Matrix& j) {
  f.jacobian(t, y, p, j);
};

/// out = (∂f/∂y) direction, p held where the system can.
template <class System, class Y>
void multiply_by_jacobian(System& sys, double t, const Y& y, const Y& direction, Y& out) {
  using T = scalar_t<Y>;
  constexpr vec<T, 0> still{};
  if constexpr (requires { sys.jvp(t, y, T(0), direction, still, out); })
    sys.jvp(t, y, T(0), direction, still, out);
  else
    sys.jvp(t, y, T(0), direction, zero_like(sys.p), out);
}

}  // namespace revode
