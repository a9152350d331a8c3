// SPDX-License-Identifier: Apache-2.0
// Laws at index 2 and 3 of more stages, and of more constraints. Cotangents of multipliers grow by 1/h², so that
// the more stages cancel, the more of them is rounding.
#include <cmath>
#include <type_traits>
#include <utility>

#include <revode/problems/andrews.hpp>
#include <revode/problems/car_axis.hpp>
#include <revode/problems/pendulum_index2.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/solvers/radau.hpp>
#include <revode/solvers/radau_iia13.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>

#include "mass_index_laws.hpp"

namespace revode {
namespace {

TEST_CASE_TEMPLATE("laws at index 2 and 3 of more stages", M, radau, radau_iia9, radau_iia13) {
  for (const auto& [fixed, t1] : {std::pair{0.0, 2.0}, {0.05, 2.0}, {1e-4, 2e-3}}) {
    const options o{.rtol = 1e-5, .atol = 1e-7, .fixed_step = fixed};
    check_index_laws(M{}, pendulum_index2{}, o, t1, 2e-13);
    check_index_laws(M{}, pendulum_index3{}, o, t1, std::is_same_v<M, radau_iia9> ? 2e-12 : 1e-11);
  }
}

TEST_CASE("laws at index 3 with two multipliers") {
  check_index_laws(radau_iia5{}, car_axis{}, {.rtol = 1e-5, .atol = 1e-5}, 0.5, 1e-12);
  check_index_laws(radau_iia9{}, car_axis{}, {.rtol = 1e-5, .atol = 1e-5}, 0.5, 1e-12);
}

TEST_CASE("laws and the reference of a mechanism with accelerations and six multipliers") {
  const andrews f;
  check_index_laws(radau_iia5{}, f, {.rtol = 1e-5, .atol = 1e-5}, 0.005, 1e-12);
  const options o{.rtol = 1e-9, .atol = 1e-9};
  const auto s = solve(problem_of(f), radau_iia9{}, o);
  REQUIRE(s.status == status::success);
  for (int i = 0; i < 7; ++i)
    CHECK(std::abs(s.y[i] - f.reference()[i]) <= 1e-6 * (1 + std::abs(f.reference()[i])));
}

}  // namespace
}  // namespace revode
