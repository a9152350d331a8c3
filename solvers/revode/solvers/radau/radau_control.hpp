// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solvers/implicit/newton.hpp>
#include <revode/solvers/radau/radau_types.hpp>

namespace revode {

/// Most iterations of an adaptive step.
template <int S>
inline constexpr int radau_iterations = 7 + 5 * (S - 3) / 2;

/// The next step's length by the rule of order 2 S − 1.
template <int S, class Controller, class Memory, class Memo>
double propose_radau(const Controller& c, Memory& memory, const outcome<newton_record<1>>& found,
                     Memo& from, Memo& next) {
  constexpr int most = 2 * radau_iterations<S>;
  const double work = std::fmin(1.0, (1.0 + most) / (most + found.record.iterations[0]));
  constexpr growth_limits limits{8, S == 3 ? 8 : 1.1};  // RADAU5 has no other
  return propose_by_newton(c, memory, found, from, next, S + 1, work, limits);
}
template <radau_method M, class Controller, class Memory, class Y>
double propose(const M&, const Controller& c, Memory& memory,
               const outcome<newton_record<1>>& found, carry<M, Y>& from, carry<M, Y>& next) {
  return propose_radau<M::stages>(c, memory, found, from.memo, next.memo);
}

}  // namespace revode
