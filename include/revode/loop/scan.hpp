// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <revode/loop/body.hpp>
#include <revode/loop/iteration.hpp>

namespace revode {

/// Cotangents of a scan's inputs.
template <class C, class X, class P>
struct scan_gradient {
  C carry;
  std::vector<X> xs;
  P params;
};

/// The steps of a scan: body(carry, xs[i], params, next, outs[i]).
template <class Body, class C, class X, class P, class O>
struct scan_steps {
  Body body;
  std::vector<X> xs;
  P params;
  std::vector<O> outs;
  const std::vector<O>* outs_bar = nullptr;
  std::vector<X> xs_bar;
  P params_bar;
  O no_bar;  // the cotangent of an output that does not count
  body_pull<Body, C, X, P, O> differentiate{};

  bool more(index i, const C&) const { return i < static_cast<index>(xs.size()); }
  void run(index i, const C& carry, C& next) {
    const auto k = static_cast<std::size_t>(i);
    body(carry, xs[k], params, next, outs[k]);
  }
  void pull(index i, const C& carry, const C& next_bar, C& carry_bar) {
    const auto k = static_cast<std::size_t>(i);
    const O& out_bar = outs_bar->empty() ? no_bar : (*outs_bar)[k];
    differentiate(body, carry, xs[k], params, next_bar, out_bar, carry_bar, xs_bar[k], params_bar);
  }
};

/// The result of scan.
template <class Body, class C, class X, class P, class O>
class scan_result {
 public:
  scan_result(const Body& body, const C& carry, const std::vector<X>& xs, const P& params,
              const O& out, const loop_options& o)
      : steps_(std::make_unique<steps_type>(steps_type{
            body, xs, params, std::vector<O>(xs.size(), out), nullptr, {}, params, out})),
        run_(std::make_unique<reversible_iteration<steps_type, C>>(*steps_, carry, o,
                                                                   static_cast<index>(xs.size()))) {
    fill(steps_->no_bar, scalar_t<C>(0));
  }

  const C& carry() const { return run_->carry(); }
  const std::vector<O>& outs() const { return steps_->outs; }
  reverse_counts counts() const { return run_->counts(); }
  index peak_states() const { return run_->peak_states(); }

  /// Cotangents of the initial carry, of every input and of the parameters, for those of the final
  /// carry and of the outputs (none: they do not count).
  scan_gradient<C, X, P> pullback(const C& carry_bar, const std::vector<O>& outs_bar = {}) {
    if (!outs_bar.empty() && outs_bar.size() != steps_->outs.size())
      throw std::invalid_argument(std::to_string(outs_bar.size()) + " cotangents for " +
                                  std::to_string(steps_->outs.size()) +
                                  " outputs (one belongs to each) give as many, or none?");
    for (std::size_t k = 0; k < outs_bar.size(); ++k)
      if (length(outs_bar[k]) != length(steps_->outs[k]))
        throw std::invalid_argument("a cotangent of " + std::to_string(length(outs_bar[k])) +
                                    " elements for an output of " +
                                    std::to_string(length(steps_->outs[k])) +
                                    " (they have the same shape) resize it?");
    steps_->outs_bar = &outs_bar;
    fill(steps_->params_bar, scalar_t<P>(0));
    steps_->xs_bar.clear();
    for (const X& x : steps_->xs) steps_->xs_bar.push_back(zero_like(x));
    const C& bar = run_->pullback(carry_bar);
    return {bar, std::move(steps_->xs_bar), steps_->params_bar};
  }

 private:
  using steps_type = scan_steps<Body, C, X, P, O>;
  std::unique_ptr<steps_type> steps_;
  std::unique_ptr<reversible_iteration<steps_type, C>> run_;
};

/// for each x of xs: body(carry, x, params, next, out), outputs collected in order.
///
///   auto run = scan(body, carry, xs, params, like_out, {.slots = 20});
///   run.carry(), run.outs(), run.pullback(carry_bar, outs_bar)   // .carry, .xs, .params
///
/// like_out has the shape of an output (leave it out where there is none). The body is generic in
/// its scalar, or brings pull(carry, x, params, next_bar, out_bar, carry_bar, x_bar, params_bar),
/// which adds.
/// cost    n + t(n, slots) body evaluations and n pulls with the default schedule; at most
///         min(slots, n − 1) carries alive
template <class Body, dense C, dense X, dense P, dense O = no_values<scalar_t<C>>>
auto scan(const Body& body, const C& carry, const std::vector<X>& xs, const P& params,
          const O& like_out = {}, const loop_options& o = {}) {
  return scan_result<Body, C, X, P, O>(body, carry, xs, params, like_out, o);
}

}  // namespace revode
