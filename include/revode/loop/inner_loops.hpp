// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/loop/bounded_while_loop.hpp>
#include <revode/loop/inner_scan.hpp>
#include <revode/loop/remat.hpp>

namespace revode {

/// A while loop inside a loop body: see remat_while.
template <class Cond, class Body>
class inner_while_loop {
 public:
  inner_while_loop(const Cond& cond, const Body& body, const loop_options& o)
      : core_(std::make_shared<core>(cond, body, o)) {}
  inner_while_loop(const inner_while_loop& other)
      : inner_while_loop(other.core_->cond, other.core_->body.body, other.core_->options) {}
  inner_while_loop& operator=(const inner_while_loop&) = delete;

  template <class C, class P, class N>
  void operator()(const C& carry, const P& params, N& next) const {
    if constexpr (no_recorded<C, P>) {
      core_->run(std::tie(carry, params), std::tie(next));
    } else {
      record_call(core_, std::tie(carry, params), std::tie(next),
                  [](const auto& values, auto& to) { std::get<0>(to) = std::get<0>(values); });
    }
  }

 private:
  struct core {
    Cond cond;
    while_body<Body> body;
    loop_options options;
    object_pool pool{};

    core(const Cond& c, const Body& b, const loop_options& o) : cond(c), body{b}, options(o) {}

    template <class Values, class Outs>
    void run(const Values& values, Outs&& results) {
      const auto& [carry, params] = values;
      auto& next = std::get<0>(results);
      steps_for<Values> steps{&cond, &body, &params, options.max_steps};
      auto spare = pool.template take<std::remove_cvref_t<decltype(carry)>>();
      next = carry;
      *spare = carry;
      run_forward(steps, next, *spare);
    }

    template <class Values, class Outs, class ResultBars, class Bars>
    void pull(const Values& values, Outs&, const ResultBars& result_bars, Bars& bars) {
      const auto& [carry, params] = values;
      using C = std::remove_cvref_t<decltype(carry)>;
      auto inner = pool.template take<inner_run<steps_for<Values>, C>>();
      auto& steps = inner->steps;
      steps.cond = &cond;
      steps.body = &body;
      steps.params = &params;
      steps.max_steps = options.max_steps;
      steps.params_bar = &std::get<1>(bars);
      add_cotangent(inner->pull(carry, options, unbounded, std::get<0>(result_bars)),
                    std::get<0>(bars));
    }

    template <class Values>
    using steps_for = while_steps<Cond, Body, std::remove_cvref_t<std::tuple_element_t<0, Values>>,
                                  std::remove_cvref_t<std::tuple_element_t<1, Values>>>;
  };
  std::shared_ptr<core> core_;
};

/// The result of a scan or while loop on recorded variables: carry and outputs are variables too.
template <class C, class Outs>
struct inner_result {
  C carry_{};
  Outs outs_{};
  const C& carry() const { return carry_; }
  const Outs& outs() const { return outs_; }
};

/// scan(body, carry, xs, params, like_out, options) inside a loop body, as one operation of its
/// recording, which keeps the arguments' values; the inner loop runs again, by its own schedule,
/// when the operation is pulled. Made once outside the body, it allocates nothing in later calls:
///
///   const auto inner = remat_scan(layer, {.slots = 3});
///   scan([&](const auto& c, const auto& x, const auto& p, auto& next, auto&) {
///     inner(c, frozen(layers), p, next);           // or inner(c, xs, p, next, outs)
///   }, …)
///
/// With values it runs the loop forward and keeps nothing. Inner loops nest to any depth; the cost
/// is the product of the loops' own costs.
template <class Body>
inner_scan<Body> remat_scan(const Body& body, const loop_options& o = {}) {
  return inner_scan<Body>(body, o);
}

/// The same for bounded_while_loop(cond, body, carry, params, options): inner(carry, params, next).
template <class Cond, class Body>
inner_while_loop<Cond, Body> remat_while(const Cond& cond, const Body& body,
                                         const loop_options& o = {}) {
  return inner_while_loop<Cond, Body>(cond, body, o);
}

/// A scan that a recorded body calls: .carry() and .outs() are variables of its recording.
template <class Body, class C, class Xs, class P,
          class O = no_values<tree_scalar_t<values_of_t<C>, values_of_t<P>>>>
requires(!no_recorded<C, Xs, P>) auto scan(const Body& body, const C& carry, const Xs& xs,
                                           const P& params, const O& like_out = {},
                                           const loop_options& o = {}) {
  inner_result<recorded_t<values_of_t<C>>, recorded_t<std::vector<values_of_t<O>>>> result;
  inner_scan<Body>(body, o).call(carry, xs, params, like_out, result.carry_, result.outs_);
  return result;
}

/// A while loop that a recorded body calls: .carry() is a variable of its recording.
template <class Cond, class Body, class C, class P>
requires(!no_recorded<C, P>) auto bounded_while_loop(const Cond& cond, const Body& body,
                                                     const C& carry, const P& params,
                                                     const loop_options& o = {}) {
  inner_result<recorded_t<values_of_t<C>>, no_cotangent> result;
  inner_while_loop<Cond, Body>(cond, body, o)(carry, params, result.carry_);
  return result;
}

}  // namespace revode
