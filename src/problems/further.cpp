// SPDX-License-Identifier: Apache-2.0
#include "erase.hpp"

namespace revode::named {

auto find_further_problem(std::string_view name, argument a) -> std::optional<erased_problem> {
  if (auto eventful = find_problem(event_problems{}, name, a)) return eventful;
  return find_problem(problem_sets{}, name, a);
}

}  // namespace revode::named
