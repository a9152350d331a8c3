// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <memory>
#include <type_traits>
#include <utility>

#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/adjoint/with_error.hpp>
#include <revode/interop/eigen/sparse.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/krylov/bicgstab.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/solvers/adams.hpp>
#include <revode/solvers/bosh3.hpp>
#include <revode/solvers/carpenter_kennedy2n54.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/ndf.hpp>
#include <revode/solvers/radau.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/rodas3.hpp>
#include <revode/solvers/stormer_verlet.hpp>
#include <revode/solvers/switching.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/testing/laws.hpp>

#if __has_include(<klu.h>)
#include <revode/interop/klu.hpp>
#endif

#include "covering.hpp"
#include "models.hpp"

namespace revode::combinations {

/// The band of complex pairs holds all four rows.
template <int L, int Scalar>
auto algebra_of_cell() {
  if constexpr (L == band)
    return Scalar == complex_pairs ? banded{3, 3} : banded{2, 2};
  else if constexpr (L == eigen)
    return eigen_sparse{};
#if __has_include(<klu.h>)
  else if constexpr (L == suite_sparse)
    return klu{};
#endif
  else if constexpr (L == krylov_gmres)
    return gmres<>{{}, {.rough = 1e-12}};
  else
    return bicgstab<>{{}, {.rough = 1e-12}};
}
template <int F, int L, int Scalar>
auto method_of() {
  using M = std::tuple_element_t<
      F, std::tuple<bosh3, stormer_verlet, rock4, carpenter_kennedy2n54, adams12, rodas3, kvaerno3,
                    imex<kencarp3>, radau_iia5, radau_iia9, radau, bdf5, ndf5, tsit5_rodas5p>>;
  if constexpr (L == dense)
    return M{};
  else if constexpr (F == switching_pair) {
    using L_of = decltype(algebra_of_cell<L, Scalar>());
    return switching<tsit5, with_algebra<rodas5p, L_of>>{
        .stiff = {{}, algebra_of_cell<L, Scalar>()}};
  } else
    return with_algebra<M, decltype(algebra_of_cell<L, Scalar>())>{{},
                                                                   algebra_of_cell<L, Scalar>()};
}

template <int K, class S>
auto start_of() {
  if constexpr (K == fixed)
    return vec<S, 4>{S(0.6), S(0.2), S(-0.3), S(0.4)};
  else if constexpr (K == eigen_vector)
    return Eigen::VectorX<S>{{S(0.6), S(0.2), S(-0.3), S(0.4)}};
  else if constexpr (K == eigen_matrix)
    return Eigen::MatrixX<S>{{S(0.6), S(-0.3)}, {S(0.2), S(0.4)}};
  else
    return std::vector<S>{S(0.6), S(0.2), S(-0.3), S(0.4)};
}

/// The problem in y, or in (y, q) where an integral is carried along; z₀ has its type.
template <int Situation, int K, int Scalar>
auto problem_of() {
  using S = std::conditional_t<Scalar == single, float, double>;
  const auto y0 = start_of<K, S>();
  const vec<S, 2> p{S(1.5), S(0.4)};
  const auto alone = [&] {
    if constexpr (Scalar == complex_pairs)
      return problem{complex_field<complex_oscillator>{{}}, y0, 0.0, 1.2, p};
    else
      return problem{oscillators{}, y0, 0.0, 1.2, p};
  }();
  if constexpr (Situation == quadrature || Situation == running_cost)
    return with_quadrature(alone, integrand{}, vec<S, 1>{S(0)});
  else
    return alone;
}

template <int Situation>
options options_of(double rtol, double fixed_step) {
  options o{.rtol = rtol, .atol = 0.01 * rtol, .fixed_step = fixed_step};
  if (Situation == save_points) o.save = {.t0 = true, .ts = {0.31, 0.77}, .t1 = true};
  if (Situation == stops) {
    o.stops = {0.4};
    o.discontinuities = {0.9};
  }
  return o;
}
template <int Situation>
auto events_of() {
  if constexpr (Situation == with_events)
    return events(turn{});
  else
    return no_events{};
}
/// solve, with or without events.
template <class Q, class M, class E, class A>
auto run(const Q& q, const M& m, const options& o, const E& e, const A& a) {
  if constexpr (std::is_same_v<E, no_events>)
    return solve(q, m, o, a);
  else
    return solve(q, m, o, e, a);
}

}  // namespace revode::combinations
