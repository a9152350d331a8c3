// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <any/loops.hpp>
#include <any/parts.hpp>
#include <revode/solvers/all.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>

namespace revode::compiled {

/// Of the further explicit, symplectic and stabilised methods there are those that stand for their
/// kind.
using methods =
    decltype(joined(basic_methods{}, rosenbrock_methods{}, implicit_methods{},
                    method_list<ssprk43, rdpk3sp_fsal49, owren_zennaro5, vern6, vern8, vern9,
                                stormer_verlet, kahan_li8, rkc, rock4, reversible_heun>{},
                    multistep_methods{}, adams_methods{}, switching_methods{}));

/// Those of `Part` among the methods of the list.
template <std::size_t Part, class... Methods>
auto entries_among(method_list<Methods...>) -> std::vector<method_entry> {
  constexpr std::size_t count = sizeof...(Methods);
  std::vector<method_entry> entries;
  const auto add = [&]<std::size_t I, class M>() {
    if constexpr (I * method_parts / count == Part) entries.push_back(by_loops(described<M>()));
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
