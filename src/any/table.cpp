// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <any/loops.hpp>
#include <any/parts.hpp>
#include <problems/library.hpp>
#include <revode/any/method_plugin.hpp>

namespace revode::compiled {
namespace {

auto assembled() -> std::vector<method_entry> {
  std::vector<method_entry> table;
  const auto append = [&](const std::vector<method_entry>& part) {
    table.insert(table.end(), part.begin(), part.end());
  };
  [&]<std::size_t... Part>(std::index_sequence<Part...>) { (append(entries_of_part<Part>()), ...); }
  (std::make_index_sequence<method_parts>{});
  return table;
}

}  // namespace

auto method_table() -> const std::vector<method_entry>& {
  static const std::vector<method_entry> table = assembled();
  return table;
}

auto find_method_entry(std::string_view spec) -> const method_entry* {
  for (const method_entry& m : method_table())
    if (m.name == spec) return &m;
  if (named::end_of_library(spec) != spec.size()) return nullptr;
  static std::mutex one_at_a_time;
  static std::map<std::string, std::unique_ptr<method_entry>, std::less<>> loaded;
  const std::lock_guard lock(one_at_a_time);
  const auto known = loaded.find(spec);
  if (known != loaded.end()) return known->second.get();
  const std::string path(spec);
  const auto say = reinterpret_cast<method_plugin (*)()>(
      named::function_of_library(path, "method", "revode_method_plugin", "REVODE_METHOD"));
  const method_plugin its = say();
  named::expect_same_build(its.build, plugin_build_of(sizeof(described_method)), path, "method");
  const std::unique_ptr<described_method> method(its.make());
  return loaded.emplace(path, std::make_unique<method_entry>(by_loops(*method)))
      .first->second.get();
}

auto methods_with_mass() -> std::vector<method_entry> {
  std::vector<method_entry> found;
  for (const method_entry& m : method_table())
    if (m.takes_mass()) found.push_back(m);
  return found;
}
auto names_of(const std::vector<method_entry>& methods) -> std::string {
  std::string names;
  for (const method_entry& m : methods) names.append(names.empty() ? "" : ", ").append(m.name);
  return names;
}

}  // namespace revode::compiled
