// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/adjoint/course/moving_loop.hpp>
#include <revode/adjoint/course/pulled_loop.hpp>
#include <revode/adjoint/loss.hpp>
#include <revode/adjoint/running_cost.hpp>
#include <revode/adjoint/tangent/check_tangents.hpp>
#include <revode/solve/course/course.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// A loss, its gradient, and its Hessian times a direction: of y0 and p, and the mixed derivatives in
/// t0, t1, save times, stops, discontinuities and times of events. Without success only the solution
/// is there; gradient and product have a status each, and a product may fail alone.
template <class Y, class P>
struct hessian_product {
  std::optional<double> value{};
  std::optional<revode::gradient<Y, P>> gradient{};
  std::optional<revode::gradient<Y, P>> product{};  ///< ∇² L · direction
  revode::solution<Y> solution;
};

/// x with the tangent x_dot.
template <class X>
auto over_duals(const X& x, const X& x_dot) {
  auto z = rebind_like<dual<scalar_t<X>, 1>>(x);
  for (int i = 0, n = length(x); i < n; ++i) {
    z.data()[i] = x.data()[i];
    z.data()[i].d[0] = x_dot.data()[i];
  }
  return z;
}

/// Gradient and product from what was pulled over duals.
template <class DY, class DP, class Y, class P>
void split_gradient(const gradient<DY, DP>& g, const Y& y0, const P& p, hessian_product<Y, P>& r) {
  r.gradient = {.y0 = y0, .p = p, .reverse = g.reverse};
  r.product = {.y0 = y0, .p = p, .reverse = g.reverse};
  const auto split = [](const auto& from, auto& values, auto& slopes) {
    for (int i = 0, n = length(from); i < n; ++i) {
      values.data()[i] = from.data()[i].value;
      slopes.data()[i] = from.data()[i].d[0];
    }
  };
  split(g.y0, r.gradient->y0, r.product->y0);
  split(g.p, r.gradient->p, r.product->p);
  const auto number = [](const auto& x, double& of_value, double& of_slope) {
    of_value = static_cast<double>(x.value);
    of_slope = static_cast<double>(x.d[0]);
  };
  number(g.t0, r.gradient->t0, r.product->t0);
  number(g.t1, r.gradient->t1, r.product->t1);
  const auto numbers = [&](const auto& from, auto& values, auto& slopes) {
    values.resize(from.size());
    slopes.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) number(from[k], values[k], slopes[k]);
  };
  numbers(g.ts, r.gradient->ts, r.product->ts);
  numbers(g.stops, r.gradient->stops, r.product->stops);
  numbers(g.events, r.gradient->events, r.product->events);
  r.gradient->times.resize(g.times.size());
  r.product->times.resize(g.times.size());
  for (std::size_t e = 0; e < g.times.size(); ++e)
    numbers(g.times[e], r.gradient->times[e], r.product->times[e]);
  settle(g.status, *r.gradient);
  settle(r.gradient->status, *r.product);
}

/// Does a direction move times, or an event? Throws where the steps of the method cannot.
template <class M, class F, class Y, class P>
bool check_moving_steps(const problem<F, Y, P>& q, const M&, const tangents<Y, P>& along,
                        bool events) {
  bool moves = along.t0 != 0 || along.t1 != 0;
  for (const auto* times : {&along.ts, &along.stops})
    for (const double moved : *times) moves = moves || moved != 0;
  for (const auto& times : along.times)
    for (const double moved : times) moves = moves || moved != 0;
  if ((moves || events) && !std::is_same_v<typename method_types<M, Y>::state, Y>)
    throw std::invalid_argument("a Hessian along moving times by method " + std::string(M::name) +
                                " (its state is more than y, and holds slopes that move with "
                                "the steps) choose a method such as tsit5?");
  if (moves && q.t0 == q.t1)
    throw std::invalid_argument("a Hessian along moving times without steps (t0 = t1 = " +
                                std::to_string(q.t0) + ") give t1 apart from t0?");
  return moves || events;
}

