// SPDX-License-Identifier: Apache-2.0
#include <cli/lists.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include <any/automatic.hpp>
#include <cli/lanes.hpp>
#include <cli/methods.hpp>
#include <cli/text.hpp>
#include <revode/problems/catalog.hpp>

namespace revode::cli {
namespace {

constexpr std::array<std::string_view, 6> names{"problems", "methods",   "algebras",
                                                "adjoints", "schedules", "ensembles"};

auto problem_list() -> named_list {
  named_list list{"problems", {"name", "summary", "source"}, {}};
  for (const catalog_entry& e : catalog())
    list.rows.push_back({std::string(e.name), std::string(e.summary), std::string(e.source)});
  return list;
}

auto method_list() -> named_list {
  named_list list{"methods", {"name", "order", "steps", "mass", "source"}, {}};
  for (const method_entry& m : compiled::method_table())
    list.rows.push_back({std::string(m.name), std::to_string(m.order),
                         m.has_estimate ? "adaptive" : "fixed",
                         m.takes_mass() ? "M y'"
                         : m.asks_parts ? "y' in parts"
                                        : "y'",
                         std::string(m.source)});
  list.rows.push_back({std::string(compiled::automatic::name), "5", "adaptive", "M y'",
                       "a pair that switches by the stiffness it sees, for the tolerances"});
  return list;
}

/// Those of this build.
auto algebra_list() -> named_list {
  named_list list{"algebras", {"name", "methods", "events", "mass", "summary"}, {}};
  for (const compiled::algebra_text& a : compiled::algebra_texts()) {
    const auto methods = [&](compiled::kind_of_problem kind) {
      return compiled::methods_of_algebra(a.name, kind, ",");
    };
    if (a.compiled)
      list.rows.push_back({std::string(a.name), methods({}), methods({.events = true}),
                           methods({.massive = true}), std::string(a.summary)});
  }
  return list;
}

auto adjoint_list() -> named_list {
  named_list list{"adjoints", {"name", "exact", "methods", "summary"}, {}};
  for (const compiled::adjoint_text& a : compiled::adjoint_texts()) {
    std::string methods;
    for (const adjoint_entry& m : adjoint_methods(a.name))
      methods.append(methods.empty() ? "" : ",").append(m.method);
    list.rows.push_back({std::string(a.name), a.exact ? "exact" : "to the tolerance",
                         methods.empty() ? "all" : methods, std::string(a.summary)});
  }
  return list;
}

auto schedule_list() -> named_list {
  named_list list{"schedules", {"name", "summary"}, {}};
  for (const auto& [kind, text] : schedule_names)
    list.rows.push_back({std::string(text), std::string(summary(kind))});
  return list;
}

/// A row a problem whose lanes are compiled, with its methods.
auto ensemble_list() -> named_list {
  named_list list{"ensembles", {"problem", "methods", "gradients"}, {}};
  const auto join = [](std::string& all, std::string_view name) {
    all.append(all.empty() ? "" : ",").append(name);
  };
  for (const lane_program& lane : lane_programs()) {
    const std::string name = lane.problem == "lorenz96"
                                 ? "lorenz96:" + std::to_string(lane.components)
                                 : std::string(lane.problem);
    auto row = std::find_if(list.rows.begin(), list.rows.end(),
                            [&](const auto& r) { return r.front() == name; });
    if (row == list.rows.end()) row = list.rows.insert(row, {name, "", ""});
    join((*row)[1], lane.method);
    if (lane.has_gradient) join((*row)[2], lane.method);
  }
  return list;
}

}  // namespace

auto lists(const std::string& what) -> std::vector<named_list> {
  if (what.empty())
    return {problem_list(), method_list(),   algebra_list(),
            adjoint_list(), schedule_list(), ensemble_list()};
  if (what == "problems") return {problem_list()};
  if (what == "methods") return {method_list()};
  if (what == "algebras") return {algebra_list()};
  if (what == "adjoints") return {adjoint_list()};
  if (what == "schedules") return {schedule_list()};
  if (what == "ensembles") return {ensemble_list()};
  unknown_name("list", what, "lists", names, "run 'revode list'");
}

std::string text_of_lists(const std::string& what) {
  std::string text;
  for (const named_list& list : lists(what)) {
    if (!text.empty()) text += '\n';
    if (what.empty()) text += list.name + '\n';
    std::vector<std::vector<std::string>> rows = list.rows;
    if (list.name == "ensembles" || list.name == "algebras")
      rows.insert(rows.begin(), list.columns);
    if (what.empty())
      for (auto& row : rows) row.front() = "  " + row.front();
    text += aligned(rows, list.columns.size());
  }
  return text;
}

}  // namespace revode::cli
