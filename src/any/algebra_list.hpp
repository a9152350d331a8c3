// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include <any/method_list.hpp>
#include <any/parts.hpp>
#include <any/structured.hpp>
#include <revode/any/entry_of.hpp>

namespace revode::compiled {

/// An algebra L by name: made for a structure and a field.
template <class L>
struct named_algebra {
  std::string_view name;
  L (*make)(const jacobian_structure& s, const erased_field& f);
};

/// act(events), or act() where a problem of this kind has none.
template <kind_of_problem Kind, class Act>
auto for_events([[maybe_unused]] const erased_events& of, const Act& act) {
  if constexpr (Kind.events)
    return act(events(of));
  else
    return act();
}

/// A method M with one of the algebras: solves, dense output, gradients and tangents.
template <class M, kind_of_problem Kind, class L>
method_uses uses_with(const named_algebra<L>& algebra, const structure_finder& structure) {
  using method = with_algebra<M, L>;
  const auto solve_with = [make = algebra.make, structure](const initial_value_problem& q,
                                                           const auto&... request) {
    auto posed = structured<Kind>(q);
    const method m{{}, make(structure(q), *posed.f.f)};
    return solve(std::move(posed), m, request...);
  };
  method_uses uses;
  uses.solve = [=](const initial_value_problem& q, const options& o, const erased_events& of) {
    return solution_type(solve_with(q, o, list_of<Kind>(of)));
  };
  uses.differentiate = [=](const initial_value_problem& q, const options& o,
                           const recursive_checkpoint& adjoint,
                           const erased_events& of) -> std::unique_ptr<differentiable> {
    const auto keep = [&](const auto&... list) {
      auto solved = solve_with(q, o, list..., adjoint);
      return std::make_unique<pulled<decltype(solved)>>(std::move(solved));
    };
    return for_events<Kind>(of, keep);
  };
  uses.push = [=](const initial_value_problem& q, const options& o,
                  const tangents<vector, vector>& along, const erased_events& of) {
    return for_events<Kind>(of, [&](const auto&... list) {
      return pushed_solution<vector>(solve_with(q, o, list..., along));
    });
  };
  if constexpr (has_dense_output_v<method>)
    uses.keep = [=](const initial_value_problem& q, const options& o,
                    const erased_events& of) -> std::unique_ptr<dense> {
      auto solved = solve_with(q, o, list_of<Kind>(of), dense_output{});
      return std::make_unique<kept<decltype(solved)>>(std::move(solved));
    };
  return uses;
}

/// Every pair of the methods and the algebras, for one kind of problem.
template <kind_of_problem Kind, class L, class... Methods>
auto entries_with(method_list<Methods...>, const std::vector<named_algebra<L>>& algebras)
    -> std::vector<algebra_entry> {
  static_assert(!Kind.massive || (takes_mass_v<with_algebra<Methods, L>> && ...));
  std::vector<algebra_entry> all;
  for (const named_algebra<L>& a : algebras)
    (all.push_back({a.name, Methods::name, Kind,
                    [a](const structure_finder& structure) {
                      return uses_with<Methods, Kind>(a, structure);
                    }}),
     ...);
  return all;
}

}  // namespace revode::compiled
