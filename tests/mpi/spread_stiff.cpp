// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/mpi/block_event.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas3p.hpp>

#include "spread_problems.hpp"
#include "thrown_words.hpp"

namespace revode {
namespace {

/// The ring with a source that depends on t, and what may go wrong in its last row behind t = 0.01.
struct driven_ring {
  enum { nothing, throws, gives_nan } what = nothing;
  template <class T, class P>
  void operator()(const block_place& b, const T& t, block_rows<const T> u, const P& p,
                  block_rows<T> du) const {
    ring{}(b, t, u, p, du);
    for (int i = 0; i < b.rows; ++i) du(i) = du(i) + p[1] * t * t * u(i + 1);
    if (what == nothing || !b.ends() || !(t > 0.01)) return;
    if (what == throws) throw std::runtime_error("no source");
    du(0) = du(0) * std::nan("");
  }
};
/// Its last row reaches a level.
struct last_row {
  static constexpr auto direction = crossing::rising;
  static constexpr bool terminal = true;
  template <class T, class P>
  void add(const block_place& b, const T&, block_rows<const T> u, const P&,
           std::span<T> sum) const {
    if (b.ends()) sum[0] += u(b.rows - 1);
  }
  template <class T, class P>
  T condition(const T&, std::span<const T> sum, const P&) const {
    return sum[0] - 0.2;
  }
};

constexpr spread_shape shape{.rows = 30, .rows_a_block = 4};
const options loose{.rtol = 1e-4, .atol = 1e-6};

struct solved {
  solution<spread<double>> s;
  gradient<spread<double>, block_parameters<double>> g;
  index forward, reverse;  // collectives
};

template <class M, class... E>
solved solve_over(const M& m, const spread_layout& layout, int slots,
                  const event_list<E...>& list) {
  const over_blocks f(layout, {.rows = 1, .periodic = true}, driven_ring{});
  const problem q{f, bumps(layout, 0), 0.0, 0.03, block_parameters<double>(layout, {30.0, 2.0})};
  const index before = layout.ranks().statistics().collectives;
  auto s = solve(q, m, loose, list, recursive_checkpoint{.slots = slots});
  const index behind = layout.ranks().statistics().collectives;
  auto g = s.pullback(uneven_bumps(layout, 1));
  return {s, g, behind - before, layout.ranks().statistics().collectives - behind};
}

template <class M, class... E>
solved check_bits(const M& m, const event_list<E...>& list) {
  const both_layouts on(shape);
  const solved whole = solve_over(m, on.alone, 100, list);
  REQUIRE(whole.g.status == status::success);
  const solved part = solve_over(m, on.spread_out, 2, list);
  CHECK(part.s.t == whole.s.t);
  CHECK(is_part(part.s.y, whole.s.y));
  CHECK(is_part(part.g.y0, whole.g.y0));
  for (int j = 0; j < 2; ++j) CHECK(part.g.p[j] == whole.g.p[j]);
  CHECK(part.forward == whole.forward);
  return whole;
}

/// Solution and gradient beside those by matrices of a state in one place.
template <class M>
void check_beside_matrices(const M& m, const solved& of) {
  const auto elements = [](const spread<double>& y) {
    return std::vector<double>(y.data(), y.data() + y.size());
  };
  const both_layouts on(shape);
  const problem here{in_one_block<driven_ring>{}, elements(bumps(on.alone, 0)), 0.0, 0.03,
                     std::vector<double>{30.0, 2.0}};
  auto expected = solve(here, m, loose, recursive_checkpoint{});
  const auto h = expected.pullback(elements(uneven_bumps(on.alone, 1)));
  CHECK(of.s.stats.accepted == expected.stats.accepted);
  double most = 0, apart = 0;
  for (int i = 0; i < length(of.s.y); ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(std::abs(of.s.y[i] - expected.y[at]) < 1e-9);
    most = std::fmax(most, std::abs(h.y0[at]));
    apart = std::fmax(apart, std::abs(of.g.y0[i] - h.y0[at]));
  }
  CHECK(apart < 1e-8 * most);
  for (int j = 0; j < 2; ++j)
    CHECK(std::abs(of.g.p[j] - h.p[static_cast<std::size_t>(j)]) < 1e-8 * std::abs(of.g.p[j]));
  CHECK(std::abs(of.g.t1 - h.t1) < 1e-8 * std::abs(h.t1));
}

TEST_CASE(
    "spread: Rosenbrock steps by GMRES have the bits of one rank, and are those by matrices") {
  const solved of = check_bits(with_algebra<rodas3p, gmres<>>{}, events());
  REQUIRE(of.s.status == status::success);
  const statistics& n = of.s.stats;
  const index attempts = n.accepted + n.rejected;
  // of a trial whether there are factors, and how it went; of GMRES one a solve, three a product at most
  CHECK(of.forward <= 3 + 2 * attempts + n.linear_solves + 3 * n.jvp_evaluations);
  CHECK(of.forward > 2 * attempts + n.linear_solves + 2 * n.jvp_evaluations);
  check_beside_matrices(rodas3p{}, of);
}

TEST_CASE("spread: Radau steps by GMRES have the bits of one rank, and are those by matrices") {
  const solved of = check_bits(with_algebra<radau_iia5, gmres<>>{}, events());
  check_beside_matrices(radau_iia5{}, of);
}

TEST_CASE("spread: an event ends steps by GMRES in the bits of one rank") {
  const solved of = check_bits(with_algebra<rodas3p, gmres<>>{}, events(block_event{last_row{}}));
  CHECK(of.s.status == status::terminal_event);
  check_bits(with_algebra<radau_iia5, gmres<>>{}, events(block_event{last_row{}}));
}

TEST_CASE("spread: Rosenbrock and Radau steps by GMRES end alike where one rank goes wrong") {
  const spread_layout layout(communicator(), shape);
  const auto end = [&](const auto& m, const driven_ring& field) {
    std::string how;
    how += thrown_by([&] {
      const over_blocks f(layout, {.rows = 1, .periodic = true}, field);
      const problem q{f, bumps(layout, 0), 0.0, 0.03,
                      block_parameters<double>(layout, {30.0, 2.0})};
      how = name(solve(q, m, loose).status);
    });
    CHECK(same_everywhere(how));
    return how;
  };
  const auto ends = [&](const auto& m) {
    CHECK(end(m, {}) == "success");
    CHECK(end(m, {driven_ring::throws}) == "thrown: no source");
    CHECK(end(m, {driven_ring::gives_nan}) == "non_finite_field");
  };
  ends(with_algebra<rodas3p, gmres<>>{});
  ends(with_algebra<radau_iia5, gmres<>>{});
}

}  // namespace
}  // namespace revode
