// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <revode/loop/body.hpp>
#include <revode/loop/iteration.hpp>

namespace revode {

/// The steps of `while (cond(carry, params)) carry = body(carry, params)`.
template <class Cond, class Body, class C, class P>
struct while_steps {
  Cond cond;
  Body body;
  P params;
  std::optional<index> max_steps;
  P params_bar;
  body_pull<Body, C, no_values<scalar_t<C>>, P, no_values<scalar_t<C>>> differentiate{};

  bool more(index i, const C& carry) const {
    return (!max_steps || i < *max_steps) && cond(carry, params);
  }
  void run(index, const C& carry, C& next) const {
    no_values<scalar_t<C>> x, out;
    body(carry, x, params, next, out);
  }
  void pull(index, const C& carry, const C& next_bar, C& carry_bar) {
    no_values<scalar_t<C>> x, out, x_bar;
    differentiate(body, carry, x, params, next_bar, out, carry_bar, x_bar, params_bar);
  }
};

/// A body(carry, params, next) in the form of body(carry, x, params, next, out).
template <class Body>
struct while_body {
  Body body;
  template <class C, class X, class P, class O>
  void operator()(const C& carry, const X&, const P& params, C& next, O&) const {
    body(carry, params, next);
  }
  template <class C, class X, class P, class O>
    requires requires(const Body& b, const C& c, const P& p, C& cb, P& pb) {
      b.pull(c, p, c, cb, pb);
    }
  void pull(const C& carry, const X&, const P& params, const C& next_bar, const O&, C& carry_bar,
            X&, P& params_bar) const {
    body.pull(carry, params, next_bar, carry_bar, params_bar);
  }
};

template <class C, class P>
struct while_gradient {
  C carry;
  P params;
};

/// The result of bounded_while_loop.
template <class Cond, class Body, class C, class P>
class while_loop_result {
 public:
  while_loop_result(const Cond& cond, const Body& body, const C& carry, const P& params,
                    const loop_options& o)
      : steps_(std::make_unique<steps_type>(
            steps_type{cond, {body}, params, o.max_steps, params})),
        run_(std::make_unique<reversible_iteration<steps_type, C>>(*steps_, carry, o, unbounded)) {}

  const C& carry() const { return run_->carry(); }
  index steps() const { return run_->steps(); }
  reverse_counts counts() const { return run_->counts(); }
  index peak_states() const { return run_->peak_states(); }

  /// Cotangents of the initial carry and of the parameters, for that of the final carry.
  while_gradient<C, P> pullback(const C& carry_bar) {
    fill(steps_->params_bar, scalar_t<P>(0));
    const C& bar = run_->pullback(carry_bar);
    return {bar, steps_->params_bar};
  }

 private:
  using steps_type = while_steps<Cond, while_body<Body>, C, P>;
  std::unique_ptr<steps_type> steps_;
  std::unique_ptr<reversible_iteration<steps_type, C>> run_;
};

/// while (cond(carry, params)) and at most max_steps times: body(carry, params, next).
///
///   auto run = bounded_while_loop([](const auto& c, const auto&) { return c[0] > 1e-3; },
///                                 [](const auto& c, const auto& p, auto& next) { next[0] = p[0] * c[0]; },
///                                 vec{1.0}, vec{0.5}, {.max_steps = 4096});
///   run.carry(), run.steps(), run.pullback(vec{1.0}).params
///
/// The body is generic in its scalar, or brings pull(carry, params, next_bar, carry_bar,
/// params_bar), which adds. Early exit is real: a loop that stops after n steps costs n, forwards
/// and backwards. The default schedule's cost does not depend on the bound and needs none;
/// schedule_kind::nested is the nested scan-cond of Diffrax: d n evaluations, d = ⌈log_base
/// max_steps⌉, (d − 1) base carries. max_steps = 0 is the identity.
template <class Cond, class Body, dense C, dense P>
auto bounded_while_loop(const Cond& cond, const Body& body, const C& carry, const P& params,
                        const loop_options& o = {}) {
  return while_loop_result<Cond, Body, C, P>(cond, body, carry, params, o);
}

}  // namespace revode
