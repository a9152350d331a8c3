// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <revode/loop/body.hpp>
#include <revode/loop/reversible_iteration.hpp>
#include <revode/loop/series.hpp>

namespace revode {

/// Cotangents of a scan's start, inputs and parameters.
template <class C, class Xs, class P>
struct scan_gradient {
  cotangent_t<C> carry;
  series_cotangent_t<Xs> xs;
  cotangent_t<P> params;
};

/// The steps of a scan: body(carry, xs[i], params, next, outs[i]). Refers to everything.
template <class Body, class C, class Xs, class P, class Outs>
struct scan_steps {
  using X = series_input_t<Xs>;
  using O = series_input_t<Outs>;

  const Body* body = nullptr;
  const Xs* xs = nullptr;
  const P* params = nullptr;
  Outs* outs = nullptr;
  const cotangent_t<Outs>* outs_bar = nullptr;
  const cotangent_t<O>* no_bar = nullptr;  // of outputs that do not count
  series_cotangent_t<Xs>* xs_bar = nullptr;
  cotangent_t<P>* params_bar = nullptr;
  series_reader<Xs> inputs{};
  body_pull<Body, C, X, P, O> differentiate{};

  bool more(index i, const C&) const { return i < series_length(series_of(*xs)); }
  void run(index i, const C& carry, C& next) {
    (*body)(carry, inputs.at(*xs, i), *params, next, series_at(*outs, i));
  }
  void pull(index i, const C& carry, const cotangent_t<C>& next_bar, cotangent_t<C>& carry_bar) {
    const O& out = series_at(*outs, i);
    const X& x = inputs.at(*xs, i);
    inputs.with_bar(*xs_bar, i, [&](auto& x_bar) {
      differentiate(*body, carry, x, *params, next_bar, out, bar_of_out(i), carry_bar, x_bar,
                    *params_bar);
    });
  }

 private:
  const cotangent_t<O>& bar_of_out(index i) const {
    if constexpr (std::is_same_v<cotangent_t<O>, no_cotangent>)
      return *no_bar;
    else
      return no_bar != nullptr ? *no_bar : series_at(*outs_bar, i);
  }
};

/// The result of scan. Series and Params are held_t.
template <class Body, class C, class Series, class Params, class O>
class scan_result {
 public:
  using xs_type = std::remove_cvref_t<Series>;
  using params_type = std::remove_cvref_t<Params>;
  using gradient_type = scan_gradient<C, xs_type, params_type>;
  using outs_bar_type = std::vector<cotangent_t<O>>;

  scan_result(const Body& body, const C& carry, Series&& xs, Params&& params, const O& out,
              const loop_options& o)
      : held_(std::make_unique<held>(body, std::forward<Series>(xs), std::forward<Params>(params),
                                     out)) {
    const index n = series_length(series_of(held_->xs));
    run_ = std::make_unique<reversible_iteration<steps_type, C>>(held_->steps, carry, o, n);
  }

  const C& carry() const { return run_->carry(); }
  const std::vector<O>& outs() const { return held_->outs; }
  reverse_counts counts() const { return run_->counts(); }
  index peak_states() const { return run_->peak_states(); }

  /// Cotangents of the initial carry, of every input and of the parameters, for those of the final
  /// carry and of the outputs (none: they do not count).
  gradient_type pullback(const cotangent_t<C>& carry_bar, const outs_bar_type& outs_bar = {}) {
    gradient_type g;
    shape_inputs(g);
    g.carry = pull(carry_bar, outs_bar, g);  // the snapshots are gone by now
    return g;
  }
  /// The same, added to a gradient of the caller's: inputs and params in place, step by step.
  void pullback(const cotangent_t<C>& carry_bar, const outs_bar_type& outs_bar,
                gradient_type& into) {
    expect_shape(carry(), into.carry, "a carry");
    expect_shape(held_->params, into.params, "the parameters");
    if constexpr (!std::is_same_v<decltype(into.xs), no_cotangent>)
      expect_shape(held_->xs, into.xs, "the inputs");
    add_cotangent(pull(carry_bar, outs_bar, into), into.carry);
  }
  gradient_type zero_gradient() const {
    gradient_type g;
    shape_as(carry(), g.carry);
    shape_inputs(g);
    return g;
  }

