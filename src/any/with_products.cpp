// SPDX-License-Identifier: Apache-2.0
#include <any/algebra_list.hpp>

namespace revode::compiled {

auto entries_with_products() -> std::vector<algebra_entry> {
  using structure = const jacobian_structure&;
  using field = const erased_field&;
  return entries_with<kind_of_problem{.events = true}, by_products>(
      method_list<bdf5, esdirk547, radau_iia5>{},
      {{"gmres", [](structure, field) { return by_products{{unconditioned{}}}; }},
       {"gmres_ilu0", [](structure s, field f) {
          return by_products{{by_ilu0{{s.pattern}, &f}}};
        }}});
}

}  // namespace revode::compiled
