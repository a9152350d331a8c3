// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/ad/dual.hpp>
#include <revode/adjoint/checked_gradient.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/hessian_loop.hpp>
#include <revode/adjoint/loss.hpp>

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

/// L's value and cotangents over duals; `times` are those of events.
template <class Loss, class Y, class Bar>
scalar_t<Y> pull_loss(const Loss& loss, const Y& y, const std::vector<Y>& ys,
                      const std::vector<scalar_t<Y>>& times, Bar& bar) {
  using S = scalar_t<Y>;
  using V = variable<S>;
  using points_type = std::vector<rebind_t<Y, V>>;
  Y end_bar = zero_like(y);
  if constexpr (requires { loss.pull(y, end_bar); }) {
    loss.pull(y, end_bar);
    bar.y = end_bar;
    return loss(y);
  } else {
    constexpr bool of_times = std::is_invocable_v<const Loss&, const rebind_t<Y, V>&,
                                                  const points_type&, const std::vector<V>&>;
    recording<S> tape;
    const auto input = [&](const Y& x) {
      auto v = rebind_like<V>(x);
      for (int i = 0, n = length(x); i < n; ++i) v.data()[i] = tape.input(x.data()[i]);
      return v;
    };
    const auto end = input(y);
    points_type points;
    V value;
    if constexpr (of_times ||
                  std::is_invocable_v<const Loss&, const rebind_t<Y, V>&, const points_type&>) {
      for (const Y& x : ys) {
        points.push_back(input(x));
        bar.ys.push_back(zero_like(x));
      }
    }
    if constexpr (of_times) {
      std::vector<V> at;
      for (const S& t : times) at.push_back(tape.input(t));
      value = loss(end, points, at);
    } else if constexpr (std::is_invocable_v<const Loss&, const rebind_t<Y, V>&,
                                             const points_type&>) {
      value = loss(end, points);
    } else {
      value = loss(end);
    }
    const S one(1);
    tape.pull(&value, &one, 1);
    int id = 0;
    for (int i = 0, n = length(y); i < n; ++i) end_bar.data()[i] = tape.adjoint(id++);
    bar.y = end_bar;
    for (Y& x : bar.ys)
      for (int i = 0, n = length(x); i < n; ++i) x.data()[i] = tape.adjoint(id++);
    if constexpr (of_times)
      for (std::size_t k = 0; k < times.size(); ++k) bar.events.push_back(tape.adjoint(id++));
    return value.value;
  }
}

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
template <class Pulled, class Y, class P>
void split_gradient(const Pulled& g, const Y& y0, const P& p, const reverse_statistics& counts,
                    hessian_product<Y, P>& r) {
  r.gradient = {.y0 = y0, .p = p, .reverse = counts};
  r.product = {.y0 = y0, .p = p, .reverse = counts};
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
  if constexpr (requires { g.times; }) {
    numbers(g.events, r.gradient->events, r.product->events);
    r.gradient->times.resize(g.times.size());
    r.product->times.resize(g.times.size());
    for (std::size_t e = 0; e < g.times.size(); ++e)
      numbers(g.times[e], r.gradient->times[e], r.product->times[e]);
  }
  settle(g.ended, *r.gradient);
  settle(r.gradient->status, *r.product);
}

