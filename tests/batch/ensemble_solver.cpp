// SPDX-License-Identifier: Apache-2.0
#include <revode/batch/ensemble_dense.hpp>
#include <revode/batch/ensemble_events.hpp>
#include <revode/io/restart.hpp>

#include "ensemble_checks.hpp"

namespace revode {
namespace {

TEST_CASE(
    "ensemble: every lane has the bits, counts and status of its single solve, for any width") {
  const auto e = mixed_lanes(203);
  const options o{};
  check_against_single_solves(e, tsit5{}, o, solve_by<1>(e, tsit5{}, o));
  check_against_single_solves(e, tsit5{}, o, solve_by<16>(e, tsit5{}, o));
  check_against_single_solves(e, tsit5{}, o, solve_by<32>(e, tsit5{}, o));
  check_against_single_solves(e, tsit5{}, o, solve(e, tsit5{}, o, on_host{}));
}

TEST_CASE("ensemble: save grids of different length, lane by lane") {
  auto e = mixed_lanes(60);
  add_save_points(e);
  const options o{.save = {.t0 = true, .t1 = true}};
  const auto s = solve_by<16>(e, tsit5{}, o);
  check_against_single_solves(e, tsit5{}, o, s);
  CHECK(s.ys.size(0) == 3);  // t0, t1 as a listed point and as the end
  CHECK(s.ys.size(6) == 8);
}

TEST_CASE("ensemble: a controller of two steps back and a bound on steps, which clamp") {
  const auto e = mixed_lanes(60);
  options o{.max_step = 0.02};
  o.controller = {.p = 0.3, .i = 0.4, .d = 0.05, .safety = 1.1};
  check_against_single_solves(e, tsit5{}, o, solve_by<16>(e, tsit5{}, o));
}

struct never {
  template <class P>
  REVODE_HD auto time(const P& p) const {
    return p[0] + 1e9;
  }
};
/// A device whose code was none, as nvcc makes of a kernel that calls the host.
struct asleep : place {
  static constexpr int width = 1;
  template <class Op>
  static void for_each(index, const Op&) {}
};

TEST_CASE("ensemble: lanes that nobody has solved are told") {
  ensemble_solver<tsit5, lorenz, state, state, asleep> solver(mixed_lanes(3), tsit5{}, {});
  solver.run();
  CHECK_THROWS_WITH_AS(solve(mixed_lanes(3), tsit5{}, {}, dense_output{}, asleep{}),
                       doctest::Contains("lane 0 was not solved"), std::runtime_error);
  CHECK_THROWS_WITH_AS(solve(mixed_lanes(3), tsit5{}, {}, events(never{}), asleep{}),
                       doctest::Contains("lane 0 was not solved"), std::runtime_error);
  CHECK_THROWS_WITH_AS(
      solver.result(),
      "lane 0 was not solved on the device (what it calls is the host's: nvcc warns of it by "
      "numbers 20011 to 20015) make it REVODE_HD, or run on_host{}?",
      std::runtime_error);
}

TEST_CASE("ensemble: an order of starting changes no bit") {
  auto e = mixed_lanes(100);
  const auto plain = solve(e, tsit5{}, {}, place{});
  for (index l = 0; l < 100; ++l) e.cost.push_back(static_cast<double>((l * 37) % 100));
  ensemble_solver<tsit5, lorenz, state, state, place> solver(e, tsit5{}, {});
  solver.run();
  const auto shuffled = solver.result();
  solver.sort_by_last_counts();
  solver.run();
  const auto again = solver.result();
  for (std::size_t l = 0; l < 100; ++l) {
    CHECK(plain.y[l] == shuffled.y[l]);
    CHECK(plain.y[l] == again.y[l]);
  }
}

TEST_CASE("ensemble: lanes that fail disturb nobody") {
  auto e = mixed_lanes(64);
  e.p[7][1] = std::numeric_limits<double>::quiet_NaN();
  e.p[20][1] = std::numeric_limits<double>::infinity();
  e.y0[33][0] = 1e308;
  e.rtol[40] = 1e-300, e.atol[40] = 0;
  const auto s = solve_by<16>(e, tsit5{}, {});
  check_against_single_solves(e, tsit5{}, {}, s);
  CHECK(s.status[7] == status::non_finite_field);
  CHECK(s.failed() >= 4);
}

/// y = (1 - p t)² where y0 = 1, whose slope is no number below 0: of √, or of 0/0 with the other sign.
struct no_number_below {
  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sqrt;
    dy[0] = -2.0 * p[0] * (p[1] > 0 ? sqrt(y[0]) : -sqrt(y[0]));
    if (p[1] < 0) dy[0] = -dy[0];
  }
};

TEST_CASE("ensemble: an attempt that meets no number is shortened, as alone") {
  ensemble<no_number_below, vec<double, 1>, vec<double, 2>> e;
  e.y0 = {{1.0}};
  e.p.clear();
  for (int l = 0; l < 20; ++l) e.p.push_back({1 - 0.01 * (l / 2), l % 2 == 0 ? 1.0 : -1.0});
  e.t1 = {0.9999};
  for (const double first : {0.0, 1.9}) {
    const options o{.rtol = 1e-3, .atol = 1e-6, .first_step = first, .max_steps = 200};
    const auto s = solve_by<8>(e, tsit5{}, o);
    check_against_single_solves(e, tsit5{}, o, s);
    CHECK(s.failed() == 0);
  }
}

struct throws_in_some {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    if (p[0] == 3 && t > 0.5) throw std::runtime_error("lane 3 is out of range");
    if (p[0] == 5) throw std::runtime_error("lane 5 cannot start");
    dy[0] = -p[0] * y[0];
  }
};

