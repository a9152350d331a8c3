// SPDX-License-Identifier: Apache-2.0
#include <cli/methods.hpp>

#include <array>
#include <utility>

#include <cli/method_parts.hpp>
#include <cli/text.hpp>

namespace revode::cli {

auto method_table() -> std::vector<method_entry> {
  const auto collect = []<std::size_t... Part>(std::index_sequence<Part...>) {
    return std::array{entries_of_part<Part>()...};
  };
  const auto parts = collect(std::make_index_sequence<method_parts>{});
  std::vector<method_entry> table;
  for (std::size_t i = 0; i / method_parts < parts[i % method_parts].size(); ++i)
    table.push_back(parts[i % method_parts][i / method_parts]);
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
