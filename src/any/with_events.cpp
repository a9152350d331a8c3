// SPDX-License-Identifier: Apache-2.0
#include <any/method_list.hpp>
#include <any/parts.hpp>

namespace revode::compiled {
namespace {

template <class... Methods>
auto uses_with_events(method_list<Methods...>) -> std::vector<named_uses> {
  return {{Methods::name, uses_of<Methods, kind_of_problem{.events = true}>()}...};
}

}  // namespace

auto uses_with_events() -> std::vector<named_uses> {
  return uses_with_events(method_list<tsit5, dop853, rodas5p, radau_iia5>{});
}

}  // namespace revode::compiled
