// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/rober.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

using state = vec<double, 3>;
const problem<rober, state, state> stiff{rober{}, {1, 0, 0}, 0, 100, rober{}.parameters()};
const options tight{.rtol = 1e-8, .atol = 1e-12};

struct pair_decay {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = -(p[0] * y[0] * y[0]) + p[1] * y[1];
    dy[1] = -(p[0] * y[1] * y[1]) + p[1] * (y[0] + t);
  }
};
using two = vec<double, 2>;
const problem<pair_decay, two, two> quick{pair_decay{}, {1, 2}, 0, 1, {0.5, 0.2}};

template <class M>
void agrees() {
  const state w{1, 0, 0};
  const auto exact = solve(stiff, M{}, tight, recursive_checkpoint{}).pullback(w);
  const auto along = solve(stiff, M{}, tight, interpolating{.every = 30}).pullback(w);
  const auto alone = solve(stiff, M{}, tight, gauss{}).pullback(w);
  REQUIRE(along.status == status::success);
  REQUIRE(alone.status == status::success);
  CHECK(alone.backward.jacobian_evaluations > 0);
  for (int i = 0; i < 3; ++i) {
    CHECK(std::abs(along.p[i] / exact.p[i] - 1) < 1e-5);
    CHECK(std::abs(alone.p[i] / exact.p[i] - 1) < 1e-5);
    CHECK(std::abs(alone.y0[i] / exact.y0[i] - 1) < 1e-5);
  }
}

/// u·H v = v·H u, and the values are the gradient's.
template <class M>
void symmetric() {
  const options o{.fixed_step = 0.02};
  const auto loss = [](const auto& y) { return y[0] * y[1]; };
  const tangents<two, two> u{.y0 = {0.3, -1}, .p = {1, 0.2}}, v{.y0 = {-0.8, 0.1}, .p = {0.4, 1}};
  const auto hu = hessian_vector_product(quick, M{}, o, loss, u);
  const auto hv = hessian_vector_product(quick, M{}, o, loss, v);
  const double vhu = dot(v.y0, hu.product->y0) + dot(v.p, hu.product->p);
  const double uhv = dot(u.y0, hv.product->y0) + dot(u.p, hv.product->p);
  CHECK(std::abs(vhu / uhv - 1) < 1e-10);
  CHECK(hu.gradient->p == hv.gradient->p);
}

}  // namespace

TEST_CASE("continuous adjoints of Robertson's problem by an implicit method") { agrees<rodas5p>(); }

TEST_CASE("Hessian products of implicit methods are symmetric") {
  symmetric<kvaerno3>();
  symmetric<rodas5p>();
}

}  // namespace revode
