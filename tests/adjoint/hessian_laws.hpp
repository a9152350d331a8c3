// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <oracles/moving_hessian.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>

#include "events_at_hand.hpp"

namespace revode::hessian_laws {

/// Everything depends on everything: the kick moves parameters, the doses meet each other and t1.
using at_hand::parameters, at_hand::state;
template <class F>
problem<F, state, parameters> problem_of(const F& f) {
  return {f, {0.4, 1.0}, 0.1, 3.1, {1.5, 0.2, 0.8}};
}
inline const auto list =
    events(at_hand::kick{}, at_hand::dose{}, at_hand::scaling{{0.3, 1.4, 1.4, 5}});
inline options through_all(double h) {
  options o{.rtol = 1e-5, .fixed_step = h, .stops = {0.7, 1.9}, .discontinuities = {2}};
  o.save = {.t0 = true, .ts = {0.5, 1.3, 2.6}, .t1 = true};
  return o;
}
inline const auto loss_of_all = [](const auto& y, const auto& ys, const auto& times) {
  auto sum = y[0] * y[1] * y[1];
  for (std::size_t k = 0; k < ys.size(); ++k)
    sum = sum + (0.3 + 0.1 * static_cast<double>(k)) * ys[k][0] * ys[k][1];
  for (std::size_t k = 0; k < times.size(); ++k)
    sum = sum + (1 + static_cast<double>(k)) * times[k] * times[k] * y[0];
  return sum;
};
inline const tangents<state, parameters> everywhere{.y0 = {0.3, -0.4},
                                                    .p = {1, 0.5, -0.2},
                                                    .t0 = 0.7,
                                                    .t1 = -0.6,
                                                    .ts = {0.3, 0.1, -0.2},
                                                    .stops = {0.5, 0.2, -0.1},
                                                    .times = {{}, {}, {0.4, -0.3, 0.6, 0.1}}};

template <class M, class F = at_hand::driven>
void by_duals_of_duals(const M& m, double bound, const F& f = {}) {
  const auto q = problem_of(f);
  for (const double h : {0.26, 0.0}) {
    const options o = through_all(h);
    const auto r = hessian_vector_product(q, m, o, list, loss_of_all, everywhere, 5);
    REQUIRE(r.product);
    REQUIRE(r.solution.events.size() >= 5);
    const auto law = moving_hessian_law(q, m, o, list, loss_of_all, everywhere, *r.product, bound);
    CAPTURE(std::string(M::name));
    CAPTURE(h);
    CAPTURE(law.what);
    CAPTURE(law.worst);
    CHECK(law.holds);
  }
}

}  // namespace revode::hessian_laws
