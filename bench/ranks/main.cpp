// SPDX-License-Identifier: Apache-2.0
// revode-bench-ranks: solves and gradients over so many ranks as mpiexec makes, as a line of JSON of the first (run.py).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/mpi/mpi_ensemble.hpp>
#include <revode/mpi/mpi_session.hpp>
#include <revode/mpi/over_blocks.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/revode.hpp>

#include "../machine.hpp"

using namespace revode;
using json = nlohmann::json;

namespace {

constexpr int columns = 256;

/// Gray and Scott's substances as in examples/48: u in the first half of a row of the torus, v in the second.
struct gray_scott {
  template <class T, class P>
  void operator()(const block_place& b, const T&, block_rows<const T> y, const P& p,
                  block_rows<T> dy) const {
    for (int i = 0; i < b.rows; ++i)
      for (int c = 0; c < columns; ++c) {
        const auto flow = [&](int first) {
          const int left = first + (c + columns - 1) % columns, right = first + (c + 1) % columns;
          return y(i - 1, first + c) + y(i + 1, first + c) + y(i, left) + y(i, right) -
                 4 * y(i, first + c);
        };
        const T u = y(i, c), v = y(i, columns + c), made = u * v * v;
        dy(i, c) = p[0] * flow(0) - made + p[2] * (1 - u);
        dy(i, columns + c) = p[1] * flow(columns) + made - (p[2] + p[3]) * v;
      }
  }
};

/// The least clock of three runs, of the slowest rank each; `run` says what the last found.
template <class Run>
double least(const communicator& ranks, const Run& run) {
  double best = 0;
  for (int k = 0; k < 3; ++k) {
    MPI_Barrier(ranks.handle());
    const double start = MPI_Wtime();
    run();
    double took = MPI_Wtime() - start, slowest = 0;
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, ranks.handle());
    best = k == 0 ? slowest : std::fmin(best, slowest);
  }
  return best;
}

/// Drops of v, one on each 32 rows, spread until t = 30.
json grid(const communicator& ranks, int rows) {
  const spread_layout layout(ranks, {.rows = rows, .width = 2 * columns, .rows_a_block = 8});
  spread<double> y0(layout), right(layout);
  for (int i = 0; i < length(y0); ++i) {
    const revode::index row = layout.first_row() + i / (2 * columns);
    const int column = i % columns;
    const bool v = i % (2 * columns) >= columns;
    const double far = std::hypot(static_cast<double>(row % 32) - 15, column % 32 - 12.0);
    const double drop = std::exp(-far * far / 10);
    y0[i] = v ? 0.5 * drop : 1 - 0.5 * drop;
    right[i] = v && column >= columns / 2 ? 1 : 0;
  }
  const over_blocks f(layout, {.rows = 1, .periodic = true}, gray_scott{});
  const problem q{f, y0, 0.0, 30.0, block_parameters<double>(layout, {0.16, 0.08, 0.035, 0.06})};
  const options o{.rtol = 1e-6, .atol = 1e-8};
  statistics stats;
  revode::index exchanges = 0;  // of halos: each product with a derivative takes two
  const double forward = least(ranks, [&] { stats = solve(q, tsit5{}, o).stats; });
  double by_feed = 0;
  revode::index bytes = 0, collectives = 0;
  const double both = least(ranks, [&] {
    collectives = ranks.statistics().collectives;
    auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 10});
    const auto g = s.pullback(right);
    exchanges =
        s.stats.field_evaluations + g.reverse.field_evaluations + 2 * g.reverse.vjp_evaluations;
    collectives = ranks.statistics().collectives - collectives;
    by_feed = g.p[2];
    bytes = g.reverse.peak_bytes;
  });
  return {{"rows", rows},
          {"unknowns", 2 * columns * rows},
          {"attempts", stats.accepted + stats.rejected},
          {"solve", forward},
          {"gradient", both},
          {"collectives", collectives},
          {"bytes", bytes},
          {"by_feed", by_feed},
          {"evaluations", stats.field_evaluations},
          {"exchanges", exchanges}};
}

/// Half the squares of all ends, and its gradient by every start and rate.
json lorenz_sweep(const communicator& ranks, int lanes) {
  ensemble<lorenz, vec<double, 3>, vec<double, 3>> e{.y0 = {{1, 0, 0}}, .t1 = {10}, .p = {}};
  for (int l = 0; l < lanes; ++l) e.p.push_back({10, 20 + 10.0 * l / lanes, 8.0 / 3});
  const auto square = [](revode::index, const auto& y) {
    return 0.5 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
  };
  mpi_ensemble<tsit5, lorenz, vec<double, 3>, vec<double, 3>, on_device, 0, false> all(
      ranks, e, tsit5{}, {.rtol = 1e-8, .atol = 1e-8}, {.results = lanes_on::none});
  double loss = 0;
  const double both = least(ranks, [&] { loss = all.gradient(square).total_loss; });
  return {{"lanes", lanes}, {"gradient", both}, {"loss", loss}};
}

}  // namespace

int main(int argc, char** argv) {
  mpi_session session(argc, argv);
  const communicator ranks;
  const json found{{"ranks", ranks.size()},
                   {"strong", grid(ranks, 512)},
                   {"weak", grid(ranks, 64 * ranks.size())},
                   {"lanes", lorenz_sweep(ranks, 16'384)},
                   {"machine", machine()}};
  if (ranks.rank() == 0) std::printf("%s\n", found.dump().c_str());
}
