// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/any/compiled.hpp>
#include <revode/problems/erased_massive_field.hpp>

namespace revode::compiled {

/// The problem as its solver takes it: with a mass matrix one of its own.
template <kind_of_problem Kind>
decltype(auto) posed(const initial_value_problem& q) {
  if constexpr (Kind.massive)
    return problem<erased_massive_field, vector, vector>{erased_massive_field(q.f), q.y0, q.t0,
                                                         q.t1, q.p};
  else
    return (q);
}

/// What looks at a solve beside its events.
struct observer {
  const std::function<bool(double, const vector&)>& tell;
  template <class P>
  bool after_step(double t, const vector& y, const P&) const {
    return tell && tell(t, y);
  }
};

/// The events of a solve, or what sees its steps alone.
template <kind_of_problem Kind>
auto list_of(const erased_events& of) {
  if constexpr (Kind.events)
    return events(of);
  else
    return events(observer{of.after_step});
}

template <class Solution>
struct kept final : dense {
  Solution s;
  explicit kept(Solution solved) : s(std::move(solved)) {}
  auto result() const -> const solution_type& override { return s; }
  auto value(double t, side which) -> vector override { return s(t, which); }
  auto derivative(double t, side which) -> vector override { return s.derivative(t, which); }
};
template <class Solution>
struct pulled final : differentiable {
  Solution s;
  explicit pulled(Solution solved) : s(std::move(solved)) {}
  auto result() const -> const solution_type& override { return s; }
  auto plan() const -> memory_plan override {
    if constexpr (requires { s.plan(); }) return s.plan();
    return {};
  }
  auto pullback(const cotangents<vector>& w) -> pulled_gradient override {
    auto bar = s.pullback(w);
    if constexpr (requires { bar.reconstruction_error; })
      return {bar, reverse_outcome{bar.reconstruction_error, bar.backward}};
    else
      return {std::move(bar)};
  }
  auto gradients(const std::vector<cotangents<vector>>& losses)
      -> std::vector<gradient_type> override {
    if constexpr (requires { s.gradients(losses); }) return s.gradients(losses);
    std::vector<gradient_type> all;
    for (const cotangents<vector>& w : losses) all.push_back(s.pullback(w));
    return all;
  }
};
/// Events, where there are any, are the last of the arguments.
template <kind_of_problem Kind, class M, class Adjoint, class... Events>
std::unique_ptr<differentiable> differentiate_by(const initial_value_problem& q, const M& m,
                                                 const options& o, const Adjoint& adjoint,
                                                 const Events&... of) {
  auto s = solve(posed<Kind>(q), m, o, events(of)..., adjoint);
  return std::make_unique<pulled<decltype(s)>>(std::move(s));
}

/// What a method does for a kind of problem.
template <kind_of_problem Kind, class M>
method_uses uses_of(const M& m) {
  method_uses uses;
  uses.solve = [m](const initial_value_problem& q, const options& o, const erased_events& of) {
    return solution_type(solve(posed<Kind>(q), m, o, list_of<Kind>(of)));
  };
  if constexpr (has_dense_output_v<M>)
    uses.keep = [m](const initial_value_problem& q, const options& o,
                    const erased_events& of) -> std::unique_ptr<dense> {
      auto s = solve(posed<Kind>(q), m, o, list_of<Kind>(of), dense_output{});
      return std::make_unique<kept<decltype(s)>>(std::move(s));
    };
  uses.differentiate = [m](const initial_value_problem& q, const options& o,
                           const recursive_checkpoint& adjoint,
                           [[maybe_unused]] const erased_events& of) {
    if constexpr (Kind.events)
      return differentiate_by<Kind>(q, m, o, adjoint, of);
    else
      return differentiate_by<Kind>(q, m, o, adjoint);
  };
  uses.push = [m](const initial_value_problem& q, const options& o,
                  const tangents<vector, vector>& along,
                  [[maybe_unused]] const erased_events& of) -> pushed_solution<vector> {
    if constexpr (Kind.events)
      return solve(posed<Kind>(q), m, o, events(of), along);
    else
      return solve(posed<Kind>(q), m, o, along);
  };
  return uses;
}

/// A method as it is listed, and nothing that it does.
template <class M>
method_entry listed() {
  method_entry entry;
  entry.name = M::name;
  entry.source = M::source;
  entry.order = M::order;
  entry.has_estimate = has_estimate_v<M>;
  entry.asks_jacobian = method_types<M, vector>::asks_jacobian;
  entry.asks_parts = method_types<M, vector>::asks_parts;
  entry.asks_second = is_linearly_implicit_v<M>;
  return entry;
}

/// A method with all that it does.
template <class M>
method_entry entry_of() {
  method_entry entry = listed<M>();
  entry.plain = uses_of<kind_of_problem{}>(M{});
  entry.with_events = uses_of<kind_of_problem{.events = true}>(M{});
  if constexpr (takes_mass_v<M>) {
    entry.massive = uses_of<kind_of_problem{.massive = true}>(M{});
    entry.massive_with_events = uses_of<kind_of_problem{.events = true, .massive = true}>(M{});
  }
  return entry;
}

}  // namespace revode::compiled
