// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/solvers/tsit5.hpp>

#include "lane_gradients.hpp"

namespace revode {
namespace {

TEST_CASE("lane gradients: the bits of each lane's own pullback, for any width and memory plan") {
  const auto e = mixed_lanes(75);
  for (const auto plan :
       {lane_memory_plan::states, lane_memory_plan::log, lane_memory_plan::controller}) {
    CAPTURE(static_cast<int>(plan));
    const lane_memory memory{.plan = plan, .slots = 5};
    check_against_pullbacks(e, tsit5{}, {}, false,
                            gradient_by<16>(e, tsit5{}, {}, end_loss{}, memory));
    check_against_pullbacks(e, tsit5{}, {}, false,
                            gradient_by<1>(e, tsit5{}, {}, end_loss{}, memory));
  }
}

TEST_CASE("lane gradients: losses of save points") {
  auto e = mixed_lanes(40);
  add_save_points(e);
  const options o{.save = {.t0 = true, .t1 = true}};
  for (const auto plan :
       {lane_memory_plan::states, lane_memory_plan::log, lane_memory_plan::controller}) {
    const lane_memory memory{.plan = plan, .slots = 4};
    check_against_pullbacks(e, tsit5{}, o, true,
                            gradient_by<16>(e, tsit5{}, o, points_loss{}, memory));
  }
}

/// y' = p t: y(t) = y0 + p (t² − t0²)/2.
struct ramp {
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T& t, const Y&, const P& p, Y& dy) const {
    dy[0] = p[0] * t;
  }
};
struct sum_of_points {
  template <class Y, class Points, class Bars>
  double operator()(index, const Y& y, const Points& ys, Y& y_bar, Bars& bars) const {
    double sum = y[0];
    y_bar[0] = 1;
    for (index k = 0; k < ys.size(); bars.add(k++, Y{1})) sum += ys.at(k)[0];
    return sum;
  }
};

TEST_CASE("lane gradients: times of a field of time alone") {
  ensemble<ramp, vec<double, 1>, vec<double, 1>> e{
      .y0 = {{1.0}}, .t0 = {0.5, 1, 2}, .t1 = {3, 1, 0.25}, .p = {{2.0}}};
  e.save_ts = {{0.75, 1.5}, {1}, {2, 1.25, 0.25}};
  for (const double fixed : {0.0, 0.3}) {
    const auto g = gradient_of_times<4>(e, tsit5{}, {.fixed_step = fixed}, sum_of_points{});
    for (std::size_t l = 0; l < 3; ++l) {
      CHECK(g.t1[l] == doctest::Approx(2 * e.t1[l]).epsilon(1e-13));
      for (std::size_t k = 0; k < e.save_ts[l].size(); ++k)
        CHECK(g.ts[l][k] == doctest::Approx(2 * e.save_ts[l][k]).epsilon(1e-13));
      const double terms = 1 + static_cast<double>(e.save_ts[l].size());
      CHECK(g.t0[l] == doctest::Approx(-2 * e.t0[l] * terms).epsilon(1e-13));
    }
  }
}

TEST_CASE("lane gradients: other parameters, with memory for the counts of the ones before") {
  auto e = mixed_lanes(75);
  ensemble_solver<tsit5, lorenz, state, state, place, 16, false> solver(e, tsit5{}, {});
  solver.gradient(end_loss{});
  for (auto& p : e.p) p[1] += 9;  // more steps
  solver.set_parameters(e.p);
  const auto changed = solver.gradient(end_loss{});
  const auto fresh = gradient_by<16>(e, tsit5{}, {}, end_loss{});
  CHECK(changed.total_p == fresh.total_p);
  CHECK(changed.p[40] == fresh.p[40]);
  CHECK(changed.t0.empty());
}

TEST_CASE("lane gradients: the sums do not depend on width or place") {
  const auto e = mixed_lanes(2100);
  const options o{.rtol = 1e-4, .atol = 1e-4};
  auto quick = e;
  quick.rtol.clear(), quick.atol.clear();
  const auto one = gradient_by<1>(quick, tsit5{}, o, end_loss{});
  const auto many = gradient_by<16>(quick, tsit5{}, o, end_loss{});
  CHECK(one.total_loss == many.total_loss);
  CHECK(one.total_p == many.total_p);
  CHECK(one.total_y0 == many.total_y0);
  double plain = 0;
  for (const double loss : one.loss) plain += loss;
  CHECK(std::abs(one.total_loss - plain) <= 1e-12 * std::abs(plain));
}

/// Of a lane that is told its loss counts `by` times.
struct scaled_loss {
  template <class Y, class Points, class Bars>
  double operator()(index lane, const Y& y, const Points&, Y& y_bar, Bars&) const {
    const double by = lane % 5 == 3 ? 1e307 : 1.0;
    y_bar = {by, by, by};
    return y[0];
  }
};

TEST_CASE(
    "lane gradients: a lane that overflows has a status and no numbers, the others have theirs") {
  const auto e = mixed_lanes(40);
  const auto check = [&](const auto& g) {
    index failed = 0;
    for (std::size_t l = 0; l < g.y0.size(); ++l) {
      const auto at = static_cast<index>(l);
      auto alone =
          solve(problem_of(e, at), tsit5{}, options_of(e, options{}, at), recursive_checkpoint{});
      if (alone.status != status::success) continue;
      const double by = l % 5 == 3 ? 1e307 : 1.0;
      const auto single = alone.pullback(state{by, by, by});
      CHECK(g.status[l] == single.status);
      CHECK((single.status == status::success ? g.p[l] == single.p : std::isnan(g.p[l][0])));
      failed += single.status != status::success;
    }
    CHECK(failed > 2);
    CHECK(g.failed() >= failed);
    CHECK(std::isnan(g.total_p[0]));
    CHECK(std::isfinite(g.total_loss));
  };
  check(gradient_of_times<4>(e, tsit5{}, {}, scaled_loss{}));
}

}  // namespace
}  // namespace revode
