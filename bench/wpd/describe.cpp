// SPDX-License-Identifier: Apache-2.0
#include <revode/problems/all.hpp>

#include "report.hpp"

namespace revode::wpd {
namespace {

template <class Values>
std::vector<double> list_of(const Values& v) {
  return {v.data(), v.data() + v.size()};
}

}  // namespace

nlohmann::json describe(const contest& c, const std::vector<double>& tolerances) {
  nlohmann::json found = nlohmann::json::array();
  for_each_problem(stiff_problems{}, [&](const auto& f) {
    using problem = std::remove_cvref_t<decltype(f)>;
    if (!contest::among(c.problems, f.name) || static_cast<int>(f.y0().size()) > most_described)
      return;
    std::vector<double> atols;
    for (const double rtol : tolerances) atols.push_back(problem::atol(rtol));
    std::vector<int> components;
    if constexpr (requires { f.reference_components(); }) components = f.reference_components();
    found.push_back({{"name", f.name},
                     {"t0", problem::t0},
                     {"t1", problem::t1},
                     {"y0", list_of(f.y0())},
                     {"p", list_of(f.parameters())},
                     {"y", list_of(f.reference())},
                     {"components", components},
                     {"tolerances", tolerances},
                     {"atols", atols}});
  });
  return {{"problems", found}};
}

}  // namespace revode::wpd
