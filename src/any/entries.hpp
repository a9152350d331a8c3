// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <any/parts.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/solvers/all.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode::compiled {

/// What looks at a solve beside its events.
struct observer {
  const std::function<bool(double, const vector&)>& tell;
  template <class P>
  bool after_step(double t, const vector& y, const P&) const {
    return tell && tell(t, y);
  }
};

/// The events of a solve, or what sees its steps alone.
template <bool Events>
auto list_of(const erased_events& of) {
  if constexpr (Events)
    return events(of);
  else
    return events(observer{of.after_step});
}

template <class M, bool Events>
solution_type solve_by(const initial_value_problem& q, const options& o, const erased_events& of) {
  return solve(q, M{}, o, list_of<Events>(of));
}

template <class Solution>
struct kept final : dense {
  Solution s;
  explicit kept(Solution solved) : s(std::move(solved)) {}
  auto result() const -> const solution_type& override { return s; }
  auto value(double t, side which) -> vector override { return s(t, which); }
  auto derivative(double t, side which) -> vector override { return s.derivative(t, which); }
};
template <class M, bool Events>
std::unique_ptr<dense> keep_by(const initial_value_problem& q, const options& o,
                               const erased_events& of) {
  auto s = solve(q, M{}, o, list_of<Events>(of), dense_output{});
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
template <class M, class Adjoint, class... Events>
std::unique_ptr<differentiable> differentiate_by(const initial_value_problem& q, const options& o,
                                                 const Adjoint& adjoint, const Events&... of) {
  auto s = solve(q, M{}, o, events(of)..., adjoint);
  return std::make_unique<pulled<decltype(s)>>(std::move(s));
}
template <class M, bool Events>
std::unique_ptr<differentiable> checkpoint_by(const initial_value_problem& q, const options& o,
                                              const recursive_checkpoint& adjoint,
                                              [[maybe_unused]] const erased_events& of) {
  if constexpr (Events)
    return differentiate_by<M>(q, o, adjoint, of);
  else
    return differentiate_by<M>(q, o, adjoint);
}

template <class M, bool Events>
pushed_solution<vector> push_by(const initial_value_problem& q, const options& o,
                                const tangents<vector, vector>& along,
                                [[maybe_unused]] const erased_events& of) {
  if constexpr (Events)
    return solve(q, M{}, o, events(of), along);
  else
    return solve(q, M{}, o, along);
}

template <class M, bool Events>
method_uses uses_of() {
  method_uses uses{&solve_by<M, Events>, nullptr, &checkpoint_by<M, Events>, &push_by<M, Events>};
  if constexpr (has_dense_output_v<M>) uses.keep = &keep_by<M, Events>;
  return uses;
}

template <class M, class... Methods>
constexpr bool is_among(method_list<Methods...>) {
  return (std::is_same_v<M, Methods> || ...);
}

template <class M>
method_entry entry_of() {
  return {.name = M::name,
          .source = M::source,
          .order = M::order,
          .has_estimate = has_estimate_v<M>,
          .asks_jacobian = method_types<M, vector>::asks_jacobian,
          .asks_second = is_among<M>(rosenbrock_methods{}),
          .plain = uses_of<M, false>(),
          .with_events = {}};
}

/// Of the further explicit, symplectic and stabilised methods there are those that stand for their
/// kind, since each takes seconds to compile.
using methods =
    decltype(joined(basic_methods{}, rosenbrock_methods{}, implicit_methods{},
                    method_list<ssprk43, rdpk3sp_fsal49, owren_zennaro5, vern6, vern8, vern9,
                                stormer_verlet, kahan_li8, rkc, rock4, reversible_heun>{}));

/// Those of `Part` among the methods of the list.
template <std::size_t Part, class... Methods>
auto entries_among(method_list<Methods...>) -> std::vector<method_entry> {
  constexpr std::size_t count = sizeof...(Methods);
  std::vector<method_entry> entries;
  const auto add = [&]<std::size_t I, class M>() {
    if constexpr (I * method_parts / count == Part) entries.push_back(entry_of<M>());
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (add.template operator()<I, Methods>(), ...); }
  (std::index_sequence_for<Methods...>{});
  return entries;
}

template <std::size_t Part>
auto entries_of_part() -> std::vector<method_entry> {
  return entries_among<Part>(methods{});
}

}  // namespace revode::compiled
