// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/step_error.hpp>
#include <revode/solvers/hermite_dense.hpp>

namespace revode {

/// What a gradient's error goes by where a step is known by its ends: the defect of a solution of order
/// 2 there. Methods of higher order are as much better as a smooth solution makes them.
template <class M>
struct end_estimate {
  static constexpr int order = M::order, estimate_order = 2;
};

/// E = 4/5 (y_new − y) − 2/5 h (f + f_new), h³y'''/15 and more
/// cost    what dense output costs: two evaluations of the field
template <hermite_method M, class System, class Tape, class Scratch, class State, class Y, class P>
requires has_estimate_v<M>
double pull_estimate(const M& m, System& sys, double t, double t_new, const Tape& tape, Scratch& w,
                     const State& state_bar, end_seeds<Y>& seeds, P&,
                     step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  extend(m, sys, t, t_new, tape, w);
  const Y& lambda = push_value(m, state_bar);
  const T h(t_new - t);
  Y& error = w.ends.f_dot;
  for (int i = 0, n = length(error); i < n; ++i) {
    const T slopes = w.ends.f.data()[i] + w.ends.f_new.data()[i];
    error.data()[i] = T(0.8) * (w.ends.y_new.data()[i] - tape.y.data()[i]) - T(0.4) * h * slopes;
  }
  const T share(error_share<end_estimate<M>>(norm_of(error), norm_of(tape.y)));
  axpy(-T(0.8) * share, lambda, seeds.y);
  axpy(T(0.8) * share, lambda, seeds.y_new);
  axpy(-T(0.4) * h * share, lambda, seeds.f);
  axpy(-T(0.4) * h * share, lambda, seeds.f_new);
  const T h_bar = -T(0.4) * share * (dot(lambda, w.ends.f) + dot(lambda, w.ends.f_new));
  ends.t -= h_bar;
  ends.t_new += h_bar;
  return static_cast<double>(value_of(share * dot(lambda, error)));
}

}  // namespace revode