TEST_CASE(
    "ensemble: a field that throws ends its lane; the others finish; the exception is passed on") {
  ensemble<throws_in_some, vec<double, 1>, vec<double, 1>> e;
  e.y0 = {vec{1.0}};
  e.p.clear();
  for (int l = 0; l < 20; ++l) e.p.push_back({static_cast<double>(l)});
  ensemble_solver<tsit5, throws_in_some, vec<double, 1>, vec<double, 1>, place, 16> solver(
      e, tsit5{}, {});
  CHECK_THROWS_AS(solver.run(), std::runtime_error);
  const auto s = solver.result();
  for (index l = 0; l < 20; ++l) {
    const auto at = static_cast<std::size_t>(l);
    if (l == 3 || l == 5) {
      CHECK(s.status[at] == status::user_error);
      continue;
    }
    const auto alone = solve(problem_of(e, l), tsit5{}, {});
    CHECK(s.status[at] == status::success);
    CHECK(s.y[at] == alone.y);
    CHECK(s.stats[at].accepted == alone.stats.accepted);
  }
  CHECK(s.t[3] > 0);
  CHECK(s.t[3] <= 0.5);
  CHECK(s.t[5] == 0);
}

TEST_CASE("ensemble: misuse has a text") {
  ensemble<lorenz, state, state> e;
  CHECK(
      misuse_of([&] { solve(e, tsit5{}, {}, place{}); }) ==
      "an ensemble of 0 lanes (y0 is empty) give an initial state for each lane, or one for all?");
  e = mixed_lanes(5);
  e.rtol.pop_back();
  CHECK(misuse_of([&] { solve(e, tsit5{}, {}, place{}); }) ==
        "rtol with 4 elements in an ensemble of 5 lanes (each lane has its own, or all share one) "
        "give 5 of them, or 1?");
  e = mixed_lanes(5);
  e.rtol[3] = -1;
  CHECK(misuse_of([&] { solve(e, tsit5{}, {}, place{}); }) ==
        "lane 3: invalid tolerances rtol=-1, atol=1e-09 (tolerances are finite and not negative) "
        "give e.g. rtol=1e-6, atol=1e-9?");
  CHECK(misuse_of([&] {
          require_memory<on_host>(index{1} << 40, 1 << 20, "results");
        }).find(" lanes need 1152921504606846976 bytes for their results (") != std::string::npos);
  options lacking;
  lacking.step_rounding = rounding::bits24;
  CHECK(misuse_of([&] { solve(mixed_lanes(5), tsit5{}, lacking, place{}); }) ==
        "step_rounding in an ensemble (lanes side by side are without it) leave it out, or solve "
        "lane by lane with events()?");
  for (const auto& [o, what] :
       {std::pair{options{.norm = {.combine = maximum_norm}}, "norm"},
        std::pair{options{.grid = {0, 1}}, "grid"},
        std::pair{options{.controller = controllers::h211b()}, "a controller with a step ratio"}})
    CHECK(misuse_of([&o = o] { refuse_what_lanes_lack(o); }) ==
          std::string(what) +
              " in an ensemble (lanes side by side are without it) leave it out, or solve lane by "
              "lane with events()?");
  lacking = {};
  lacking.restart = kept_in({.file = "of_lanes.kept"});
  CHECK(misuse_of([&] { solve(mixed_lanes(5), tsit5{}, lacking, place{}); }) ==
        "restart in an ensemble (lanes side by side are without it) leave it out, or solve lane by "
        "lane with events()?");
  const std::string fits = misuse_of([] { require_memory<on_host>(3, index{1} << 60, "results"); });
  CHECK(fits.ends_with(" are free) solve at most 0 at a time?"));
}

}  // namespace
}  // namespace revode
