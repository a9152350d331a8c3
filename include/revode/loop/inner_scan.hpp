// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/loop/recorded_operation.hpp>
#include <revode/loop/scan.hpp>

namespace revode {

/// The outputs of an inner scan that has none.
template <class T>
struct no_outputs {
  no_values<T> none{};
  no_values<T>& operator[](std::size_t) { return none; }
  const no_values<T>& operator[](std::size_t) const { return none; }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.none);
  }
};

/// A loop over values, forward only, in the place of its first carry: from ← the last one.
template <class Steps, class C>
index run_forward(Steps& steps, C& from, C& spare) {
  index i = 0;
  for (; steps.more(i, from); ++i) {
    std::swap(from, spare);
    steps.run(i, std::as_const(spare), from);
  }
  return i;
}

/// A reversible loop that is made when first needed, and afterwards run again with other values.
template <class Steps, class C>
struct inner_run {
  Steps steps{};
  std::optional<reversible_iteration<Steps, C>> run{};

  const cotangent_t<C>& pull(const C& carry, const loop_options& o, index known,
                             const cotangent_t<C>& carry_bar) {
    try {
      if (run)
        run->run_again(carry, known);
      else
        run.emplace(steps, carry, o, known);
      return run->pullback(carry_bar, true);
    } catch (...) {
      run.reset();
      throw;
    }
  }
};

/// A scan inside a loop body: see remat_scan.
template <class Body>
class inner_scan {
 public:
  inner_scan(const Body& body, const loop_options& o) : core_(std::make_shared<core>(body, o)) {}
  inner_scan(const inner_scan& other) : inner_scan(other.core_->body, other.core_->options) {}
  inner_scan& operator=(const inner_scan&) = delete;

  template <class C, class Xs, class P, class N, class Outs>
  void operator()(const C& carry, const Xs& xs, const P& params, N& next, Outs& outs) const {
    if constexpr (no_recorded<C, Xs, P>) {
      core_->run(std::tie(carry, xs, params), std::tie(next, outs));
    } else {
      record_call(core_, std::tie(carry, xs, params), std::tie(next, outs),
                  [&](const auto& values, auto& to) {
                    std::get<0>(to) = std::get<0>(values);
                    read_values(outs, std::get<1>(to));
                  });
    }
  }
  template <class C, class Xs, class P, class N>
  void operator()(const C& carry, const Xs& xs, const P& params, N& next) const {
    no_outputs<tree_scalar_t<values_of_t<C>, values_of_t<P>>> outs;
    (*this)(carry, xs, params, next, outs);
  }

  /// The same with outputs that are yet to be made, each with the shape of like_out.
  template <class C, class Xs, class P, class O, class N, class Outs>
  void call(const C& carry, const Xs& xs, const P& params, const O& like_out, N& next,
            Outs& outs) const {
    record_call(core_, std::tie(carry, xs, params), std::tie(next, outs),
                [&](const auto& values, auto& to) {
                  std::get<0>(to) = std::get<0>(values);
                  values_of_t<O> like{};
                  read_values(like_out, like);
                  const auto n = series_length(series_of(std::get<1>(values)));
                  std::get<1>(to).assign(static_cast<std::size_t>(n), like);
                });
  }

 private:
  struct core {
    Body body;
    loop_options options;
    object_pool pool{};

    core(const Body& b, const loop_options& o) : body(b), options(o) {}

    template <class Values, class Outs>
    void run(const Values& values, Outs&& results) {
      const auto& [carry, xs, params] = values;
      auto& [next, outs] = results;
      steps_for<Values, std::remove_cvref_t<Outs>> steps{&body, &xs, &params, &outs};
      auto spare = pool.template take<std::remove_cvref_t<decltype(carry)>>();
      next = carry;
      *spare = carry;
      run_forward(steps, next, *spare);
    }

    template <class Values, class Outs, class ResultBars, class Bars>
    void pull(const Values& values, Outs& results, const ResultBars& result_bars, Bars& bars) {
      const auto& [carry, xs, params] = values;
      const auto& [next_bar, outs_bar] = result_bars;
      auto& [carry_bar, xs_bar, params_bar] = bars;
      using C = std::remove_cvref_t<decltype(carry)>;
      auto inner = pool.template take<inner_run<steps_for<Values, Outs>, C>>();
      auto& steps = inner->steps;
      steps.body = &body;
      steps.xs = &xs;
      steps.params = &params;
      steps.outs = &std::get<1>(results);
      steps.outs_bar = &outs_bar;
      steps.xs_bar = &xs_bar;
      steps.params_bar = &params_bar;
      const index n = series_length(series_of(xs));
      add_cotangent(inner->pull(carry, options, n, next_bar), carry_bar);
    }

    template <class Values, std::size_t I>
    using part_t = std::remove_cvref_t<std::tuple_element_t<I, Values>>;
    template <class Values, class Outs>
    using steps_for =
        scan_steps<Body, part_t<Values, 0>, part_t<Values, 1>, part_t<Values, 2>, part_t<Outs, 1>>;
  };
  std::shared_ptr<core> core_;
};

}  // namespace revode
