// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solve/step_lines.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {

TEST_CASE("the gradient on a given grid: equal bits for all slots, and the outer times move") {
  const std::vector<double> grid{0, 0.25, 0.5, 1};
  const auto rotation = [](auto, const auto& y, const auto&, auto& dy) {
    dy[0] = y[1];
    dy[1] = -y[0];
  };
  const problem q{rotation, vec{1.0, 0.0}, 0.0, 1.0};
  const options o{.grid = grid, .stops = {0.4}};
  auto all = solve(q, rk4{}, o, recursive_checkpoint{.schedule = schedule_kind::store_all});
  auto one = solve(q, rk4{}, o, recursive_checkpoint{.slots = 1});
  const auto g = all.pullback(vec{1.0, 0.0}), h = one.pullback(vec{1.0, 0.0});
  CHECK(all.stats.accepted == 4);
  CHECK(g.y0[0] == h.y0[0]);
  CHECK(g.t1 == h.t1);
  // R(h) of rk4 is 1 + z + z²/2 + z³/6 + z⁴/24 at z = −i h: the last factor's derivative is R'(1/2)
  const auto map = [&](double t1) {
    double re = 1, im = 0;
    for (const double step : {0.25, 0.15, 0.1, t1 - 0.5}) {
      const double a = 1 - step * step / 2 + std::pow(step, 4) / 24;
      const double b = -step + step * step * step / 6;
      const double next = re * a - im * b;
      im = re * b + im * a;
      re = next;
    }
    return re;
  };
  CHECK(all.y[0] == doctest::Approx(map(1)).epsilon(1e-14));
  CHECK(g.t1 == doctest::Approx((map(1 + 1e-6) - map(1 - 1e-6)) / 2e-6).epsilon(1e-8));
}

TEST_CASE("a gradient tells of no attempt twice") {
  using state = vec<double, 3>;
  const problem chaos{lorenz{}, state{1.0, 1.0, 20.0}, 0.0, 2.0, vec{10.0, 28.0, 8.0 / 3}};
  const options o{.rtol = 1e-3, .first_step = 1};
  std::ostringstream lines, again;
  solve(chaos, tsit5{}, o, events(step_lines{lines}));
  auto d = solve(chaos, tsit5{}, o, events(step_lines{again}),
                 recursive_checkpoint{.slots = 2, .log = step_replay::controller});
  d.pullback(state{1, 0, 0});
  CHECK(again.str() == lines.str());
}

}  // namespace revode
