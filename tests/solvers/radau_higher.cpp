// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/radau_iia13.hpp>
#include <revode/solvers/radau_iia9.hpp>

#include "implicit_fields.hpp"

namespace revode {
namespace {

template <class M>
void check_orders() {
  for (const auto& f : {pendulum, driven_pair}) {
    const law_result end = order_law(M{}, f, -0.7, 3.3);
    CHECK_MESSAGE(end.holds, end.what);
    const law_result inside = dense_order_law(M{}, f, M::dense_order, -0.7, 3.3);
    CHECK_MESSAGE(inside.holds, inside.what);
  }
}

TEST_CASE(
    "Radau of five and seven stages: the orders are 9 and 13, those of dense output 5 and 7") {
  check_orders<radau_iia9>();
  check_orders<radau_iia13>();
}

TEST_CASE("Radau of five stages: replays, products and duals agree, mild and stiff") {
  for (const double stiffness : {40.0, 4e4})
    check_implicit_laws(radau_iia9{}, vec{0.5, 1.0}, vec{stiffness, 1.3});
}

TEST_CASE("Radau of five stages: the n-th step after a rejection is 1.1^n times as long at most") {
  options o{.first_step = 1.0};  // too long: it is rejected
  o.save.every = 1;
  const auto s =
      solve(problem{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e4, 1.3}}, radau_iia9{}, o);
  REQUIRE(s.stats.rejected > 2);
  double most = 1.1;
  for (std::size_t k = 2; k < 6; ++k) {
    most *= 1.1;
    CHECK((s.ts[k] - s.ts[k - 1]) / (s.ts[k - 1] - s.ts[k - 2]) == doctest::Approx(most));
  }
}

}  // namespace
}  // namespace revode
