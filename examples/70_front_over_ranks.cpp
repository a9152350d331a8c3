// SPDX-License-Identifier: Apache-2.0
// prints: a front over [0-9]+ cells, on [0-9]+ ranks?
// prints: reaches cell 200 at t = [0-9]+\.[0-9]+
// prints: one rank alone: the same bits
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/mpi/block_event.hpp>
#include <revode/mpi/mpi_session.hpp>
#include <revode/mpi/over_blocks.hpp>
#include <revode/revode.hpp>

using namespace revode;

/// Fisher's equation on a line with walls: what burns, u = 1, heats its neighbours, which catch fire.
struct burning {
  template <class T, class P>
  void operator()(const block_place& b, const T&, block_rows<const T> u, const P& p,
                  block_rows<T> du) const {
    for (int i = 0; i < b.rows; ++i) {
      T flow(0);
      if (!(b.begins() && i == 0)) flow = flow + (u(i - 1) - u(i));
      if (!(b.ends() && i == b.rows - 1)) flow = flow + (u(i + 1) - u(i));
      du(i) = p[0] * flow + p[1] * u(i) * (1 - u(i));
    }
  }
};

/// The end: a cell is half burnt, on whichever rank it is.
struct arrives {
  static constexpr auto direction = crossing::rising;
  static constexpr bool terminal = true;
  revode::index cell = 200;
  template <class T, class P>
  void add(const block_place& b, const T&, block_rows<const T> u, const P&,
           std::span<T> sum) const {
    if (b.holds(cell)) sum[0] += u(b.at(cell));
  }
  template <class T, class P>
  T condition(const T&, std::span<const T> sum, const P&) const {
    return sum[0] - 0.5;
  }
};

struct found {
  double when;
  gradient<spread<double>, block_parameters<double>> g;  // of that time
};

found solve_over(const communicator& ranks, double diffusion, double rate) {
  const spread_layout layout(ranks, {.rows = 256, .rows_a_block = 16});
  spread<double> u0(layout);
  for (int i = 0; i < length(u0); ++i) u0[i] = layout.first_row() + i < 10 ? 1 : 0;
  const over_blocks f(layout, {.rows = 1}, burning{});
  const problem q{f, u0, 0.0, 200.0, block_parameters<double>(layout, {diffusion, rate})};
  auto s = solve(q, tsit5{}, {.rtol = 1e-8, .atol = 1e-10}, events(block_event{arrives{}}),
                 recursive_checkpoint{.slots = 10});
  assert(s.status == status::terminal_event);
  return {s.t, s.pullback({.events = {1.0}})};
}

// When does the front come, and what do diffusion and reaction do to that time? mpiexec -n 4 …
int main(int argc, char** argv) {
  mpi_session session(argc, argv);
  const communicator ranks;
  const found here = solve_over(ranks, 2, 0.5);
  assert(here.g.status == status::success);
  const double step = 1e-4;
  const auto slope = [&](double by_d, double by_r) {
    return (solve_over(ranks, 2 + by_d, 0.5 + by_r).when -
            solve_over(ranks, 2 - by_d, 0.5 - by_r).when) /
           (2 * step);
  };
  const double by_d = slope(step, 0), by_r = slope(0, step);
  assert(std::abs(here.g.p[0] - by_d) < 1e-5 * std::abs(by_d));
  assert(std::abs(here.g.p[1] - by_r) < 1e-5 * std::abs(by_r));
  const found alone = solve_over(communicator(MPI_COMM_SELF), 2, 0.5);
  const bool same =
      alone.when == here.when && alone.g.p[0] == here.g.p[0] && alone.g.p[1] == here.g.p[1];
  assert(same);
  if (ranks.rank() != 0) return 0;
  std::printf("a front over 256 cells, on %d rank%s\n", ranks.size(), ranks.size() > 1 ? "s" : "");
  std::printf("reaches cell 200 at t = %.8f, its speed at most 2 √(D r) = %.3f\n", here.when,
              2 * std::sqrt(2 * 0.5));
  std::printf("by diffusion %.7f, by differences %.7f\n", here.g.p[0], by_d);
  std::printf("by reaction  %.7f, by differences %.7f\n", here.g.p[1], by_r);
  std::printf("one rank alone: %s\n", same ? "the same bits" : "other bits");
}
