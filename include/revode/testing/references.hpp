// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/dual.hpp>
#include <revode/testing/laws.hpp>

namespace revode {

// Gradients by other means, on the grid held still, and what they have to do with an adjoint's.

/// Σ w·(replayed solution): the loss that both references differentiate.
template <class Cotangents, class States>
auto weighted_sum(const Cotangents& w, const States& ys) {
  auto sum = dot(*w.y, ys.back());
  for (std::size_t k = 0; k < w.ys.size(); ++k) sum = sum + dot(w.ys[k], ys[k]);
  return sum;
}

/// ‖a − b‖ / ‖b‖; 0 for two empty or vanishing vectors.
template <class A, class B>
double relative_difference(const A& a, const B& b) {
  double difference = 0, norm = 0;
  for (int i = 0, n = length(a); i < n; ++i) {
    const auto x = static_cast<double>(a.data()[i]), y = static_cast<double>(b.data()[i]);
    difference += (x - y) * (x - y);
    norm += y * y;
  }
  return difference == 0 ? 0.0 : std::sqrt(difference) / std::sqrt(norm);
}

/// The adjoint's gradient of a random loss of y and the save points (options.save.ts; not t0, t1)
/// is the one of dual numbers carried through the replay of the same grid:
///   ‖difference‖ ≤ bound ‖gradient‖ for y0 and for p
/// cost    one replay of the solve, over dual<T, 1>, for every element of y0 and p
template <method M, class F, class Y, class P, class Adjoint>
law_result frozen_grid_law(const problem<F, Y, P>& q, const M& m, const options& o,
                           const Adjoint& adjoint, double bound = 1e-12) {
  using T = scalar_t<Y>;
  using D = dual<T, 1>;
  auto s = solve(q, m, o, adjoint);
  random_numbers random(2);
  const cotangents<Y> w = random_cotangents<Y>(s, random);
  const auto g = s.pullback(w);
  const auto grid = grid_of(q, m, o);
  auto y0 = rebind_like<D>(q.y0);
  auto p = rebind_like<D>(q.p);
  copy(q.y0, y0);
  copy(q.p, p);
  const auto derivative = [&](D& input) {
    input.d[0] = T(1);
    system<std::remove_cvref_t<F>, decltype(y0), decltype(p)> sys(q.f, p);
    const T along = weighted_sum(w, replay_grid(m, sys, grid, y0, o.save.ts)).d[0];
    input.d[0] = T(0);
    return along;
  };
  Y of_y0 = q.y0;
  P of_p = q.p;
  for (int i = 0, n = length(y0); i < n; ++i) of_y0.data()[i] = derivative(y0.data()[i]);
  for (int i = 0, n = length(p); i < n; ++i) of_p.data()[i] = derivative(p.data()[i]);
  const double y0_worst = relative_difference(g.y0, of_y0);
  const double p_worst = relative_difference(g.p, of_p);
  law_result r;
  r.worst = larger(y0_worst, p_worst);
  r.holds = y0_worst <= bound && p_worst <= bound;
  r.what = y0_worst >= p_worst ? "gradient of y0" : "gradient of p";
  return r;
}

/// The same against central differences of the replay, and for t0, t1 (whose grid moves as the
/// gradient's does) and ts as well. Weaker: differences lose a third of the digits or more. Save
/// points should lie inside steps, where the interpolant is smooth.
template <method M, class F, class Y, class P, class Adjoint>
law_result finite_difference_check(const problem<F, Y, P>& q, const M& m, const options& o,
                                   const Adjoint& adjoint, double bound = 1e-6) {
  auto s = solve(q, m, o, adjoint);
  random_numbers random(3);
  const cotangents<Y> w = random_cotangents<Y>(s, random);
  const auto g = s.pullback(w);
  const auto grid = grid_of(q, m, o);
  Y y0 = q.y0;
  P p = q.p;
  auto ts = o.save.ts;
  double t0_by = 0, t1_by = 0;
  std::vector<double> given, expected;
  const auto compare = [&](double pulled, auto& input) {
    const auto kept = input;
    const double step = 1e-6 * std::fmax(1, std::abs(static_cast<double>(kept)));
    double loss[2];
    for (int side = 0; side < 2; ++side) {
      input = static_cast<std::remove_cvref_t<decltype(input)>>(kept + (side == 0 ? step : -step));
      system<std::remove_cvref_t<F>, Y, P> sys(q.f, p);
      loss[side] = static_cast<double>(
          weighted_sum(w, replay_grid(m, sys, grid.moved(t0_by, t1_by), y0, ts)));
    }
    input = kept;
    given.push_back(pulled);
    expected.push_back((loss[0] - loss[1]) / (2 * step));
  };
  for (int i = 0, n = length(y0); i < n; ++i) compare(g.y0.data()[i], y0.data()[i]);
  for (int i = 0, n = length(p); i < n; ++i) compare(g.p.data()[i], p.data()[i]);
  for (std::size_t k = 0; k < ts.size(); ++k) compare(g.ts[k], ts[k]);
  if (!is_multistep_v<M>) {
    compare(g.t0, t0_by);
    compare(g.t1, t1_by);
  }
  law_result r;
  r.worst = relative_difference(given, expected);
  r.holds = r.worst <= bound;
  r.what = "gradient of y0, p, ts, t0, t1";
  return r;
}

}  // namespace revode
