// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any/loops.hpp>
#include <revode/any/entry_of.hpp>

namespace revode::compiled {

template <bool Events, class System, method_traits Traits>
auto uses_by_loops(const erased_method<System, Traits>& m) -> method_uses {
  return uses_of<kind_of_problem{Events, std::is_same_v<System, massive_system>}>(m);
}

}  // namespace revode::compiled
