// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include <revode/problems/all.hpp>
#include <revode/problems/catalog.hpp>

namespace revode::named {

/// The problem of a name among those of a list, or nothing. Each list has a source of its own: every
/// erased problem is compiled with all its derivatives.
template <class... Problems>
auto find_problem(problem_list<Problems...> list, std::string_view name, argument a)
    -> std::optional<erased_problem> {
  std::optional<erased_problem> found;
  for_each_problem(list, [&]<class F>(F f) {
    if (name != F::name) return;
    set_argument(f, a);
    found = erase(f);
  });
  return found;
}

auto find_plain_problem(std::string_view name, argument a) -> std::optional<erased_problem>;
auto find_stiff_problem(std::string_view name, argument a) -> std::optional<erased_problem>;
auto find_massive_problem(std::string_view name, argument a) -> std::optional<erased_problem>;
auto find_further_problem(std::string_view name, argument a) -> std::optional<erased_problem>;
/// That of a file, a model "sir.ode" or a shared library "libmine.so:argument"; nothing of other names.
auto find_file_problem(std::string_view spec) -> std::optional<erased_problem>;

}  // namespace revode::named
