// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

struct driven_pendulum {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = y[1] + p[2] * t;
    dy[1] = -(p[0] * sin(y[0])) - p[1] * y[1] * cos(p[2] * t);
  }
};
constexpr vec<double, 2> start{0.4, 1.0};
constexpr vec<double, 3> parameters{1.5, 0.2, 0.7};

TEST_CASE("reversible Heun: one evaluation a step, the laws, order 2 with dense output") {
  problem q{driven_pendulum{}, start, 0.3, 2.3, parameters};
  options o{.rtol = 1e-3, .atol = 1e-4, .fixed_step = 0.05};
  const recursive_checkpoint adjoint{.slots = 3};

  CHECK(solve(q, reversible_heun{}, o).stats.field_evaluations == 41);
  for (const double step : {0.05, 0.0}) {
    CAPTURE(step);
    o.fixed_step = step;
    o.save.ts = {0.3, 0.812, 0.833, 2.1, 2.3};
    CHECK(replay_law(q, reversible_heun{}, o).holds);
    CHECK(dot_product_law(q, reversible_heun{}, o, adjoint, 1).holds);
    CHECK(frozen_grid_law(q, reversible_heun{}, o, adjoint).holds);
    CHECK(equal_gradients_law(q, reversible_heun{}, o, adjoint,
                              {.schedule = schedule_kind::store_all})
              .holds);
    o.save.ts = {0.812, 2.11};
    CHECK(finite_difference_check(q, reversible_heun{}, o, adjoint).worst < 1e-7);
  }
  CHECK(order_law(reversible_heun{}, pendulum).holds);
  CHECK(order_law(reversible_heun{}, driven_pair).holds);
  CHECK(dense_order_law(reversible_heun{}, driven_pair, 2).holds);
}

TEST_CASE("reversible Heun: a thousand steps forward and back end where they began") {
  const reversible_heun m;
  system<driven_pendulum, vec<double, 2>, vec<double, 3>> sys(driven_pendulum{}, parameters);
  auto c = make_carry<reversible_heun>(start);
  auto tape = make_like<reversible_heun_tape<vec<double, 2>>>(start);
  const auto time = [](int i) { return 0.3 + 0.01 * i; };
  begin(m, sys, time(0), start, c);
  for (int i = 0; i < 1000; ++i) replay(m, sys, time(i), time(i + 1), nothing{}, c, tape);
  CHECK(std::abs(c.state.y[0] - start[0]) > 1e-2);
  for (int i = 999; i >= 0; --i) step_back(m, sys, time(i), time(i + 1), c, tape);
  for (int i = 0; i < 2; ++i) {
    CHECK(std::abs(c.state.y[i] - start[i]) < 1e-12);
    CHECK(std::abs(c.state.hat[i] - start[i]) < 1e-12);
  }
}

TEST_CASE("reversible Heun: a snapshot is made of two states, both copied") {
  using states = std::vector<double>;
  leapfrog_pair<states> pair(states(5, 1.0));
  fill(pair, 3.0);
  std::size_t pieces = 0, bytes = 0;
  for_each_piece(pair, [&](void*, std::size_t size) {
    ++pieces;
    bytes += size;
  });
  CHECK(pieces == 2);
  CHECK(bytes == 2 * 5 * sizeof(double));
}

}  // namespace
}  // namespace revode
