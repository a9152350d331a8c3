// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <revode/loop/body.hpp>
#include <revode/loop/reversible_iteration.hpp>

namespace revode {

/// A body(carry, params, next) in the form of body(carry, x, params, next, out).
template <class Body>
struct while_body {
  Body body;
  template <class C, class X, class P, class N, class O>
  void operator()(const C& carry, const X&, const P& params, N& next, O&) const {
    body(carry, params, next);
  }
  template <class C, class X, class P, class N, class O, class CBar, class XBar, class PBar>
  requires requires(const Body& b, const C& c, const P& p, const N& n, CBar& cb, PBar& pb) {
    b.pull(c, p, n, cb, pb);
  }
  void pull(const C& carry, const X&, const P& params, const N& next_bar, const O&, CBar& carry_bar,
            XBar&, PBar& params_bar) const {
    body.pull(carry, params, next_bar, carry_bar, params_bar);
  }
};

/// Cotangents of a while loop's start and parameters.
template <class C, class P>
struct while_gradient {
  cotangent_t<C> carry;
  cotangent_t<P> params;
};

/// The steps of `while (cond(carry, params)) carry = body(carry, params)`. Refers to everything.
template <class Cond, class Body, class C, class P>
struct while_steps {
  using none = no_values<tree_scalar_t<C, P>>;

  const Cond* cond = nullptr;
  const while_body<Body>* body = nullptr;
  const P* params = nullptr;
  std::optional<index> max_steps{};
  cotangent_t<P>* params_bar = nullptr;
  body_pull<while_body<Body>, C, none, P, none> differentiate{};

  bool more(index i, const C& carry) const {
    return (!max_steps || i < *max_steps) && (*cond)(carry, *params);
  }
  void run(index, const C& carry, C& next) const { body->body(carry, *params, next); }
  void pull(index, const C& carry, const cotangent_t<C>& next_bar, cotangent_t<C>& carry_bar) {
    none x, x_bar;
    differentiate(*body, carry, x, *params, next_bar, x, x, carry_bar, x_bar, *params_bar);
  }
};

/// The result of bounded_while_loop. Params is a held_t.
template <class Cond, class Body, class C, class Params>
class while_loop_result {
 public:
  using params_type = std::remove_cvref_t<Params>;
  using gradient_type = while_gradient<C, params_type>;

  while_loop_result(const Cond& cond, const Body& body, const C& carry, Params&& params,
                    const loop_options& o)
      : held_(std::make_unique<held>(cond, body, std::forward<Params>(params), o.max_steps)) {
    run_ = std::make_unique<reversible_iteration<steps_type, C>>(held_->steps, carry, o, unbounded);
  }

  const C& carry() const { return run_->carry(); }
  index steps() const { return run_->steps(); }
  reverse_counts counts() const { return run_->counts(); }
  index peak_states() const { return run_->peak_states(); }

  /// Cotangents of the initial carry and of the parameters, for that of the final carry.
  gradient_type pullback(const cotangent_t<C>& carry_bar) {
    gradient_type g;
    shape_as(held_->params, g.params);
    held_->steps.params_bar = &g.params;
    g.carry = run_->pullback(carry_bar);  // the snapshots are gone by now
    return g;
  }
  /// The same, added to a gradient of the caller's: params in place, step by step.
  void pullback(const cotangent_t<C>& carry_bar, gradient_type& into) {
    expect_shape(held_->params, into.params, "the parameters");
    expect_shape(carry(), into.carry, "a carry");
    held_->steps.params_bar = &into.params;
    add_cotangent(run_->pullback(carry_bar), into.carry);
  }
  gradient_type zero_gradient() const {
    return {zero_cotangent(carry()), zero_cotangent(held_->params)};
  }

 private:
  using steps_type = while_steps<Cond, Body, C, params_type>;
  struct held {
    Cond cond;
    while_body<Body> body;
    Params params;
    steps_type steps;

    held(const Cond& c, const Body& b, Params&& p, std::optional<index> max_steps)
        : cond(c),
          body{b},
          params(std::forward<Params>(p)),
          steps{&cond, &body, &params, max_steps} {}
    held(const held&) = delete;
  };
  std::unique_ptr<held> held_;
  std::unique_ptr<reversible_iteration<steps_type, C>> run_;
};

/// while (cond(carry, params)) and at most max_steps times: body(carry, params, next).
///
///   auto run = bounded_while_loop(
///       [](const auto& c, const auto&) { return c[0] > 1e-3; },
///       [](const auto& c, const auto& p, auto& next) { next[0] = p[0] * c[0]; },
///       vec{1.0}, vec{0.5}, {.max_steps = 4096});
///   run.carry(), run.steps(), run.pullback(vec{1.0}).params
///
/// Carry and params are trees of leaves (state/trees.hpp). Named params are held by reference and
/// outlive the result unchanged; temporaries are moved in. The body fills next completely; it is
/// generic in what it is called with, or brings pull(carry, params, next_bar, carry_bar,
/// params_bar), which adds. Early exit is real: a loop that stops after n steps costs n, forwards
/// and backwards. The default schedule's cost does not depend on the bound and needs none;
/// schedule_kind::nested is the nested scan-cond of Diffrax: d n evaluations, d = ⌈log_base
/// max_steps⌉, (d − 1) base carries, and without a bound it only runs forward. max_steps = 0 is the
/// identity. Whether cotangents are finite is not looked at: carries may be any numbers, infinity too.
template <class Cond, class Body, class C, class P>
requires(no_recorded<C, P>) auto bounded_while_loop(const Cond& cond, const Body& body,
                                                    const C& carry, P&& params,
                                                    const loop_options& o = {}) {
  return while_loop_result<Cond, Body, C, held_t<P>>(cond, body, carry, std::forward<P>(params), o);
}

}  // namespace revode
