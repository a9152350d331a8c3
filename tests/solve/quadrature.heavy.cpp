// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

constexpr auto decay = [](auto, const auto& y, const auto& p, auto& dy) { dy[0] = -p[0] * y[0]; };
/// (∫ y dt, 10⁶ ∫ t y² dt)
constexpr auto integrals = [](auto t, const auto& y, const auto&, auto& dq) {
  dq[0] = y[0];
  dq[1] = 1e6 * t * y[0] * y[0];
};

}  // namespace

TEST_CASE("quadratures are carried beside the state, and do not choose its steps when outside") {
  const problem q{decay, vec{2.0}, 0.0, 3.0, vec{0.5}};
  const options o{.rtol = 1e-9, .atol = 1e-11};
  const auto z = with_quadrature(q, integrals, vec{1.0, 0.0});
  const auto alone = solve(q, tsit5{}, o);
  const auto s = solve(z, tsit5{}, z.f.outside_norm(o));
  CHECK(s.stats.accepted == alone.stats.accepted);
  CHECK(solve(z, tsit5{}, o).stats.accepted > alone.stats.accepted);
  CHECK(z.f.state_of(s.y)[0] == doctest::Approx(alone.y[0]).epsilon(1e-14));
  const auto integral = z.f.integral_of(s.y);
  CHECK(integral[0] == doctest::Approx(1 + 4 * (1 - std::exp(-1.5))).epsilon(1e-8));
  CHECK(integral[1] == doctest::Approx(4e6 * (1 - 4 * std::exp(-3.0))).epsilon(1e-7));
}

TEST_CASE("the gradient goes through quadratures, in dynamic containers as well") {
  const problem q{decay, std::vector{2.0}, 0.0, 3.0, std::vector{0.5}};
  const auto z = with_quadrature(q, integrals, vec{0.0, 0.0});
  auto s = solve(z, tsit5{}, z.f.outside_norm(options{.rtol = 1e-10, .atol = 1e-12}),
                 recursive_checkpoint{.slots = 3});
  const auto g = s.pullback(std::vector{0.0, 1.0, 0.0});
  // L = (y0/p) (1 − e^{−pT})
  CHECK(g.y0[0] == doctest::Approx(2 * (1 - std::exp(-1.5))).epsilon(1e-9));
  CHECK(g.p[0] == doctest::Approx(-8 * (1 - std::exp(-1.5)) + 12 * std::exp(-1.5)).epsilon(1e-9));
}

TEST_CASE("a running cost may be outside the norm, and goes with tolerances by component") {
  const problem q{decay, vec{2.0}, 0.0, 3.0, vec{0.5}};
  const auto none = [](const auto& y) { return 0 * y[0]; };
  const auto large = [](auto t, const auto& y, const auto&) { return 1e6 * t * y[0] * y[0]; };
  const options o{.rtol = 1e-9, .norm = {.atol = {1e-11}}};
  const auto inside = value_and_gradient(q, tsit5{}, o, loss_with_running_cost{none, large});
  const auto outside = value_and_gradient(q, tsit5{}, o, loss_with_running_cost{none, large, true});
  CHECK(outside.solution.stats.accepted == solve(q, tsit5{}, o).stats.accepted);
  CHECK(inside.solution.stats.accepted > outside.solution.stats.accepted);
  CHECK(*outside.value == doctest::Approx(*inside.value).epsilon(1e-7));
}

}  // namespace revode
