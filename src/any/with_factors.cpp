// SPDX-License-Identifier: Apache-2.0
#include <any/factors.hpp>

namespace revode::compiled {

/// Those that stand for their kind, since each takes seconds to compile; an algebra more takes none.
auto entries_with_factors() -> std::vector<algebra_entry> {
  return entries_with<kind_of_problem{.events = true}>(
      method_list<bdf5, esdirk547, rodas5p, radau_iia5>{}, factors());
}

}  // namespace revode::compiled
