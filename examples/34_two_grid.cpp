// SPDX-License-Identifier: Apache-2.0
// prints: 2048 unknowns, no matrix: [0-9]+ steps, [0-9]+ products with the Jacobian
// prints: two grids: [0-9]+ steps, [0-9]+ products
// prints: gradients agree to
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/linalg/krylov/bicgstab.hpp>
#include <revode/linalg/preconditioned_by.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/revode.hpp>

using namespace revode;
using numbers = std::vector<double>;

// Diffusion over a torus is what makes the Brusselator stiff, and more so the finer the grid. Newton's
// systems are solved by products with the Jacobian alone, and the preconditioner knows of diffusion: a
// cycle over the grid and all coarser ones. Every operation of it is symmetric, hence its transpose,
// which gradients need, is itself.

/// P ≈ I − γ α w² Δ of both species, w cells a side, a power of 2.
struct two_grid {
  int width = 32;
  double alpha = 0.1;
  double gamma = 0;

  bool setup(double, const double*, double step, bool) {
    gamma = step;
    return true;
  }
  void apply(double* x) const {
    const auto cells = static_cast<std::ptrdiff_t>(width) * width;
    for (double* const species : {x, x + cells}) {
      const numbers right(species, species + cells);
      numbers found(right.size(), 0.0);
      cycle(width, gamma * alpha * width * width, right, found);
      for (std::size_t k = 0; k < found.size(); ++k) species[k] = found[k];
    }
  }
  void apply_transposed(double* x) const { apply(x); }

 private:
  static std::size_t at(int w, int i, int j) {
    return static_cast<std::size_t>(((j + w) % w) * w + (i + w) % w);
  }
  /// What is left of (I − d Δ) x = b.
  static numbers left(int w, double d, const numbers& b, const numbers& x) {
    numbers rest = b;
    for (int j = 0; j < w; ++j)
      for (int i = 0; i < w; ++i)
        rest[at(w, i, j)] -=
            (1 + 4 * d) * x[at(w, i, j)] -
            d * (x[at(w, i - 1, j)] + x[at(w, i + 1, j)] + x[at(w, i, j - 1)] + x[at(w, i, j + 1)]);
    return rest;
  }
  /// A damped Jacobi sweep, the coarser grid, a sweep again.
  static void cycle(int w, double d, const numbers& b, numbers& x) {
    const auto smooth = [&] {
      const numbers rest = left(w, d, b, x);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] += 0.8 / (1 + 4 * d) * rest[k];
    };
    smooth();
    if (w > 2) {
      const numbers rest = left(w, d, b, x);
      const int half = w / 2;
      numbers coarse(rest.size() / 4, 0.0), found(rest.size() / 4, 0.0);
      for (int j = 0; j < w; ++j)
        for (int i = 0; i < w; ++i) coarse[at(half, i / 2, j / 2)] += rest[at(w, i, j)] / 4;
      cycle(half, d / 4, coarse, found);
      for (int j = 0; j < w; ++j)
        for (int i = 0; i < w; ++i) x[at(w, i, j)] += found[at(half, i / 2, j / 2)];
    }
    smooth();
  }
};

int main() {
  const brusselator_2d f{32};
  const problem q{f, f.y0(), 0.0, 1.1, f.parameters()};
  const options o{.rtol = 1e-5, .atol = 1e-5};
  const recursive_checkpoint adjoint{.slots = 10};
  numbers weight(q.y0.size(), 0.0);
  for (std::size_t k = 0; k < weight.size() / 2; ++k) weight[k] = 1 / 1024.0;

  auto plain = solve(q, with_algebra<esdirk547, bicgstab<>>{}, o, adjoint);
  assert(plain.status == status::success);
  std::printf("%zu unknowns, no matrix: %ld steps, %ld products with the Jacobian\n", q.y0.size(),
              static_cast<long>(plain.stats.accepted),
              static_cast<long>(plain.stats.jvp_evaluations));
  const with_algebra<esdirk547, bicgstab<preconditioned_by<two_grid>>> m{
      {}, {.preconditioner = {two_grid{32}}}};
  auto s = solve(q, m, o, adjoint);
  assert(s.status == status::success);
  std::printf("two grids: %ld steps, %ld products\n", static_cast<long>(s.stats.accepted),
              static_cast<long>(s.stats.jvp_evaluations));
  assert(3 * s.stats.jvp_evaluations < 2 * plain.stats.jvp_evaluations);

  // The gradient of the mean of u, by both: as near as the tolerance of the steps.
  const auto known = plain.pullback(weight), g = s.pullback(weight);
  assert(known.status == status::success && g.status == status::success);
  double most = 0, apart = 0;
  for (std::size_t k = 0; k < g.p.size(); ++k) {
    most = std::fmax(most, std::abs(known.p[k]));
    apart = std::fmax(apart, std::abs(g.p[k] - known.p[k]));
  }
  std::printf("gradients agree to %.0e of the largest element\n", apart / most);
  assert(apart <= 1e-4 * most);
}
