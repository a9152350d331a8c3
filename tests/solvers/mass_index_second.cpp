// SPDX-License-Identifier: Apache-2.0
// Hessian products and running costs at index 3.
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/solvers/radau_iia5.hpp>

namespace revode {
namespace {

const problem swing{pendulum_index3{}, pendulum_index3{}.y0(), 0.0, 2.0, vec{9.81, 1.0}};
const options tight{.rtol = 1e-9, .atol = 1e-9};

TEST_CASE("second derivatives and running costs are there at index 3") {
  const options fixed{.fixed_step = 0.05};
  const auto loss = [](const auto& y) { return y[0] * y[1] + y[2] * y[2]; };
  const tangents<vec<double, 5>, vec<double, 2>> v{.y0 = {0, 0, 0, 0, 0}, .p = {0.4, 0.7}};
  const auto h = hessian_vector_product(swing, radau_iia5{}, fixed, loss, v);
  constexpr double step = 1e-5;
  auto above = swing, below = swing;
  axpy(step, v.p, above.p), axpy(-step, v.p, below.p);
  const auto a = *value_and_gradient(above, radau_iia5{}, fixed, loss).gradient;
  const auto b = *value_and_gradient(below, radau_iia5{}, fixed, loss).gradient;
  for (int i = 0; i < 2; ++i)
    CHECK(h.product->p[i] == doctest::Approx((a.p[i] - b.p[i]) / (2 * step)).epsilon(1e-6));

  const loss_with_running_cost energy{[](const auto& y) { return 0.0 * y[0]; },
                                      [](const auto&, const auto& y, const auto& p) {
                                        return 0.5 * (y[2] * y[2] + y[3] * y[3]) +
                                               p[0] / p[1] * y[1];
                                      }};
  const auto r = value_and_gradient(swing, radau_iia5{}, tight, energy);
  CHECK(std::abs(*r.value) <= 1e-6);  // of a pendulum that started at rest, at height 0
  CHECK(std::abs(r.gradient->p[0]) <= 1e-6);
}

}  // namespace
}  // namespace revode
