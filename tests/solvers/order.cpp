// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include <revode/problems/lotka_volterra.hpp>
#include <revode/solvers/all.hpp>
#include <revode/testing/order.hpp>

namespace revode {
namespace {

template <class M, class F>
void check_order(const M& m, const F& f) {
  const law_result at_end = order_law(m, f);
  CHECK_MESSAGE(at_end.holds, at_end.what);
  const law_result inside = dense_order_law(m, f, std::min(M::order, M::dense_order + 1));
  CHECK_MESSAGE(inside.holds, inside.what);
}

TEST_CASE("the error of every method falls with its order, and that of dense output with its own") {
  for_each_method(basic_methods{}, [](const auto& m) {
    check_order(m, pendulum);
    check_order(m, driven_pair);
  });
}

TEST_CASE("fixed steps of every method commute with linear changes of variables") {
  const lotka_volterra f;
  const problem q{f, f.y0(), 0.0, 2.0, f.parameters()};
  for_each_method(basic_methods{}, [&](const auto& m) {
    const options o{.fixed_step = 0.02};
    const auto scaled = equivariance_law(q, m, o, change_of_variables::scaling, 0);
    CHECK_MESSAGE(scaled.holds, scaled.what);
    const auto sheared = equivariance_law(q, m, o, change_of_variables::shear, 1e-13);
    CHECK_MESSAGE(sheared.holds, sheared.what);
  });
}

}  // namespace
}  // namespace revode
