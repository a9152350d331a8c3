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
  return entries_among<Part>(all_methods{});
}

}  // namespace revode::compiled
