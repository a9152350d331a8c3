// SPDX-License-Identifier: Apache-2.0
// prints: 17 x 17 cells: 578 unknowns, 3468 entries of the Jacobian in 12 products
// prints: [0-9]+ steps, 1156 derivatives
// prints: forward mode agrees to
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <revode/interop/eigen/sparse.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/revode.hpp>

using namespace revode;

// A chemical oscillator with diffusion on a torus, four parameters in each cell, and the derivatives
// of the mean of its first species at t = 1.1 by all of them. The Jacobian's pattern is found once,
// and ten states are kept. `31_brusselator 64` does the same with 8,192 unknowns.
int main(int argc, char** argv) {
  const int width = argc > 1 ? std::atoi(argv[1]) : 17;
  const brusselator_2d f{width};
  const problem q{f, f.y0(), 0.0, 1.1, f.parameters()};
  const auto pattern = std::make_shared<const sparsity>(sparsity_of(q));
  std::printf("%d x %d cells: %d unknowns, %d entries of the Jacobian in %d products\n", width,
              width, pattern->size(), pattern->entries(), pattern->colours());

  const with_algebra<esdirk547, eigen_sparse> method{{}, {pattern}};
  const options o{.rtol = 1e-5, .atol = 1e-5};
  auto s = solve(q, method, o, recursive_checkpoint{.slots = 10});
  assert(s.status == status::success);

  const std::size_t cells = q.y0.size() / 2;
  std::vector<double> weight(q.y0.size(), 0.0);
  for (std::size_t k = 0; k < cells; ++k) weight[k] = 1.0 / static_cast<double>(cells);
  const auto g = s.pullback(weight);
  std::printf("%ld steps, %zu derivatives; by the mean a, b, alpha, beta:",
              static_cast<long>(s.stats.accepted), g.p.size());
  for (std::size_t kind = 0; kind < 4; ++kind) {
    double sum = 0;
    for (std::size_t k = 0; k < cells; ++k) sum += g.p[kind * cells + k];
    std::printf(" %.6f", sum);
  }

  // One of all directions, by forward mode.
  tangents<std::vector<double>, std::vector<double>> along{.y0 = q.y0, .p = q.p};
  for (std::size_t k = 0; k < along.p.size(); ++k) along.p[k] = std::sin(static_cast<double>(k));
  for (double& x : along.y0) x = 0;
  const auto forward = solve(q, method, o, along);
  const double pushed = dot(weight, forward.y_dot), pulled = dot(g.p, along.p);
  std::printf("\nforward mode agrees to %.0e\n", std::abs(pulled / pushed - 1));
  assert(std::abs(pulled - pushed) <= 1e-9 * std::abs(pushed));
}
