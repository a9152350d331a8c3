// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solvers/bs5.hpp>

namespace revode {
namespace {

/// y' = −p y², y = y0 / (1 + p y0 t)
struct square_decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -(p[0] * y[0] * y[0]);
  }
};
using one = vec<double, 1>;

}  // namespace

TEST_CASE("a Hessian through save points of a method whose dense output takes further stages") {
  const problem<square_decay, one, one> q{square_decay{}, {1.5}, 0, 2, {0.5}};
  const options o{.rtol = 1e-8, .atol = 1e-9, .save = {.ts = {0.7, 0.7001, 1.3}}};
  const auto loss = [](const auto&, const auto& ys) {
    auto sum = ys[0][0] * ys[0][0] * ys[0][0];
    for (std::size_t k = 1; k < ys.size(); ++k) sum += ys[k][0] * ys[k][0] * ys[k][0];
    return sum;
  };
  const auto h = hessian_vector_product(q, bs5{}, o, loss, {.y0 = one{0}, .p = one{1}});
  const auto g = value_and_gradient(q, bs5{}, o, loss);
  CHECK(h.value == g.value);
  CHECK(h.gradient->p == g.gradient->p);
  double bend = 0;  // d²/dp² of y³
  for (const double t : o.save.ts) {
    const double d = 1 + 0.75 * t, y = 1.5 / d, y_p = -2.25 * t / (d * d);
    bend += 6 * y * y_p * y_p + 3 * y * y * (2 * 3.375 * t * t / (d * d * d));
  }
  CHECK(h.product->p[0] == doctest::Approx(bend).epsilon(1e-6));
}

}  // namespace revode
