// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include <revode/solvers/implicit/esdirk_tableau.hpp>

namespace revode {

/// A pair of methods for a split field, f = f_E + f_I: an ESDIRK method M with member
/// `explicit_rows`, rows of an explicit method with the same nodes and weights,
///   Y_i = y + h Σ_{j<i} a^E_ij f_E(t_j, Y_j) + h Σ_{j≤i} a^I_ij f_I(t_j, Y_j),
///   y₁ = y + h Σ b_j (f_E + f_I)(t_j, Y_j).
/// dense output  cubic Hermite polynomial, of order 3
template <class M>
struct imex {
  using implicit_method = M;
  static constexpr const auto& tableau = M::tableau;
  static constexpr const auto& explicit_rows = M::explicit_rows;
  static constexpr bool filtered = M::filtered;
  static constexpr const char* name = M::imex_name;
  static constexpr const char* source = M::source;
  static constexpr int order = M::order, embedded_order = M::embedded_order, dense_order = 3;

  double newton = 0;  ///< what iterations may leave, in units of the tolerance; 0: chosen
};

/// An ESDIRK method for one part of a field, with an explicit one for the other.
template <class M>
concept imex_method = esdirk_method<M> && requires {
  typename M::implicit_method;
  M::explicit_rows;
};

/// The numbers of a pair, as values in constant expressions.
template <imex_method M>
struct imex_numbers : esdirk_numbers<M> {
  using base = esdirk_numbers<M>;
  static constexpr int stages = base::stages;
  static constexpr typename base::rows explicit_predictor = base::predictor_of(M::explicit_rows);

  struct row {
    double w[stages];
  };
  /// b − the last explicit row: from the last stage to the new state.
  static constexpr row from_last = [] {
    row r{};
    for (int j = 0; j < stages; ++j)
      r.w[j] = M::tableau.a[stages - 1][j] - M::explicit_rows[stages - 1][j];
    return r;
  }();
};

}  // namespace revode
