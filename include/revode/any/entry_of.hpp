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

/// For whom a method is compiled.
struct kind_of_problem {
  bool events = false, massive = false;
};

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

template <class M, kind_of_problem Kind>
solution_type solve_by(const initial_value_problem& q, const options& o, const erased_events& of) {
  return solve(posed<Kind>(q), M{}, o, list_of<Kind>(of));
}

template <class Solution>
struct kept final : dense {
  Solution s;
  explicit kept(Solution solved) : s(std::move(solved)) {}
  auto result() const -> const solution_type& override { return s; }
  auto value(double t, side which) -> vector override { return s(t, which); }
  auto derivative(double t, side which) -> vector override { return s.derivative(t, which); }
};
template <class M, kind_of_problem Kind>
std::unique_ptr<dense> keep_by(const initial_value_problem& q, const options& o,
                               const erased_events& of) {
  auto s = solve(posed<Kind>(q), M{}, o, list_of<Kind>(of), dense_output{});
  return std::make_unique<kept<decltype(s)>>(std::move(s));
}

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
template <class M, kind_of_problem Kind, class Adjoint, class... Events>
std::unique_ptr<differentiable> differentiate_by(const initial_value_problem& q, const options& o,
                                                 const Adjoint& adjoint, const Events&... of) {
  auto s = solve(posed<Kind>(q), M{}, o, events(of)..., adjoint);
  return std::make_unique<pulled<decltype(s)>>(std::move(s));
}
template <class M, kind_of_problem Kind>
std::unique_ptr<differentiable> checkpoint_by(const initial_value_problem& q, const options& o,
                                              const recursive_checkpoint& adjoint,
                                              [[maybe_unused]] const erased_events& of) {
  if constexpr (Kind.events)
    return differentiate_by<M, Kind>(q, o, adjoint, of);
  else
    return differentiate_by<M, Kind>(q, o, adjoint);
}

template <class M, kind_of_problem Kind>
pushed_solution<vector> push_by(const initial_value_problem& q, const options& o,
                                const tangents<vector, vector>& along,
                                [[maybe_unused]] const erased_events& of) {
  if constexpr (Kind.events)
    return solve(posed<Kind>(q), M{}, o, events(of), along);
  else
    return solve(posed<Kind>(q), M{}, o, along);
}

template <class M, kind_of_problem Kind>
method_uses uses_of() {
  method_uses uses{&solve_by<M, Kind>, nullptr, &checkpoint_by<M, Kind>, &push_by<M, Kind>};
  if constexpr (has_dense_output_v<M>) uses.keep = &keep_by<M, Kind>;
  return uses;
}

template <class M>
method_entry entry_of() {
  return {.name = M::name,
          .source = M::source,
          .order = M::order,
          .has_estimate = has_estimate_v<M>,
          .asks_jacobian = method_types<M, vector>::asks_jacobian,
          .asks_second = is_linearly_implicit_v<M>,
          .plain = uses_of<M, kind_of_problem{}>(),
          .with_events = {},
          .massive = {},
          .massive_with_events = {}};
}

}  // namespace revode::compiled
