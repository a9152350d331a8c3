// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <cli/method_parts.hpp>
#include <revode/problems/erased_events.hpp>
#include <revode/solvers/all.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode::cli {

/// The list of what looks at a solve: of erased events the observer is a part.
inline auto seen_by(logged_steps steps) { return events(steps); }
inline auto seen_by(logged_steps steps, erased_events of) {
  of.after_step = [steps](double t, const vector& y) { steps.after_step(t, y, y); };
  return events(std::move(of));
}

/// Events, where there are any, are the last of the arguments.
template <class M, class... Events>
timed_solution solve_by(const initial_value_problem& q, const options& o, logged_steps steps,
                        const Events&... of) {
  const auto start = std::chrono::steady_clock::now();
  timed_solution s{solve(q, M{}, o, seen_by(steps, of...))};
  s.seconds = seconds_since(start);
  return s;
}

template <class M, class... Events>
differentiated differentiate_by(const initial_value_problem& q, const options& o,
                                const recursive_checkpoint& adjoint,
                                std::span<const weighting> weightings, const Events&... of) {
  const auto start = std::chrono::steady_clock::now();
  auto s = solve(q, M{}, o, events(of)..., adjoint);
  differentiated d;
  d.seconds = seconds_since(start);
  d.result = s;
  d.plan = s.plan();
  if (!is_complete(s.status)) return d;
  for (const weighting& weigh : weightings) {
    const auto reverse_start = std::chrono::steady_clock::now();
    auto bar = s.pullback(weigh(s));
    d.gradients.push_back({std::move(bar), seconds_since(reverse_start)});
  }
  return d;
}

template <class M, class... Events>
pushed_solution<vector> push_by(const initial_value_problem& q, const options& o,
                                const tangents<vector, vector>& along, const Events&... of) {
  return solve(q, M{}, o, events(of)..., along);
}

/// Those of `Part` among the methods of the list, each compiled with its three uses.
template <std::size_t Part, class... Methods>
auto entries_among(method_list<Methods...>) -> std::vector<method_entry> {
  constexpr std::size_t count = sizeof...(Methods);
  std::vector<method_entry> entries;
  const auto add = [&]<std::size_t I, class M>() {
    if constexpr (I * method_parts / count == Part)
      entries.push_back({M::name, M::source, M::order, has_estimate_v<M>, &solve_by<M>,
                         &differentiate_by<M>, &push_by<M>});
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (add.template operator()<I, Methods>(), ...); }
  (std::index_sequence_for<Methods...>{});
  return entries;
}

/// What the command offers: of the further explicit, symplectic and stabilised methods those that
/// stand for their kind, since each takes seconds to compile.
using command_methods =
    decltype(joined(basic_methods{}, rosenbrock_methods{}, implicit_methods{},
                    method_list<ssprk43, rdpk3sp_fsal49, owren_zennaro5, vern6, vern8, vern9,
                                stormer_verlet, kahan_li8, rkc, rock4, reversible_heun>{}));

template <std::size_t Part>
auto entries_of_part() -> std::vector<method_entry> {
  return entries_among<Part>(command_methods{});
}

}  // namespace revode::cli
