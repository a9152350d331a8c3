// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/moving_hessian_loop.hpp>

namespace revode {

/// Throws where steps that move have no second derivative.
template <class M, class F, class Y, class P>
void check_moving_steps(const problem<F, Y, P>& q, const M&, const options& o, bool events) {
  refuse_every("a Hessian along moving times", o);
  validate_cuts<M, system<std::remove_cvref_t<F>, Y, P>, Y>(M{}, o, events);
  if (!std::is_same_v<typename method_types<M, Y>::state, Y>)
    throw std::invalid_argument("a Hessian along moving times by method " + std::string(M::name) +
                                " (its state is more than y, and holds slopes that move with "
                                "the steps) choose a method such as tsit5?");
  if (q.t0 == q.t1)
    throw std::invalid_argument("a Hessian along moving times without steps (t0 = t1 = " +
                                std::to_string(q.t0) + ") give t1 apart from t0?");
}

/// As hessian_vector_product, for a direction that may also move t0, t1, save times, stops,
/// discontinuities and times of events, and through timed and located events with their jumps, whose
/// times move along any direction:
///
///   auto r = hessian_along_times(q, tsit5{}, {}, loss, {.y0 = v, .p = u, .t1 = 1});
///   auto r = hessian_along_times(q, tsit5{}, {}, events(bounce{}), loss, {.y0 = v, .p = u});
///   r.product->p, r.product->t1, r.product->times
///
/// The exact derivative of recursive_checkpoint's gradient on the grid that moves with these times.
/// A located event's time is the root of its condition on its step's interpolant, also to second
/// order; events of one time lie apart by steps of length 0 along the solution. The loss is
/// L(y), L(y, ys) or L(y, ys, times). Conditions, jumps and times are differentiated through their
/// formulas; so is the field, unless its vjp takes duals.
/// cost    that of hessian_vector_product, one field evaluation a step, and the steps' ends and
///         records in memory; dense_order + 3 interpolations a cut and save point
/// errors  std::invalid_argument: a direction of another size; save.every; t0 = t1; a method whose
///         state is more than y
template <method M, class F, class Y, class P, class... E, class Loss>
hessian_product<Y, P> hessian_along_times(const problem<F, Y, P>& q, const M& m, const options& o,
                                          const event_list<E...>& events, const Loss& loss,
                                          const tangents<Y, P>& direction, index slots = 100) {
  using field = std::remove_cvref_t<F>;
  using DY = rebind_t<Y, dual<scalar_t<Y>, 1>>;
  using DP = rebind_t<P, dual<scalar_t<P>, 1>>;
  using solve_type = stepper<M, field, Y, P, event_list<E...>>;
  static_assert(!is_multistep_v<M>, "Hessian-vector products are those of one-step methods");
  validate(q, m, o, events);
  check(q, o, events, direction);
  check_moving_steps(q, m, o, sizeof...(E) > 0);
  hessian_product<Y, P> r{.solution = {.y = q.y0}};
  if constexpr (std::is_same_v<typename solve_type::state_type, Y>) {
    solve_type solved(q, m, o, {}, events);
    const auto steps = accepted_steps(solved);
    r.solution = solved.result();
    if (!is_complete(r.solution.status)) return r;
    moving_hessian_loop<M, field, DY, DP, solve_type, event_list<E...>> loop(
        o.save, over_duals(q.y0, direction.y0), over_duals(q.p, direction.p), q.f, m, solved,
        events, steps, direction);
    reverse_statistics counts;
    const auto weigh = [&](auto& ran) {
      std::vector<DY> ys;
      if (o.save.t0) ys.push_back(over_duals(q.y0, direction.y0));
      ys.insert(ys.end(), ran.saved().begin(), ran.saved().end());
      const DY end = ran.end();
      if (o.save.t1) ys.push_back(end);
      moving_cotangents<DY> bar{zero_like(end)};
      r.value = static_cast<double>(value_of(pull_loss(loss, end, ys, ran.event_times(), bar)));
      return bar;
    };
    const auto& g = run_and_pull(loop, static_cast<index>(steps.size()), slots, counts, weigh);
    split_gradient(g, q.y0, q.p, counts, r);
  }
  return r;
}
template <method M, class F, class Y, class P, class Loss>
hessian_product<Y, P> hessian_along_times(const problem<F, Y, P>& q, const M& m, const options& o,
                                          const Loss& loss, const tangents<Y, P>& direction,
                                          index slots = 100) {
  return hessian_along_times(q, m, o, no_events{}, loss, direction, slots);
}

}  // namespace revode
