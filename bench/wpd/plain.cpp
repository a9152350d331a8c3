// SPDX-License-Identifier: Apache-2.0
#include "plain.hpp"
#include "grids.hpp"

namespace revode::wpd {

std::vector<plain> plain_problems(const contest& c) {
  std::vector<plain> found;
  for_each_problem(stiff_problems{}, [&](const auto& f) {
    if (contest::among(c.problems, f.name)) found.push_back(plain_of(f));
  });
  return found;
}

std::vector<task> tasks() {
  std::vector<task> found;
  for_each_problem(stiff_problems{}, [&](const auto& f) {
    found.push_back(
        {f.name, static_cast<int>(f.y0().size()),
         [f](const std::vector<double>& y, double rtol) { return mixed_digits(f, y, rtol); },
         [f](const std::vector<double>& y) { return digits_of(f, y, 1e-300); }});
  });
  for (task& q : grid_tasks()) found.push_back(std::move(q));
  return found;
}

}  // namespace revode::wpd
