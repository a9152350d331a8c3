// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/rock4.hpp>

#include "spread_problems.hpp"

namespace revode {
namespace {

template <class M>
struct solved {
  solution<spread<double>> s;
  gradient<spread<double>, block_parameters<double>> g;
  index forward;  // collectives
};

template <class M, class Local>
solved<M> solve_by(const M& m, const spread_layout& layout, double rate, int slots,
                   const Local& local) {
  const over_blocks f(layout, {.rows = 1, .periodic = true}, local);
  const problem q{f, bumps(layout, 0), 0.0, 0.1, block_parameters<double>(layout, {rate, 2.0})};
  const index before = layout.ranks().statistics().collectives;
  auto s = solve(q, m, {.rtol = 1e-4, .atol = 1e-6}, recursive_checkpoint{.slots = slots});
  const index forward = layout.ranks().statistics().collectives - before;
  auto g = s.pullback(uneven_bumps(layout, 1));
  return {s, g, forward};
}

template <class M, class Local = ring>
solved<M> check_bits(const M& m, double rate, const Local& local = {}) {
  CAPTURE(M::name);
  const both_layouts on({.rows = 90, .rows_a_block = 8});
  const auto whole = solve_by(m, on.alone, rate, 100, local);
  const auto part = solve_by(m, on.spread_out, rate, 2, local);
  REQUIRE(whole.s.status == status::success);
  REQUIRE(whole.g.status == status::success);
  CHECK(whole.s.stats.accepted > 3);
  CHECK(part.s.stats.accepted == whole.s.stats.accepted);
  CHECK(is_part(part.s.y, whole.s.y));
  CHECK(is_part(part.g.y0, whole.g.y0));
  for (int j = 0; j < 2; ++j) CHECK(part.g.p[j] == whole.g.p[j]);
  return part;
}

TEST_CASE("spread: other explicit methods have the bits of one rank") {
  check_bits(dop853{}, 30);
  check_bits(rock4{}, 300);
}

TEST_CASE("spread: implicit steps by GMRES have the bits of one rank") {
  const auto [s, g, forward] = check_bits(with_algebra<kvaerno3, gmres<>>{}, 300);
  // two a trial, one an iteration, one a residual that may end a stage; of GMRES one a solve, three a product
  const statistics& n = s.stats;
  const index attempts = n.accepted + n.rejected;
  const index residuals = n.field_evaluations - 3 - n.accepted - 3 * attempts;
  CHECK(residuals < n.newton_iterations);
  CHECK(forward == 3 + 2 * attempts + n.newton_iterations + residuals + n.linear_solves +
                       3 * n.jvp_evaluations);
}

TEST_CASE("spread: a stiff part by GMRES, the other one explicitly, have the bits of one rank") {
  const auto split = check_bits(with_algebra<imex<kencarp3>, gmres<>>{}, 300, split_ring{});
  const auto whole = check_bits(with_algebra<kvaerno3, gmres<>>{}, 300);
  double most = 0;
  for (int i = 0; i < length(split.s.y); ++i)
    most = std::fmax(most, std::abs(split.s.y[i] - whole.s.y[i]));
  CHECK(most < 1e-3);  // one solution
}

}  // namespace
}  // namespace revode
