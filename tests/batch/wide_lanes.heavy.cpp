// SPDX-License-Identifier: Apache-2.0
// Lanes whose element loops are written out (lane_state.hpp), where those of single solves are loops.
#include <doctest/doctest.h>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_dense.hpp>
#include <revode/batch/ensemble_events.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/tsit5.hpp>

#include "event_checks.hpp"
#include "lanes.hpp"

namespace revode {
namespace {

constexpr int n = 20;
using ring = vec<double, n>;
using force = vec<double, 1>;

ensemble<lorenz96, ring, force> rings() {
  ensemble<lorenz96, ring, force> e{.f = {.n = n}, .t1 = {1.0}, .p = {}};
  for (index l = 0; l < 19; ++l) {
    ring y;
    for (int i = 0; i < n; ++i) y[i] = 8 + 0.01 * static_cast<double>((i * l) % 7);
    e.y0.push_back(y);
    e.p.push_back({8 + 0.05 * static_cast<double>(l)});
  }
  e.save_ts = {{0.3, 0.7}};
  return e;
}

/// Names its types, as a user's may: the first component of all points and of the end.
struct sum_of_first {
  REVODE_HD double operator()(index, const ring& y, const lane_points<ring>& ys, ring& y_bar,
                              lane_point_bars<ring>& bars) const {
    double sum = y[0];
    y_bar[0] = 1;
    for (index k = 0; k < ys.size(); ++k) {
      sum += ys.at(k)[0];
      bars.add(k, ring{1});
    }
    return sum;
  }
};

template <int W>
void check_gradients(const lane_memory& memory) {
  const auto e = rings();
  ensemble_solver<tsit5, lorenz96, ring, force, on_host, W> solver(e, tsit5{}, {});
  const auto g = solver.gradient(sum_of_first{}, memory);
  for (index l = 0; l < lanes_of(e); ++l) {
    auto alone =
        solve(problem_of(e, l), tsit5{}, options_of(e, {}, l), recursive_checkpoint{.slots = 5});
    const auto single = alone.pullback(cotangents<ring>{.y = ring{1}, .ys = {ring{1}, ring{1}}});
    const auto at = static_cast<std::size_t>(l);
    CHECK(g.y0[at] == single.y0);
    CHECK(g.p[at] == single.p);
  }
}

TEST_CASE("wide lanes: gradients in the bits of single solves") {
  check_gradients<16>({});
  check_gradients<4>({.plan = lane_memory_plan::controller, .slots = 4});
  check_gradients<1>({.plan = lane_memory_plan::log, .slots = 4});
}

TEST_CASE("wide lanes: dense output in the bits of single solves") {
  auto e = rings();
  e.save_ts.clear();
  auto d = solve(e, tsit5{}, {}, dense_output{}, on_host{});
  const auto found = d(0.45);
  for (index l = 0; l < lanes_of(e); ++l)
    CHECK(found[static_cast<std::size_t>(l)] ==
          solve(problem_of(e, l), tsit5{}, {}, dense_output{})(0.45));
}

struct first_passes_nine {
  static constexpr bool passes = true;
  template <class T, class Y, class P>
  T condition(const T&, const Y& y, const P&) const {
    return y[0] - 9;
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P&, Y& y_new) const {
    y_new[1] = y[1] + 0.1;
  }
};

TEST_CASE("wide lanes: events in the bits of single solves") {
  auto e = rings();
  const auto s = solve(e, tsit5{}, {}, std::vector{events(first_passes_nine{})}, on_host{});
  std::size_t occurred = 0;
  for (index l = 0; l < lanes_of(e); ++l) {
    CHECK(same_as_alone(
        s, l, solve(problem_of(e, l), tsit5{}, options_of(e, {}, l), events(first_passes_nine{}))));
    occurred += s.events[static_cast<std::size_t>(l)].size();
  }
  CHECK(occurred > 19);
}

}  // namespace
}  // namespace revode
