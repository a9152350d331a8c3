// SPDX-License-Identifier: Apache-2.0
#include <any/method_list.hpp>
#include <any/parts.hpp>

namespace revode::compiled {
namespace {

template <kind_of_problem Kind, class... Methods>
auto uses_with_mass(method_list<Methods...>) -> std::vector<named_uses> {
  static_assert((takes_mass_v<Methods> && ...));
  return {{Methods::name, uses_of<Methods, Kind>()}...};
}

}  // namespace

/// Those that stand for their kind, since each takes seconds to compile.
auto uses_with_mass() -> std::vector<named_uses> {
  return uses_with_mass<kind_of_problem{.massive = true}>(
      method_list<rodas3, rodas4, rodas5p, radau_iia5, radau_iia9, radau_iia13, radau, bdf5>{});
}
auto uses_with_mass_and_events() -> std::vector<named_uses> {
  return uses_with_mass<kind_of_problem{.events = true, .massive = true}>(
      method_list<rodas5p, radau_iia5>{});
}

}  // namespace revode::compiled
