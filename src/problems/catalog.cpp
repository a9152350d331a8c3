// SPDX-License-Identifier: Apache-2.0
#include <revode/problems/catalog.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "erase.hpp"

namespace revode {

using namespace named;

namespace {

/// Optimal string alignment distance of Damerau and Levenshtein.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

/// fn(problem{}) for every problem of the library.
template <class Function>
void for_each_named_problem(Function&& fn) {
  for_each_problem(all_problems{}, fn);
  for_each_problem(stiff_problems{}, fn);
  for_each_problem(massive_problems{}, fn);
  for_each_problem(event_problems{}, fn);
  for_each_problem(problem_sets{}, fn);
}

[[noreturn]] void unknown(std::string_view name) {
  std::vector<std::string_view> known;
  for_each_named_problem([&](const auto& f) { known.emplace_back(f.name); });
  const std::string nearest = nearest_name(name, known);
  misuse("unknown problem " + in_quotes(name) + " (not in the list of named problems) " +
         (nearest.empty() ? "run 'revode list problems'?"
                          : "did you mean " + in_quotes(nearest) + "?"));
}

}  // namespace

auto catalog() -> std::vector<catalog_entry> {
  std::vector<catalog_entry> entries;
  for_each_named_problem([&]<class F>(const F&) {
    int size = 0;
    if constexpr (requires { F::default_size; }) size = F::default_size;
    entries.push_back(
        {F::name, F::summary, F::source, size, is_stiff<F>, has_events<F>, has_mass_v<F>});
  });
  return entries;
}

template <int Alignment>
auto make_problem(std::string_view spec) -> erased_problem {
  if (auto of_file = find_file_problem(spec)) return *std::move(of_file);
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  argument a;
  if (colon != std::string_view::npos) a = {true, spec.substr(colon + 1)};
  if (auto plain = find_plain_problem(name, a)) return *std::move(plain);
  if (auto stiff = find_stiff_problem(name, a)) return *std::move(stiff);
  if (auto massive = find_massive_problem(name, a)) return *std::move(massive);
  if (auto further = find_further_problem(name, a)) return *std::move(further);
  unknown(name);
}
template auto make_problem<>(std::string_view) -> erased_problem;

auto nearest_name(std::string_view name, std::span<const std::string_view> known) -> std::string {
  std::string_view best;
  std::size_t least = 0;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (best.empty() || distance < least) best = candidate, least = distance;
  }
  return 2 * least > best.size() ? std::string() : std::string(best);
}

}  // namespace revode
