// SPDX-License-Identifier: Apache-2.0
#include <cli/lists.hpp>

#include <array>
#include <string_view>

#include <cli/methods.hpp>
#include <cli/text.hpp>
#include <revode/problems/catalog.hpp>

namespace revode::cli {
namespace {

constexpr std::array<std::string_view, 4> names{"problems", "methods", "adjoints", "schedules"};

auto problem_list() -> named_list {
  named_list list{"problems", {"name", "summary", "source"}, {}};
  for (const catalog_entry& e : catalog())
    list.rows.push_back({std::string(e.name), std::string(e.summary), std::string(e.source)});
  return list;
}

auto method_list() -> named_list {
  named_list list{"methods", {"name", "order", "steps", "source"}, {}};
  for (const method_entry& m : method_table())
    list.rows.push_back({std::string(m.name), std::to_string(m.order),
                         m.has_estimate ? "adaptive" : "fixed", std::string(m.source)});
  return list;
}

auto adjoint_list() -> named_list {
  return {"adjoints",
          {"name", "summary"},
          {{recursive_checkpoint::name,
            "exact derivative of the computed solution, in the memory of a schedule"}}};
}

auto schedule_list() -> named_list {
  named_list list{"schedules", {"name", "summary"}, {}};
  for (const auto& [kind, text] : schedule_names)
    list.rows.push_back({std::string(text), std::string(summary(kind))});
  return list;
}

}  // namespace

auto lists(const std::string& what) -> std::vector<named_list> {
  if (what.empty()) return {problem_list(), method_list(), adjoint_list(), schedule_list()};
  if (what == "problems") return {problem_list()};
  if (what == "methods") return {method_list()};
  if (what == "adjoints") return {adjoint_list()};
  if (what == "schedules") return {schedule_list()};
  unknown_name("list", what, "lists", names, "run 'revode list'");
}

std::string text_of_lists(const std::string& what) {
  std::string text;
  for (const named_list& list : lists(what)) {
    if (!text.empty()) text += '\n';
    if (what.empty()) text += list.name + '\n';
    std::vector<std::vector<std::string>> rows = list.rows;
    if (what.empty())
      for (auto& row : rows) row.front() = "  " + row.front();
    text += aligned(rows, list.columns.size());
  }
  return text;
}

}  // namespace revode::cli
