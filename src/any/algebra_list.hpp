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

/// A method M with one of the algebras: solves, dense output, gradients and tangents.
template <class M, class L>
method_uses uses_with(const named_algebra<L>& algebra, const jacobian_structure& s) {
  using method = with_algebra<M, L>;
  const auto made = [make = algebra.make, s](const initial_value_problem& q) {
    return method{{}, make(s, q.f)};
  };
  const auto structured = [](const initial_value_problem& q) {
    return problem<structured_field, vector, vector>{structured_field{&q.f}, q.y0, q.t0, q.t1, q.p};
  };
  method_uses uses;
  uses.solve = [=](const initial_value_problem& q, const options& o, const erased_events& of) {
    return solution_type(solve(structured(q), made(q), o, list_of<kind_of_problem{}>(of)));
  };
  uses.differentiate = [=](const initial_value_problem& q, const options& o,
                           const recursive_checkpoint& adjoint,
                           const erased_events&) -> std::unique_ptr<differentiable> {
    auto solved = solve(structured(q), made(q), o, adjoint);
    return std::make_unique<pulled<decltype(solved)>>(std::move(solved));
  };
  uses.push = [=](const initial_value_problem& q, const options& o,
                  const tangents<vector, vector>& along, const erased_events&) {
    return pushed_solution<vector>(solve(structured(q), made(q), o, along));
  };
  if constexpr (has_dense_output_v<method>)
    uses.keep = [=](const initial_value_problem& q, const options& o,
                    const erased_events& of) -> std::unique_ptr<dense> {
      auto solved =
          solve(structured(q), made(q), o, list_of<kind_of_problem{}>(of), dense_output{});
      return std::make_unique<kept<decltype(solved)>>(std::move(solved));
    };
  return uses;
}

/// Every pair of the methods and the algebras.
template <class L, class... Methods>
auto entries_with(method_list<Methods...>, const std::vector<named_algebra<L>>& algebras)
    -> std::vector<algebra_entry> {
  std::vector<algebra_entry> all;
  for (const named_algebra<L>& a : algebras)
    (all.push_back({a.name, Methods::name,
                    [a](const jacobian_structure& s) { return uses_with<Methods>(a, s); }}),
     ...);
  return all;
}

}  // namespace revode::compiled
