// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/tsit5.hpp>

#include "spread_problems.hpp"

namespace revode {
namespace {

template <class Local>
struct solved {
  solution<spread<double>> s;
  gradient<spread<double>, block_parameters<double>> g;
  index forward, reverse;  // collectives
};

template <class Local>
solved<Local> solve_over(const spread_layout& layout, const halo_shape& halo, const Local& local,
                         std::initializer_list<double> p, double t1, int slots) {
  const over_blocks f(layout, halo, local);
  const problem q{f, bumps(layout, 0), 0.0, t1, block_parameters<double>(layout, p)};
  const index before = layout.ranks().statistics().collectives;
  auto s = solve(q, tsit5{}, {.rtol = 1e-5, .atol = 1e-7}, recursive_checkpoint{.slots = slots});
  const index behind = layout.ranks().statistics().collectives;
  auto g = s.pullback(uneven_bumps(layout, 1));
  return {s, g, behind - before, layout.ranks().statistics().collectives - behind};
}

template <class Local>
void check_bits(const both_layouts& on, const halo_shape& halo, const Local& local,
                std::initializer_list<double> p, double t1, index rejected) {
  const auto whole = solve_over(on.alone, halo, local, p, t1, 1000);
  REQUIRE(whole.s.status == status::success);
  REQUIRE(whole.g.status == status::success);
  CHECK(whole.s.stats.rejected == rejected);
  for (const int slots : {1, 3, 1000}) {
    const auto part = solve_over(on.spread_out, halo, local, p, t1, slots);
    CHECK(part.s.stats.accepted == whole.s.stats.accepted);
    CHECK(is_part(part.s.y, whole.s.y));
    CHECK(is_part(part.g.y0, whole.g.y0));
    for (int j = 0; j < part.g.p.count(); ++j) CHECK(part.g.p[j] == whole.g.p[j]);
    CHECK(part.g.t0 == whole.g.t0);
    CHECK(part.g.t1 == whole.g.t1);
    CHECK(part.forward == part.s.stats.accepted + part.s.stats.rejected + 3);
    CHECK(part.reverse == 1);
  }
}

TEST_CASE("spread: a ring has the bits of one rank, by both forms of the halo's adjoint") {
  const both_layouts on({.rows = 250, .rows_a_block = 16});
  check_bits(on, {.rows = 1, .periodic = true}, ring{}, {30.0, 2.0}, 0.1, 1);
  check_bits(on, {.rows = 1, .periodic = true}, gathering_ring{}, {30.0, 2.0}, 0.1, 1);
}

TEST_CASE("spread: reaction and diffusion on a grid have the bits of one rank") {
  const both_layouts on({.rows = 13, .width = 2 * 9, .rows_a_block = 2});
  check_bits(on, {.rows = 1}, grid_reaction{}, {4.0, 2.0, 0.3, 0.6}, 0.5, 0);
}

TEST_CASE("spread: all ranks plan for the largest part, and have the bits of any other plan") {
  const both_layouts on({.rows = 100, .rows_a_block = 8});  // parts of unequal size
  const auto plan = [](const spread_layout& layout, const recursive_checkpoint& adjoint) {
    const over_blocks f(layout, {.rows = 1, .periodic = true}, ring{});
    const problem q{f, bumps(layout, 0), 0.0, 0.05, block_parameters<double>(layout, {30.0, 2.0})};
    auto s = solve(q, tsit5{}, {}, adjoint);
    auto g = s.pullback(bumps(layout, 1));
    return std::pair(s.plan().request.slots, g);
  };
  const auto whole = plan(on.alone, {.slots = 1000});
  for (const index budget : {60'000, 100'000}) {
    const auto [slots, g] = plan(on.spread_out, {.budget = budget});
    for (const index there : on.world.gather(slots)) CHECK(there == slots);
    CHECK(g.reverse.peak_bytes <= budget);
    CHECK(is_part(g.y0, whole.second.y0));
    CHECK(g.p[0] == whole.second.p[0]);
  }
}

TEST_CASE("spread: solution, save points and all derivatives are those of a state in one place") {
  const both_layouts on({.rows = 60, .rows_a_block = 8});
  const options o{.rtol = 1e-4, .atol = 1e-6, .stops = {0.03}, .save = {.ts = {0.013, 0.04}}};
  const recursive_checkpoint adjoint{.slots = 2};
  const auto weights = [](const spread_layout& layout) {
    cotangents<spread<double>> w{.y = bumps(layout, 1)};
    w.ys = {bumps(layout, 2), bumps(layout, 3)};
    return w;
  };
  const over_blocks f(on.spread_out, {.rows = 1, .periodic = true}, ring{});
  const problem q{f, bumps(on.spread_out, 0), 0.0, 0.05,
                  block_parameters<double>(on.spread_out, {30.0, 2.0})};
  auto s = solve(q, tsit5{}, o, adjoint);
  const auto g = s.pullback(weights(on.spread_out));

  const auto elements = [](const spread<double>& y) {
    return std::vector<double>(y.data(), y.data() + y.size());
  };
  const auto w = weights(on.alone);
  const problem here{whole_ring{}, elements(bumps(on.alone, 0)), 0.0, 0.05,
                     std::vector<double>{30.0, 2.0}};
  auto expected = solve(here, tsit5{}, o, adjoint);
  const auto h = expected.pullback(cotangents<std::vector<double>>{
      .y = elements(*w.y), .ys = {elements(w.ys[0]), elements(w.ys[1])}});

  const auto close = [](double a, double b) {
    return std::abs(a - b) <= 1e-11 * (1 + std::abs(b));
  };
  const auto all_close = [&](const spread<double>& part, const std::vector<double>& all) {
    for (int i = 0; i < length(part); ++i)
      if (!close(part[i], all[static_cast<std::size_t>(on.spread_out.first_row() + i)]))
        return false;
    return true;
  };
  REQUIRE(s.stats.accepted == expected.stats.accepted);
  CHECK(all_close(s.y, expected.y));
  for (std::size_t k = 0; k < 2; ++k) CHECK(all_close(s.ys[k], expected.ys[k]));
  CHECK(all_close(g.y0, h.y0));
  for (int j = 0; j < 2; ++j) CHECK(close(g.p[j], h.p[static_cast<std::size_t>(j)]));
  CHECK(close(g.t0, h.t0));
  CHECK(close(g.t1, h.t1));
  for (std::size_t k = 0; k < 2; ++k) CHECK(close(g.ts[k], h.ts[k]));
  CHECK(close(g.stops[0], h.stops[0]));
}

}  // namespace
}  // namespace revode
