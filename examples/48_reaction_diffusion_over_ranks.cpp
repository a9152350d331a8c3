// SPDX-License-Identifier: Apache-2.0
// prints: 32 × 32 cells, two substances, on [0-9]+ ranks?
// prints: [0-9]+ attempts, [0-9]+ collectives forwards, 1 backwards
// prints: one rank alone: the same bits
#include <cassert>
#include <cmath>
#include <cstdio>
#include <fstream>

#include <revode/mpi/mpi_session.hpp>
#include <revode/mpi/over_blocks.hpp>
#include <revode/revode.hpp>

using namespace revode;
constexpr int cells = 32;

/// Gray and Scott's substances, u in the first half of a row of the grid and v in the second: v makes itself
/// of u, u is fed, v is taken away, both diffuse. The grid is a torus.
struct gray_scott {
  template <class T, class P>
  void operator()(const block_place& b, const T&, block_rows<const T> y, const P& p,
                  block_rows<T> dy) const {
    for (int i = 0; i < b.rows; ++i)
      for (int c = 0; c < cells; ++c) {
        const auto flow = [&](int first) {
          const int left = first + (c + cells - 1) % cells, right = first + (c + 1) % cells;
          return y(i - 1, first + c) + y(i + 1, first + c) + y(i, left) + y(i, right) -
                 4 * y(i, first + c);
        };
        const T u = y(i, c), v = y(i, cells + c), made = u * v * v;
        dy(i, c) = p[0] * flow(0) - made + p[2] * (1 - u);
        dy(i, cells + c) = p[1] * flow(cells) + made - (p[2] + p[3]) * v;
      }
  }
};

using grid = spread<double>;
using rates = block_parameters<double>;

/// Calls of a rank for its part: visit(element, row, column, is it v?).
template <class Visit>
void for_each_cell(const grid& y, const Visit& visit) {
  for (int i = 0; i < length(y); ++i)
    visit(i, y.layout().first_row() + i / (2 * cells), i % cells, i % (2 * cells) >= cells);
}

/// ⟨x, y⟩ over all ranks.
double product(const grid& x, const grid& y) {
  return sums_over<1>(x, [&](int i, double* sum) { *sum += x[i] * y[i]; }).of[0];
}

struct found {
  double loss;
  grid y;
  gradient<grid, rates> g;
  revode::index attempts, forwards, backwards;
};

/// A drop of v spreads; the loss is how much of it has come to the right half at the end.
found solve_over(const communicator& ranks, double moved, const grid* direction) {
  const spread_layout layout(ranks, {.rows = cells, .width = 2 * cells, .rows_a_block = 4});
  grid y0(layout), right(layout);
  for_each_cell(y0, [&](int i, revode::index row, int column, bool v) {
    const double far = std::hypot(static_cast<double>(row) - 15, column - 12.0);
    const double drop = std::exp(-far * far / 10);
    y0[i] = v ? 0.5 * drop : 1 - 0.5 * drop;
    if (direction != nullptr) y0[i] += moved * (*direction)[i];
    right[i] = v && column >= cells / 2 ? 1 : 0;
  });
  const over_blocks f(layout, {.rows = 1, .periodic = true}, gray_scott{});
  const problem q{f, y0, 0.0, 30.0, rates(layout, {0.16, 0.08, 0.035, 0.06})};
  const revode::index start = ranks.statistics().collectives;
  auto s = solve(q, tsit5{}, {.rtol = 1e-6, .atol = 1e-8}, recursive_checkpoint{.slots = 5});
  const revode::index turn = ranks.statistics().collectives;
  auto g = s.pullback(right);
  const revode::index end = ranks.statistics().collectives;
  return {product(right, s.y), s.y,       g, s.stats.accepted + s.stats.rejected,
          turn - start,        end - turn};
}

/// Left v at the end, right what more v in a cell at the start would do for the loss. Each rank draws its rows.
void draw(const char* path, const communicator& ranks, const found& of) {
  double most = 0;
  for (int i = 0; i < length(of.y); ++i) most = std::fmax(most, std::abs(of.g.y0[i]));
  most = most_of_all(of.y, most);
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank == ranks.rank()) {
      std::ofstream svg(path, rank == 0 ? std::ios::trunc : std::ios::app);
      if (rank == 0) svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 66 32'>\n";
      for_each_cell(of.y, [&](int i, revode::index row, int column, bool v) {
        const auto cell = [&](int x, double dark) {
          svg << "<rect x='" << x << "' y='" << row << "' width='1.02' height='1.02' fill='"
              << (dark < 0 ? "#d55e00" : "#0072b2") << "' fill-opacity='" << std::abs(dark)
              << "'/>\n";
        };
        if (v) cell(column, 2.5 * of.y[i]), cell(column + 34, of.g.y0[i] / most);
      });
      if (rank + 1 == ranks.size()) svg << "</svg>\n";
    }
    MPI_Barrier(ranks.handle());
  }
}

// What of the drop at the start makes v reach the right half, and what do the rates do? mpiexec -n 4 … [FILE.svg]
int main(int argc, char** argv) {
  mpi_session session(argc, argv);
  const communicator ranks;
  const found here = solve_over(ranks, 0, nullptr);
  assert(here.g.status == status::success);
  const bool speaks = ranks.rank() == 0;
  if (speaks) {
    std::printf("%d × %d cells, two substances, on %d rank%s\n", cells, cells, ranks.size(),
                ranks.size() > 1 ? "s" : "");
    std::printf("%lld attempts, %lld collectives forwards, %lld backwards\n",
                static_cast<long long>(here.attempts), static_cast<long long>(here.forwards),
                static_cast<long long>(here.backwards));
    std::printf("loss %.6f; by feed %.4f, by kill %.4f\n", here.loss, here.g.p[2], here.g.p[3]);
  }
  if (argc > 1) draw(argv[1], ranks, here);
  // along the gradient itself, by the adjoint and by two more solves
  const double slope = product(here.g.y0, here.g.y0), step = 1e-4 / std::sqrt(slope);
  const double up = solve_over(ranks, step, &here.g.y0).loss,
               down = solve_over(ranks, -step, &here.g.y0).loss;
  if (speaks) std::printf("slope %.8f, by differences %.8f\n", slope, (up - down) / (2 * step));
  assert(std::abs((up - down) / (2 * step) - slope) < 1e-4 * slope);

  const found alone = solve_over(communicator(MPI_COMM_SELF), 0, nullptr);
  bool same = alone.loss == here.loss;
  for (int j = 0; j < 4; ++j) same = same && alone.g.p[j] == here.g.p[j];
  if (speaks) std::printf("one rank alone: %s\n", same ? "the same bits" : "other bits");
  assert(same);
}
