// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>

#include <revode/problems/lotka_volterra.hpp>
#include <revode/solvers/all.hpp>
#include <revode/testing/order.hpp>

namespace revode {

template <class M, class F>
void check_order(const M& m, const F& f) {
  const law_result at_end = order_law(m, f);
  CHECK_MESSAGE(at_end.holds, at_end.what);
  const law_result inside = dense_order_law(m, f, std::min(M::order, M::dense_order + 1));
  CHECK_MESSAGE(inside.holds, inside.what);
}

/// The error falls with the order of each method, and that of dense output with its own.
template <class Methods>
void check_orders(Methods methods) {
  for_each_method(methods, [](const auto& m) {
    check_order(m, pendulum);
    check_order(m, driven_pair);
  });
}

/// Fixed steps commute with linear changes of variables.
template <class Methods>
void check_equivariance(Methods methods) {
  const lotka_volterra f;
  const problem q{f, f.y0(), 0.0, 2.0, f.parameters()};
  for_each_method(methods, [&](const auto& m) {
    const options o{.fixed_step = 0.02};
    const auto scaled = equivariance_law(q, m, o, change_of_variables::scaling, 0);
    CHECK_MESSAGE(scaled.holds, scaled.what);
    const auto sheared = equivariance_law(q, m, o, change_of_variables::shear, 1e-13);
    CHECK_MESSAGE(sheared.holds, sheared.what);
  });
}

}  // namespace revode