/// The Hessian of L(y), L(y, ys), L(y, ys, times) or a loss_of_solution times a direction: of y0 and p, and of t0, t1, save
/// times, stops, discontinuities and times of events, through events with their jumps, whose times move
/// along any direction. The reverse pass of value_and_gradient over duals, on the course of the solve as
/// it moves along the direction, so that in double the gradient is the same to rounding, and the product the exact
/// derivative of that gradient:
///
///   auto r = hessian_vector_product(q, tsit5{}, {}, loss, {.y0 = v, .p = u, .t1 = 1});
///   auto r = hessian_vector_product(q, tsit5{}, {}, events(bounce{}), loss, {.y0 = v, .p = u});
///   r.product->p, r.product->t1, r.product->times       // the rows of p, of t1, …
///
/// A located event's time is the root of its condition on its step's interpolant, also to second
/// order; events of one time lie apart by steps of length 0 along the solution. Field, loss, conditions,
/// jumps and times must be generic in their scalar (or the field bring a vjp, the loss a pull, that is).
/// slots   states over duals kept at once
/// cost    a solve, a replay over duals, the schedule's replays, and one VJP over duals a stage and step:
///         four to six gradients; the steps' ends and records in memory; dense_order + 3 interpolations
///         a cut and save point that move
/// errors  std::invalid_argument: a direction of another size; one that moves times where t0 = t1, or of
///         a method whose state is more than y
template <method M, class F, class Y, class P, class... E, class Loss>
hessian_product<Y, P> hessian_vector_product(const problem<F, Y, P>& q, const M& m,
                                             const options& o, const event_list<E...>& events,
                                             const Loss& loss, const tangents<Y, P>& direction,
                                             index slots = 100) {
  using field = std::remove_cvref_t<F>;
  using D = dual<scalar_t<Y>, 1>;
  using DY = rebind_t<Y, D>;
  using DP = rebind_t<P, dual<scalar_t<P>, 1>>;
  using solve_type = stepper<M, field, Y, P, event_list<E...>>;
  using course_type = course<typename solve_type::record_type>;
  static_assert(
      !is_multistep_v<M>,
      "a Hessian-vector product by a multistep method (its steps are replayed over duals one "
      "by one) take a one-step method, such as tsit5 or rodas5p?");
  static_assert(state_in_one_place<Y>::there);
  validate(q, m, o, events);
  check(q, o, events, direction);
  validate_cuts<M, system<field, Y, P>, Y>(m, o, sizeof...(E) > 0);
  const bool moves = check_moving_steps(q, m, direction, sizeof...(E) > 0);
  hessian_product<Y, P> r{.solution = {.y = q.y0}};
  solve_type solved(q, m, o, {}, events);
  const course_type steps(solved);
  r.solution = solved.result();
  if (!is_complete(r.solution.status)) return r;
  const threads_of<Y> working(o.threads);
  const DY y0 = over_duals(q.y0, direction.y0);
  const DP p = over_duals(q.p, direction.p);
  loss_cotangents<DY, DP> bar;
  const auto weigh = [&](auto& ran) {
    std::vector<DY> ys;
    if (o.save.t0) ys.push_back(ran.start());
    ys.insert(ys.end(), ran.saved().begin(), ran.saved().end());
    const DY end = ran.end();
    if (o.save.t1) ys.push_back(end);
    const auto times = ran.event_times();
    D t0(q.t0), t(r.solution.t);
    t0.d[0] = static_cast<scalar_t<Y>>(direction.t0);
    if (r.solution.status == status::success) t.d[0] = static_cast<scalar_t<Y>>(direction.t1);
    if (r.solution.status == status::terminal_event) t = times.back();
    const loss_arguments<DY, DP> seen{end, t, ys, times, y0, p, t0, r.solution.status};
    r.value = static_cast<double>(value_of(pull_loss(loss, seen, bar)));
    return static_cast<cotangents<DY>>(bar);
  };
  const auto pull = [&]<bool Moves>(std::bool_constant<Moves>) {
    using loop_type = moving_loop<M, field, DY, DP, course_type, event_list<E...>, Moves>;
    pulled_loop<M, DY, DP, loop_type> loop(y0, p, q.f, m, steps, events, direction);
    auto g = run_and_pull(loop, slots, weigh);
    bar.add_to(g);
    split_gradient(g, q.y0, q.p, r);
  };
  if constexpr (sizeof...(E) == 0)
    if (!moves) return pull(std::false_type{}), r;
  pull(std::true_type{});
  return r;
}
template <method M, class F, class Y, class P, class Loss>
hessian_product<Y, P> hessian_vector_product(const problem<F, Y, P>& q, const M& m,
                                             const options& o, const Loss& loss,
                                             const tangents<Y, P>& direction, index slots = 100) {
  return hessian_vector_product(q, m, o, no_events{}, loss, direction, slots);
}

/// The same with a running cost.
template <method M, class F, class Y, class P, class... E, class Terminal, class Running>
hessian_product<Y, P> hessian_vector_product(const problem<F, Y, P>& q, const M& m,
                                             const options& o, const event_list<E...>& events,
                                             const loss_with_running_cost<Terminal, Running>& loss,
                                             const tangents<Y, P>& direction, index slots = 100) {
  auto full = ask_beside_cost(
      q, o, events, loss, [&](const auto& longer, const options& with_cost, const auto&... more) {
        return hessian_vector_product(longer, m, with_cost, more..., lengthen(direction), slots);
      });
  hessian_product<Y, P> r{.value = full.value, .solution = shorten(full.solution, q.y0)};
  if (full.gradient) r.gradient.emplace(shorten(*full.gradient, q.y0));
  if (full.product) r.product.emplace(shorten(*full.product, q.y0));
  return r;
}
template <method M, class F, class Y, class P, class Terminal, class Running>
hessian_product<Y, P> hessian_vector_product(const problem<F, Y, P>& q, const M& m,
                                             const options& o,
                                             const loss_with_running_cost<Terminal, Running>& loss,
                                             const tangents<Y, P>& direction, index slots = 100) {
  return hessian_vector_product(q, m, o, no_events{}, loss, direction, slots);
}

}  // namespace revode