/// The Hessian of L(y(t1)) or L(y(t1), ys) times a direction of y0 and p: the reverse pass of
/// value_and_gradient over duals, on the steps of the solve, so that the gradient has its bits and
/// the product is the exact derivative of that gradient with the grid held still.
///
///   auto r = hessian_vector_product(q, tsit5{}, {}, loss, {.y0 = v, .p = u});
///   r.product->p        // the rows of p
///
/// Field and loss must be generic in their scalar (or bring a vjp, a pull that is). Through events:
/// hessian_along_times.
/// slots   states over duals kept at once
/// cost    a solve, a replay over duals (two with save points in the loss), the schedule's replays,
///         and one VJP over duals a stage and step: four to six gradients
/// errors  std::invalid_argument: a direction of another size, or one that moves times
template <method M, class F, class Y, class P, class Loss>
hessian_product<Y, P> hessian_vector_product(const problem<F, Y, P>& q, const M& m,
                                             const options& o, const Loss& loss,
                                             const tangents<Y, P>& direction, index slots = 100) {
  using field = std::remove_cvref_t<F>;
  using D = dual<scalar_t<Y>, 1>;
  using DY = rebind_t<Y, D>;
  using DP = rebind_t<P, dual<scalar_t<P>, 1>>;
  static_assert(!is_multistep_v<M>, "Hessian-vector products are those of one-step methods");
  validate(q, m, o);
  check(q, o, direction);
  if (direction.t0 != 0 || direction.t1 != 0 || !direction.ts.empty() || !direction.stops.empty())
    throw std::invalid_argument(
        "a Hessian times a direction that moves times (they are constants of the replayed steps) "
        "leave t0, t1, ts and stops of it at 0, or take hessian_along_times?");
  hessian_product<Y, P> r{.solution = {.y = q.y0}};
  const auto steps = solve_and_note(q, m, o, r.solution);
  if (r.solution.status != status::success) return r;

  const DY y0 = over_duals(q.y0, direction.y0);
  const DP p = over_duals(q.p, direction.p);
  std::vector<DY> ys;
  constexpr bool of_points = std::is_invocable_v<const Loss&, const DY&, const std::vector<DY>&>;
  if (of_points) ys = saved_states(q.f, y0, p, m, o.save, steps);
  hessian_loop<M, field, DY, DP> loop(q.f, y0, p, m, o.save, steps);
  reverse_statistics counts;
  const auto& g = run_and_pull(loop, steps.count(), slots, counts, [&](auto& at_end) {
    cotangents<DY> bar;
    const DY end = value(m, at_end.state());
    r.value = static_cast<double>(value_of(pull_loss(loss, end, ys, {}, bar)));
    return std::vector<cotangents<DY>>{std::move(bar)};
  })[0];

  split_gradient(g, q.y0, q.p, counts, r);
  return r;
}

/// A gradient from what was pulled over numbers.
template <class Y, class P, class Pulled>
gradient<Y, P> gradient_of(const Pulled& g, const reverse_statistics& counts) {
  gradient<Y, P> one{.y0 = g.y0, .p = g.p, .reverse = counts};
  one.t0 = static_cast<double>(g.t0);
  one.t1 = static_cast<double>(g.t1);
  for (const auto& t : g.ts) one.ts.push_back(static_cast<double>(t));
  for (const auto& t : g.stops) one.stops.push_back(static_cast<double>(t));
  one.reverse.pulled_steps = g.steps;
  settle(g.ended, one);
  return one;
}

/// The gradients of several losses in one reverse pass: every replayed step serves all of them. The
/// bits are those of as many calls of pullback, and so is each status: one that fails stops no other.
/// cost    one solve, the schedule's replays, and one VJP a stage, step and loss
/// errors  std::invalid_argument: the solve did not succeed, or cotangents of another size
template <method M, class F, class Y, class P>
std::vector<gradient<Y, P>> gradients(const problem<F, Y, P>& q, const M& m, const options& o,
                                      const std::vector<cotangents<Y>>& weights,
                                      index slots = 100) {
  static_assert(!is_multistep_v<M>, "several gradients a pass are those of one-step methods");
  validate(q, m, o);
  solution<Y> s{.y = q.y0};
  const auto steps = solve_and_note(q, m, o, s);
  for (const cotangents<Y>& w : weights) check_cotangents(s, w);
  hessian_loop<M, std::remove_cvref_t<F>, Y, P> loop(q.f, q.y0, q.p, m, o.save, steps);
  reverse_statistics counts;
  const auto& all =
      run_and_pull(loop, steps.count(), slots, counts, [&](auto&) { return weights; });
  std::vector<gradient<Y, P>> result;
  for (const auto& g : all) result.push_back(gradient_of<Y, P>(g, counts));
  return result;
}
template <method M, class F, class Y, class P, class... E>
void gradients(const problem<F, Y, P>&, const M&, const options&, const event_list<E...>&,
               const std::vector<cotangents<Y>>&, index = 100) {
  static_assert(sizeof...(E) < 0,
                "several gradients a pass do not go through events: pull each loss back through a "
                "solution by recursive_checkpoint?");
}

}  // namespace revode
