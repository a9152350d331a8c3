// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <any/algebra_list.hpp>

namespace revode::compiled {

/// The algebras that factor matrices.
inline auto factors() -> std::vector<named_algebra<by_factors>> {
  using structure = const jacobian_structure&;
  using field = const erased_field&;
  return {
    {"banded",
     [](structure s, field f) -> by_factors {
       return {by_band{{s.lower, s.upper, s.check}, &f}};
     }},
#if REVODE_WITH_KLU
        {"klu", [](structure s, field f) -> by_factors {
           return {by_klu{{s.pattern, s.check}, &f}};
         }},
#endif
  };
}

}  // namespace revode::compiled
