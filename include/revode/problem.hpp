// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/concepts.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

/// The initial value problem y' = f(t, y, p), y(t0) = y0, from t0 to t1 (either direction).
///
///   problem decay{[](auto, const auto& y, const auto& p, auto& dy) { dy[0] = -p[0] * y[0]; },
///                 vec{1.0}, 0.0, 2.0, vec{0.5}};
///
/// A field given as a named object is held by reference and never copied; a temporary is moved in.
/// y0 and p are anything dense: vec, Eigen vectors and matrices, std::vector.
template <class F, class Y, class P = vec<scalar_t<Y>, 0>>
struct problem {
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
problem(F&&, Y, A, B) -> problem<F, Y>;
template <class F, class Y, class A, class B, class P>
problem(F&&, Y, A, B, P) -> problem<F, Y, P>;

}  // namespace revode
