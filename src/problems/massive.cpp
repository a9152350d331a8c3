// SPDX-License-Identifier: Apache-2.0
#include "erase.hpp"

namespace revode::named {

auto find_massive_problem(std::string_view name, argument a) -> std::optional<erased_problem> {
  return find_problem(massive_problems{}, name, a);
}

}  // namespace revode::named
