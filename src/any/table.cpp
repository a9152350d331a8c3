// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <any/parts.hpp>

namespace revode::compiled {
namespace {

auto assembled() -> std::vector<method_entry> {
  std::vector<method_entry> table;
  const auto append = [&](const std::vector<method_entry>& part) {
    table.insert(table.end(), part.begin(), part.end());
  };
  [&]<std::size_t... Part>(std::index_sequence<Part...>) { (append(entries_of_part<Part>()), ...); }
  (std::make_index_sequence<method_parts>{});
  for (const auto& [name, uses] : uses_with_events())
    for (method_entry& m : table)
      if (m.name == name) m.with_events = uses;
  return table;
}

}  // namespace

auto method_table() -> const std::vector<method_entry>& {
  static const std::vector<method_entry> table = assembled();
  return table;
}

auto methods_with_events() -> std::vector<method_entry> {
  std::vector<method_entry> found;
  for (const method_entry& m : method_table())
    if (m.finds_events()) found.push_back(m);
  return found;
}

}  // namespace revode::compiled
