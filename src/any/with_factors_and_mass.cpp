// SPDX-License-Identifier: Apache-2.0
#include <any/factors.hpp>

namespace revode::compiled {

auto entries_with_factors_and_mass() -> std::vector<algebra_entry> {
  return entries_with<kind_of_problem{.events = true, .massive = true}>(
      method_list<bdf5, rodas5p, radau_iia5>{}, factors());
}

}  // namespace revode::compiled
