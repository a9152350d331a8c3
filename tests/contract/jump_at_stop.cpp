// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include "jump_at_stop.hpp"

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

using contract::driven_field;
using contract::jumping_tsit5;
using vector = vec<double, 2>;
const vector y0{0.4, 1.0}, y_bar{1.0, -0.7};
const vec p{1.5, 0.2, 0.3, -0.2};
const problem q{driven_field{}, y0, 0.1, 2.0, p};
const options saved{.save = {.t0 = true, .ts = {0.1, 0.5, 0.5, 1.1, 1.3, 2}, .t1 = true}};

/// The solve in two pieces, each with the save points that fall into it.
auto two_solves(const recursive_checkpoint& adjoint) {
  options first = saved, second = saved;
  first.save.ts.resize(4);
  first.save.t1 = second.save.t0 = false;
  second.save.ts = {1.3, 2};
  auto a = solve(problem{driven_field{}, y0, 0.1, 1.1, p}, tsit5{}, first, adjoint);
  vector middle = a.y;
  contract::jump(middle, p[2], p[3]);
  auto b = solve(problem{driven_field{}, middle, 1.1, 2.0, p}, tsit5{}, second, adjoint);
  return std::pair(std::move(a), std::move(b));
}

}  // namespace

TEST_CASE("a jump at a stop: one loop gives what two solves give, to the error of the steps") {
  const auto s = solve(q, jumping_tsit5{}, saved);
  const auto [a, b] = two_solves({});
  REQUIRE(s.ts == std::vector{0.1, 0.1, 0.5, 0.5, 1.1, 1.3, 2., 2.});
  for (std::size_t k = 0; k < 5; ++k)
    for (int i = 0; i < 2; ++i) CHECK(s.ys[k][i] == doctest::Approx(a.ys[k][i]).epsilon(1e-3));
  for (std::size_t k = 0; k < 3; ++k)
    for (int i = 0; i < 2; ++i) CHECK(s.ys[5 + k][i] == doctest::Approx(b.ys[k][i]).epsilon(1e-3));
  CHECK(s.status == status::success);
}

TEST_CASE("a jump at a stop: the laws of a step, and no stage serves across it") {
  const recursive_checkpoint adjoint{.slots = 3};
  CHECK(replay_law(q, jumping_tsit5{}, saved).what == "");
  CHECK(dot_product_law(q, jumping_tsit5{}, saved, adjoint, 1).holds);
  const options inside{.save = {.ts = {0.5, 1.3}}};
  CHECK(frozen_grid_law(q, jumping_tsit5{}, inside, adjoint).holds);
  CHECK(finite_difference_check(q, jumping_tsit5{}, inside, adjoint).worst < 1e-7);
  for (const index slots : {1, 2, 7})
    CHECK(equal_gradients_law(q, jumping_tsit5{}, saved, recursive_checkpoint{.slots = slots},
                              recursive_checkpoint{.schedule = schedule_kind::store_all})
              .what == "");
  // the first stage of the start, and the one behind the jump
  const options o{.first_step = 0.05};
  CHECK(solve(q, tsit5{}, o).stats.field_evaluations % 6 == 1);
  CHECK(solve(q, jumping_tsit5{}, o).stats.field_evaluations % 6 == 2);
}

TEST_CASE("a jump at a stop: the derivative by its time is that of the two steps' ends") {
  const jumping_tsit5 m;
  const auto grid = grid_of(q, m, {});
  std::size_t stop = 0;
  while (!m.at_stop(grid.t[stop])) ++stop;
  system<driven_field, vector, vec<double, 4>> sys(q.f, p);
  std::vector<rk_tape<tsit5, vector>> tapes(grid.records.size());
  const auto moved = [&](double by) {
    const jumping_tsit5 later{m.stop + by};
    auto t = grid.t;
    t[stop] += by;
    auto c = make_carry<jumping_tsit5>(y0);
    begin(later, sys, t[0], y0, c);
    for (std::size_t i = 0; i < tapes.size(); ++i)
      replay(later, sys, t[i], t[i + 1], grid.records[i], c, tapes[i]);
    return dot(y_bar, c.state);
  };
  const double difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
  moved(0);
  jumping_tsit5::scratch<vector> w;
  vector bar = y_bar;
  vec<double, 4> p_bar{};
  double by_stop = 0;
  for (std::size_t i = tapes.size(); i-- > 0;) {
    step_ends<double> ends;
    pull(m, sys, grid.t[i], grid.t[i + 1], grid.records[i], tapes[i], w, nullptr, bar, p_bar,
         &ends);
    if (i == stop) by_stop += ends.t;
    if (i + 1 == stop) by_stop += ends.t_new;
  }
  CHECK(by_stop == doctest::Approx(difference).epsilon(1e-8));
}

}  // namespace revode
