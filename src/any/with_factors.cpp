// SPDX-License-Identifier: Apache-2.0
#include <any/algebra_list.hpp>

namespace revode::compiled {

/// Those that stand for their kind, since each takes seconds to compile; an algebra more takes none.
auto entries_with_factors() -> std::vector<algebra_entry> {
  using structure = const jacobian_structure&;
  using field = const erased_field&;
  return entries_with<by_factors>(method_list<bdf5, esdirk547, rodas5p, radau_iia5>{}, {
    {"banded",
     [](structure s, field f) -> by_factors {
       return {by_band{{s.lower, s.upper}, &f}};
     }},
#if REVODE_WITH_KLU
        {"klu", [](structure s, field f) -> by_factors {
           return {by_klu{{s.pattern}, &f}};
         }},
#endif
  });
}

}  // namespace revode::compiled
