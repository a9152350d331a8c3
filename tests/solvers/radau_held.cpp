// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "radau_stages.hpp"

namespace revode {
namespace {

const problem robertsons{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 1e11, robertson_rates};

template <int S>
void check_bits_of_one_order(double rtol) {
  const options o{.rtol = rtol, .atol = 1e-6 * rtol};
  const recursive_checkpoint adjoint{.slots = 5};
  auto held = solve(robertsons, radau{.first = S, .least = S, .most = S}, o, adjoint);
  auto fixed = solve(robertsons, radau_iia<S>{}, o, adjoint);
  CHECK(equal_bits(held.y, fixed.y));
  CHECK(held.stats.factorizations == fixed.stats.factorizations);
  CHECK(held.stats.jacobian_evaluations == fixed.stats.jacobian_evaluations);
  CHECK(held.stats.field_evaluations == fixed.stats.field_evaluations);
  const auto a = held.pullback(vec{1.0, 2.0, 3.0}), b = fixed.pullback(vec{1.0, 2.0, 3.0});
  CHECK(equal_bits(a.p, b.p));
  CHECK(equal_bits(a.y0, b.y0));
}

TEST_CASE("radau: held to one number of stages it is the fixed method, bit for bit") {
  for (const double rtol : {1e-5, 1e-9}) {
    check_bits_of_one_order<3>(rtol);
    check_bits_of_one_order<5>(rtol);
    check_bits_of_one_order<7>(rtol);
  }
}

TEST_CASE("radau: equal steps and given ones have as many stages as the first") {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e4, 1.3}};
  options given{};
  given.grid = {0, 0.1, 0.3, 0.8, 1.5};
  for (const options& o : {options{.fixed_step = 0.05}, given}) {
    CHECK(equal_bits(solve(q, radau{}, o).y, solve(q, radau_iia5{}, o).y));
    CHECK(equal_bits(solve(q, radau{.first = 5}, o).y, solve(q, radau_iia9{}, o).y));
  }
}

}  // namespace
}  // namespace revode
