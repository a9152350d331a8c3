// SPDX-License-Identifier: Apache-2.0
#include <cli/methods.hpp>

#include <utility>

#include <cli/method_parts.hpp>
#include <cli/text.hpp>

namespace revode::cli {

auto method_table() -> std::vector<method_entry> {
  std::vector<method_entry> table;
  const auto append = [&](const std::vector<method_entry>& part) {
    table.insert(table.end(), part.begin(), part.end());
  };
  [&]<std::size_t... Part>(std::index_sequence<Part...>) { (append(entries_of_part<Part>()), ...); }
  (std::make_index_sequence<method_parts>{});
  return table;
}

auto find_method(std::string_view name) -> method_entry {
  const auto table = method_table();
  std::vector<std::string_view> known;
  for (const method_entry& m : table) {
    if (m.name == name) return m;
    known.push_back(m.name);
  }
  unknown_name("method", name, "methods", known, "run 'revode list methods'");
}

auto method_for(double rtol, bool stiff) -> std::string_view {
  if (stiff) return "radau_iia5";
  return rtol < 1e-11 ? "dop853" : rtol < 1e-9 ? "vern7" : "tsit5";
}

}  // namespace revode::cli
