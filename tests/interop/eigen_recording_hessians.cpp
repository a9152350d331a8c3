// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/interop/eigen_recording.hpp>
#include <revode/loop/scan.hpp>

#include "dual_matrices.hpp"

// Hessian-vector products through loops: a scan over duals, pulled back.

namespace revode {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using matrix = rebind_t<MatrixXd, D>;
using vector = rebind_t<VectorXd, D>;

const MatrixXd xs = MatrixXd::Random(4, 12) / 4;
const VectorXd h0 = VectorXd::Random(4);

/// h ← tanh(W h) + x; the loss is Σ h².
constexpr auto cell = [](const auto& h, const auto& x, const auto& w, auto& next, auto&) {
  next = (w * h).array().tanh().matrix() + x;
};
MatrixXd gradient(const MatrixXd& w) {
  auto run = scan(cell, h0, xs, w, no_values<double>{}, {.slots = 3});
  return run.pullback(2 * run.carry()).params;
}
auto pulled(const MatrixXd& w, const MatrixXd& along, const loop_options& o) {
  auto run =
      scan(cell, vector(h0.cast<D>()), matrix(xs.cast<D>()), moving(w, along), no_values<D>{}, o);
  return run.pullback(2 * run.carry());
}

}  // namespace

TEST_CASE("the Hessian of Σ (p_i^n h_i)²: 2n (2n − 1) p^(2n − 2) h², to the last bit") {
  const VectorXd p{{0.5, 1, 2}}, h{{4, 3, 0.125}}, v{{1, -2, 0.5}};
  const auto body = [](const auto& h, const auto&, const auto& p, auto& next, auto&) {
    next = p.cwiseProduct(h);
  };
  for (const index slots : {1, 2, 6}) {
    auto run = scan(body, vector(h.cast<D>()), step_numbers{5}, moving(p, v), no_values<D>{},
                    {.slots = slots});
    const auto g = run.pullback(2 * run.carry());
    CHECK(value_part(g.params) == VectorXd(10 * p.array().pow(9) * h.array().square()));
    CHECK(moving_part(g.params) ==
          VectorXd(90 * p.array().pow(8) * h.array().square() * v.array()));
  }
}

TEST_CASE("a recurrence: uᵀ H v = vᵀ H u, differences, and the same bits for every schedule") {
  const MatrixXd w = MatrixXd::Random(4, 4), u = MatrixXd::Random(4, 4), v = MatrixXd::Random(4, 4);
  const auto expected = pulled(w, v, {.schedule = schedule_kind::store_all});
  const MatrixXd hv = moving_part(expected.params), hu = moving_part(pulled(w, u, {}).params);
  CHECK((value_part(expected.params) - gradient(w)).norm() < 1e-13);
  CHECK(std::abs(dot(u, hv) - dot(v, hu)) < 1e-12 * u.norm() * hv.norm());
  const auto difference = [&](double by) {
    return MatrixXd((gradient(w + by * v) - gradient(w - by * v)) / (2 * by));
  };
  const MatrixXd near = (4 * difference(2e-4) - difference(4e-4)) / 3;
  CHECK((hv - near).norm() < 1e-9 * near.norm());
  for (const auto kind : {schedule_kind::binomial, schedule_kind::online, schedule_kind::nested}) {
    const auto g = pulled(w, v, {.base = 2, .slots = 2, .schedule = kind});
    CHECK(moving_part(g.params) == hv);
    CHECK(moving_part(g.xs) == moving_part(expected.xs));
    CHECK(moving_part(g.carry) == moving_part(expected.carry));
  }
}

}  // namespace revode
