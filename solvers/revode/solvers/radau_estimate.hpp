// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/step_error.hpp>
#include <revode/solvers/radau_adjoint.hpp>

namespace revode {

/// E = (γ/h − J)⁻¹ (Σ eᵢ zᵢ/h + f(t, y)), J that of the last stage and constant.
/// cost    a field evaluation, a VJP, a Jacobian, factors of the real block and a solve with them
template <radau_method M, class System, class Y, class P>
double pull_estimate(const M& m, System& sys, double t, double t_new, const radau_stages_t<M, Y>& s,
                     radau_scratch_t<M, Y>& w, const Y& lambda, radau_stages_t<M, Y>& seeds,
                     P& p_bar, step_ends<scalar_t<Y>>& ends) {
  using T = scalar_t<Y>;
  constexpr int stages = M::stages, last = stages - 1;
  using numbers = radau_numbers<stages>;
  const T h(t_new - t);
  Y &error = w.x[0], &mu = w.right[0];
  radau_stage(s, last, w.rest[0]);
  algebra_of(m).evaluate(sys, t_new, w.rest[0], w.jacobian[last]);
  auto& filter = w.factors.real;
  if (!filter.factor_shifted(w.jacobian[last], T(numbers::gamma) / h))
    report(sys, trouble_of_factors(w.jacobian[last]));
  w.kept = {};  // the factors are those of E now
  count_factorization(sys);
  sys(t, s.y, error);
  for (int i = 0; i < stages; ++i) axpy(T(numbers::e[i]) / h, s.z[i], error);
  solve_roughly<false>(filter, 1e-3, error);
  const double share = error_share<M>(norm_of(error), norm_of(s.y));
  fill(mu, T(0));
  axpy(T(share), lambda, mu);
  solve_roughly<true>(filter, 1e-3, mu);
  T t_bar(0), h_bar(0);
  for (int i = 0; i < stages; ++i) {
    axpy(T(numbers::e[i]) / h, mu, seeds.z[i]);
    h_bar = muladd(-T(numbers::e[i]) / (h * h), dot(mu, s.z[i]), h_bar);
  }
  h_bar = muladd(T(numbers::gamma) / (h * h), dot(mu, error), h_bar);
  sys.vjp(t, s.y, mu, &t_bar, seeds.y, p_bar);
  ends.t += t_bar - h_bar;
  ends.t_new += h_bar;
  return share * static_cast<double>(value_of(dot(lambda, error)));
}

}  // namespace revode