 private:
  using steps_type = scan_steps<Body, C, xs_type, params_type, std::vector<O>>;

  void shape_inputs(gradient_type& g) const {
    if constexpr (!std::is_same_v<decltype(g.xs), no_cotangent>) shape_as(held_->xs, g.xs);
    shape_as(held_->params, g.params);
  }

  const cotangent_t<C>& pull(const cotangent_t<C>& carry_bar, const outs_bar_type& outs_bar,
                             gradient_type& into) {
    expect_outs(outs_bar);
    steps_type& steps = held_->steps;
    if constexpr (std::is_same_v<cotangent_t<std::vector<O>>, outs_bar_type>)
      steps.outs_bar = &outs_bar;
    steps.no_bar = outs_bar.empty() ? &held_->no_bar : nullptr;
    steps.xs_bar = &into.xs;
    steps.params_bar = &into.params;
    return run_->pullback(carry_bar);
  }

  void expect_outs(const outs_bar_type& outs_bar) const {
    const auto& outs = held_->outs;
    if (!outs_bar.empty() && outs_bar.size() != outs.size())
      throw std::invalid_argument(std::to_string(outs_bar.size()) + " cotangents for " +
                                  std::to_string(outs.size()) +
                                  " outputs (one belongs to each) give as many, or none?");
    for (std::size_t k = 0; k < outs_bar.size(); ++k)
      expect_shape(outs[k], outs_bar[k], "an output");
  }

  struct held {
    Body body;
    Series xs;
    Params params;
    std::vector<O> outs;
    cotangent_t<O> no_bar;
    steps_type steps{&body, &xs, &params, &outs};

    held(const Body& b, Series&& series, Params&& p, const O& out)
        : body(b),
          xs(std::forward<Series>(series)),
          params(std::forward<Params>(p)),
          outs(static_cast<std::size_t>(series_length(series_of(xs))), out),
          no_bar(zero_cotangent(out)) {}
    held(const held&) = delete;
  };
  std::unique_ptr<held> held_;
  std::unique_ptr<reversible_iteration<steps_type, C>> run_;
};

/// for each x of xs: body(carry, x, params, next, out), outputs collected in order.
///
///   auto run = scan(body, carry, xs, params, like_out, {.slots = 20});
///   run.carry(), run.outs(), run.pullback(carry_bar, outs_bar)   // .carry, .xs, .params
///
/// Carry, inputs, params and outputs are trees of leaves (state/trees.hpp); like_out has the shape
/// of an output (leave it out where there is none). xs is a std::vector of trees (of the layers of
/// a stack: x is then one layer's parameters), of numbers, the columns of an Eigen matrix,
/// step_numbers{n}, or frozen(series) for inputs that need no gradient. Named xs and params are
/// held by reference and outlive the result unchanged; temporaries are moved in. The body fills
/// next and out completely; it is generic in what it is called with, or brings pull(carry, x, params,
/// next_bar, out_bar, carry_bar, x_bar, params_bar), which adds.
/// cost    n + t(n, slots) body evaluations and n pulls with the default schedule; at most
///         min(slots, n − 1) carries alive
/// status  none: carries and cotangents may be any numbers, infinity too
template <class Body, class C, class Xs, class P,
          class O = no_values<tree_scalar_t<C, std::remove_cvref_t<P>>>>
requires(no_recorded<C, Xs, P>) auto scan(const Body& body, const C& carry, Xs&& xs, P&& params,
                                          const O& like_out = {}, const loop_options& o = {}) {
  return scan_result<Body, C, held_t<Xs>, held_t<P>, O>(body, carry, std::forward<Xs>(xs),
                                                        std::forward<P>(params), like_out, o);
}

}  // namespace revode
