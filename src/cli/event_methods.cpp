// SPDX-License-Identifier: Apache-2.0
#include <cli/event_methods.hpp>

#include <cli/method_entries.hpp>
#include <cli/text.hpp>

namespace revode::cli {
namespace {

template <class... Methods>
auto compiled_for_events(method_list<Methods...>) -> std::vector<event_method> {
  return {{Methods::name, &solve_by<Methods, erased_events>,
           &differentiate_by<Methods, erased_events>, &push_by<Methods, erased_events>}...};
}

}  // namespace

auto event_methods() -> std::vector<event_method> {
  return compiled_for_events(method_list<tsit5, dop853, rodas5p, radau_iia5>{});
}

auto find_event_method(std::string_view name, const std::string& problem) -> event_method {
  std::string known;
  for (const event_method& m : event_methods()) {
    if (m.name == name) return m;
    known.append(known.empty() ? "" : ", ").append(m.name);
  }
  misuse("method " + std::string(name) + " with the events of " + problem +
         " (this command finds events by " + known +
         ") choose one of these, or solve it through the library?");
}

}  // namespace revode::cli
