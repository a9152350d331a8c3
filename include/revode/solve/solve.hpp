// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/solve/events/event_names.hpp>
#include <revode/solve/kept/kept_solve.hpp>
#include <revode/solve/stepper.hpp>

namespace revode {

/// Throws std::invalid_argument for a problem that a method cannot take; most take any.
template <class M, class Problem>
void check_problem(const M&, const Problem&) {}

/// Throws for a state that is no number: whatever follows from it says nothing of the field.
template <class Y>
void validate_start(const Y& y0) {
  for (int i = 0, n = length(y0); i < n; ++i)
    if (std::isnan(static_cast<double>(y0.data()[i]))) refuse_start(i);
}

/// Checks a request but for its initial state, and throws std::invalid_argument for what is wrong with
/// it, before any work.
template <method M, class F, class Y, class P>
[[gnu::always_inline]] inline void validate_request(const problem<F, Y, P>& q, const M& m,
                                                    const options& o) {
  check_problem(m, q);
  if (!tells_finite()) refuse_finite_math();
  validate(o, q.t0, q.t1, has_estimate_v<M>, m.name, !keeps_bits());
  if (o.threads > 1 && !has_threads) refuse_threads(o.threads);
  validate(o.norm, length(q.y0));
  if (!has_dense_output_v<M> && !o.save.ts.empty())
    throw std::invalid_argument("method " + std::string(m.name) +
                                " with save points (it has no dense output to take them from) "
                                "leave save.ts empty, or choose a method such as tsit5?");
}

/// Where the derivatives of a problem's field come from, in one line (ad/derivatives_of.hpp).
template <class F, class Y, class P>
std::string derivatives_of(const problem<F, Y, P>& q) {
  return derivatives_of<std::remove_cvref_t<F>>(q.f, q.t0, q.y0, q.p);
}

/// The same with events.
template <method M, class F, class Y, class P, class... E>
void validate_request(const problem<F, Y, P>& q, const M& m, const options& o,
                      const event_list<E...>&) {
  (expect_event_forms<E, Y, P>(), ...);
  validate_request(q, m, o);
  if (!has_dense_output_v<M> && event_set<event_list<E...>, Y, P>::located > 0)
    throw std::invalid_argument("method " + std::string(m.name) +
                                " with located events (it has no dense output to find them on) "
                                "choose a method such as tsit5?");
}

/// All of a request.
template <method M, class F, class Y, class P, class... Events>
[[gnu::always_inline]] inline void validate(const problem<F, Y, P>& q, const M& m, const options& o,
                                            const Events&... events) {
  if constexpr (is_spread_v<Y>) {
    whole<Y>::agree(
        q, o, m, {}, [&] { validate_request(q, m, o, events...); }, events...);
  } else {
    validate_request(q, m, o, events...);
    validate_start(q.y0);
  }
}

/// Integrates q from t0 to t1.
///
///   auto s = solve(problem{lorenz, vec{1.0, 0.0, 0.0}, 0.0, 10.0, vec{10.0, 28.0, 8.0 / 3}}, tsit5{});
///
/// cost    attempts · (stages − 1 if the last is the next step's first), + 1, + 2 for the choice of
///         the first step; memory independent of the number of steps; no allocation per step
/// errors  std::invalid_argument for misuse; an exception from the field passes through
/// status  any of `status`, with the partial result
template <method M, class F, class Y, class P>
solution<Y> solve(const problem<F, Y, P>& q, const M& m, const options& o = {}) {
  validate(q, m, o);
  stepper<M, std::remove_cvref_t<F>, Y, P> loop(q, m, o);
  if (o.restart) run_kept(loop, q.p, o);
  while (!loop.finished()) loop.step(loop.work_tape());
  return std::move(loop.result());
}

/// The same with events (see revode/solve/events.hpp), which are copied.
/// cost    located events: options::event_samples values of dense output and of each condition a
///         step, the stages of dense output, about ten values more for a root
template <method M, class F, class Y, class P, class... E>
solution<Y> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                  const event_list<E...>& events) {
  validate(q, m, o, events);
  stepper<M, std::remove_cvref_t<F>, Y, P, event_list<E...>> loop(q, m, o, {}, events);
  if (o.restart) run_kept(loop, q.p, o);
  while (!loop.finished()) loop.step(loop.work_tape());
  return std::move(loop.result());
}

}  // namespace revode
