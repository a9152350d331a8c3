// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bdf12_types.hpp"

namespace revode::contract {

/// The step with all decisions made, and `most` iterations (stopped earlier: by a standstill).
template <class System, class Y>
int take(System& sys, double t, double t_new, bdf12::decisions& r, int most, carry<bdf12, Y>& c,
         bdf12::stage<Y>& tape, Y& e) {
  using T = scalar_t<Y>;
  const double h = t_new - t, hl = h * l(r.order, 0);
  if (r.new_jacobian) {
    sys.jacobian(c.memo.t_j = t, c.memo.y_j = c.state.z[0], c.cache.j);
  }
  if (r.new_factors) factor<Y>(c.cache.j, c.memo.factored = hl, c.cache.w);
  tape.r = h / c.memo.h;
  predict(r.order, tape.r, c.state);
  e = Y{};
  Y y = c.state.z[0], f{};
  int i = 0;
  for (double change = 1; i < most && change > 0;) {
    sys(t_new, y, f);
    for (int k = 0; k < Y::size(); ++k) f[k] = T(h) * f[k] - c.state.z[1][k] - e[k];
    c.cache.w.solve(f);
    add(f, e);
    change = 0;
    for (int k = 0; k < Y::size(); ++k) {
      const T before = y[k];
      y[k] = c.state.z[0][k] + T(l(r.order, 0)) * e[k];
      const double moved = std::abs(value_of(y[k] - before));
      if (moved > 4e-16 * (1 + std::abs(value_of(y[k])))) change = moved;
    }
    ++i;
  }
  for (int j = 0; j < 3; ++j) axpy(T(l(r.order, j)), e, c.state.z[j]);
  c.memo.h = h;
  c.memo.order = 2;
  ++c.memo.steps;
  tape.after = c.state;
  return i;
}

template <class System, class Y>
outcome<bdf12::decisions> attempt(const bdf12&, System& sys, const tolerance& tol, double t,
                                  double t_new, const carry<bdf12, Y>& from, bdf12::stage<Y>& tape,
                                  carry<bdf12, Y>& next) {
  const double hl = (t_new - t) * l(static_cast<int>(from.memo.order), 0);
  const bool stale = std::abs(hl / from.memo.factored - 1) > 0.3 || from.memo.factored == 0;
  bdf12::decisions r{static_cast<std::int8_t>(from.memo.order), 0, from.memo.steps % 20 == 19,
                     stale || from.memo.steps % 20 == 19};
  constexpr int most = 40;
  Y e{};
  for (;;) {
    next = from;
    r.iterations = static_cast<std::int8_t>(take(sys, t, t_new, r, most, next, tape, e));
    if (r.iterations < most) break;
    if (r.new_jacobian) return {HUGE_VAL, status::newton_failure, r};
    r.new_jacobian = r.new_factors = true;
  }
  for (auto& x : e) x *= r.order == 1 ? 0.5 : 4.0 / 15;
  return {tol.estimate ? scaled_mean_square(e, next.state.z[0], tol) : 0, status::success, r};
}

/// The estimate of an order falls with that order.
template <class Controller, class Memory, class Carry>
double propose(const bdf12&, const Controller& controller, Memory& memory,
               const outcome<bdf12::decisions>& found, Carry&, Carry&) {
  return propose_factor(controller, memory, found.error_squared, found.record.order + 1);
}

/// The recorded iterations; over duals, more of them, until the tangent stands still too.
template <class System, class Y>
void replay(const bdf12&, System& sys, double t, double t_new, bdf12::decisions r,
            carry<bdf12, Y>& c, bdf12::stage<Y>& tape) {
  Y e{};
  take(sys, t, t_new, r, r.iterations, c, tape, e);
  if constexpr (is_differentiable_v<scalar_t<Y>>) {
    for (int i = 0; i < 40; ++i) {
      Y f{}, change = c.state.z[1];
      sys(t_new, c.state.z[0], f);
      for (int k = 0; k < Y::size(); ++k) change[k] = scalar_t<Y>(t_new - t) * f[k] - change[k];
      c.cache.w.solve(change);
      for (int j = 0; j < 3; ++j) axpy(scalar_t<Y>(l(r.order, j)), change, c.state.z[j]);
    }
    tape.after = c.state;
  }
}

}  // namespace revode::contract
