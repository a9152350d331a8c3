// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/step_error.hpp>
#include <revode/solvers/rosenbrock_step.hpp>

namespace revode {

/// What the error of a gradient is estimated from: the method's own estimate where all its stages are
/// on the tape, otherwise the distance to the first stage's solution, of order 1. That is larger: the
/// error is taken to be as much smaller as a smooth solution makes it.
template <class M>
struct kept_estimate {
  using numbers = rosenbrock_numbers<M>;
  static constexpr bool whole = numbers::kept == numbers::stages;
  static constexpr int estimate_order = whole ? revode::estimate_order<M>() : 1;
  static constexpr int order = whole ? M::order : 2 * estimate_order + 1;
  static consteval double at(int j) {
    return whole ? numbers::e(j) : numbers::m(j) - (j == 0 ? 1 / numbers::gamma() : 0);
  }
};

/// seeds.u_j += factor Row(j) λ
template <class Row, int J, class M, class Y>
REVODE_HD void seed_increments(scalar_t<Y> factor, const Y& lambda, rosenbrock_seeds<M, Y>& seeds) {
  if constexpr (J < rosenbrock_numbers<M>::kept) {
    if constexpr (Row::at(J) != 0) axpy(factor * scalar_t<Y>(Row::at(J)), lambda, seeds.u[J]);
    seed_increments<Row, J + 1>(factor, lambda, seeds);
  }
}

/// E = Σ eⱼ Uⱼ
template <rosenbrock_method M, class System, class Y, class P>
REVODE_HD double pull_estimate(const M&, System&, double, double, const rosenbrock_tape<M, Y>& tape,
                               rosenbrock_scratch<M, Y>& w, const Y& lambda,
                               rosenbrock_seeds<M, Y>& seeds, P&, step_ends<scalar_t<Y>>&) {
  using T = scalar_t<Y>;
  using row = kept_estimate<M>;
  constexpr int last = rosenbrock_numbers<M>::kept;
  const T* u[last];
  for (int j = 0; j < last; ++j) u[j] = tape.u[j].data();
  T weight[last];
  scale_row<row, 0, last>(T(1), weight);
  for_each_element(
      w.sum, [&](int i) { w.sum.data()[i] = add_weighted<row, 0, last>(T(0), weight, u, i); });
  const double share = error_share<row>(norm_of(w.sum), norm_of(tape.y));
  seed_increments<row, 0>(T(share), lambda, seeds);
  return share * static_cast<double>(value_of(dot(lambda, w.sum)));
}

}  // namespace revode
