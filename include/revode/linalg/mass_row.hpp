// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/config.hpp>

namespace revode {

/// visit(k, Mᵢₖ) for what there is in row i of a mass matrix, or of I where there is none.
template <class Mass, class Visit>
void visit_row([[maybe_unused]] const Mass& mass, int i, const Visit& visit) {
  if constexpr (std::is_same_v<Mass, nothing>)
    visit(i, 1.0);
  else
    for (const auto& e : mass.row(i)) visit(e.at, e.value);
}

}  // namespace revode
