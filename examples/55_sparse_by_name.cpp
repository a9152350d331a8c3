// SPDX-License-Identifier: Apache-2.0
// A large stiff system by the compiled interface: a population spreads from a corner of a square of 50 × 50 cells,
//   u' = D Δu + r u (1 - u), nothing flows out.
// Its Jacobian has five numbers in a row, and with a sparse linear algebra no matrix of 2500 × 2500 is ever made. How
// large is the population in the end, and what would faster wandering (D) and faster growth (r) change?
//
// prints: 2500 unknowns, 12300 entries
// prints: population 0\.2
// prints: differences agree
// prints: at r = 1, 3 and 5: 0\.0[0-9]+, 0\.2[0-9]+ and 0\.[0-9]+
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <revode/any.hpp>

namespace {

constexpr int width = 50;
constexpr std::size_t cells = width * width;

/// visit(k) for the neighbours of a cell.
template <class Visit>
void for_each_neighbour(std::size_t cell, Visit&& visit) {
  const int x = static_cast<int>(cell) % width, y = static_cast<int>(cell) / width;
  if (x > 0) visit(cell - 1);
  if (x + 1 < width) visit(cell + 1);
  if (y > 0) visit(cell - width);
  if (y + 1 < width) visit(cell + width);
}
/// Δu of a cell; cells are 1/width wide.
double laplacian(std::span<const double> u, std::size_t cell) {
  double sum = 0;
  for_each_neighbour(cell, [&](std::size_t k) { sum += u[k] - u[cell]; });
  return sum * width * width;
}

revode::any_problem population() {
  revode::any_problem q;
  q.f = revode::any_callbacks{
      .f =
          [](double, auto u, auto p, auto du) {
            for (std::size_t i = 0; i < cells; ++i)
              du[i] = p[0] * laplacian(u, i) + p[1] * u[i] * (1 - u[i]);
          },
      .vjp =
          [](double, auto u, auto p, auto w, double&, auto gu, auto gp) {
            for (std::size_t i = 0; i < cells; ++i) {
              gu[i] += p[0] * laplacian(w, i) + w[i] * p[1] * (1 - 2 * u[i]);  // Δ is symmetric
              if (gp.empty()) continue;
              gp[0] += w[i] * laplacian(u, i);
              gp[1] += w[i] * u[i] * (1 - u[i]);
            }
          },
      .jvp =
          [](double, auto u, auto p, double, auto v, auto dp, auto out) {
            for (std::size_t i = 0; i < cells; ++i) {
              out[i] = p[0] * laplacian(v, i) + p[1] * (1 - 2 * u[i]) * v[i];
              if (!dp.empty()) out[i] += dp[0] * laplacian(u, i) + dp[1] * u[i] * (1 - u[i]);
            }
          }};
  q.y0.assign(cells, 0.0);
  for (std::size_t i = 0; i < cells; ++i)
    if (i % width < 8 && i / width < 8) q.y0[i] = 0.5;
  q.t1 = 2;
  q.p = {0.01, 3};
  return q;
}

/// Where the Jacobian is not 0, column by column.
std::shared_ptr<const revode::sparsity> neighbours() {
  std::vector<int> starts{0}, rows;
  for (std::size_t j = 0; j < cells; ++j) {
    rows.push_back(static_cast<int>(j));
    for_each_neighbour(j, [&](std::size_t k) { rows.push_back(static_cast<int>(k)); });
    starts.push_back(static_cast<int>(rows.size()));
  }
  std::printf("%zu unknowns, %zu entries\n", cells, rows.size());
  return revode::any_pattern(starts, rows);
}

}  // namespace

int main() {
  using namespace revode;
  const any_problem q = population();
  const auto known = any_algebra_names();
  const bool has_klu = std::find(known.begin(), known.end(), "klu") != known.end();
  const any_method sparse("bdf5",
                          {.name = has_klu ? "klu" : "gmres_ilu0", .pattern = neighbours()});
  const options o{.rtol = 1e-6, .atol = 1e-9};

  const any_loss mean = [](const any_solution& s, any_cotangents& bar) {
    bar.y = any_state(cells, 1.0 / cells);
    double sum = 0;
    for (const double u : s.y) sum += u / cells;
    return sum;
  };
  const auto r = value_and_gradient(q, sparse, o, mean, recursive_checkpoint{.slots = 20});
  std::printf("population %.4f, by D %.3f and by r %.4f\n", *r.value, r.gradient->p[0],
              r.gradient->p[1]);

  // The derivative by r from two more solves.
  any_cotangents unused;
  const double h = 1e-3;
  any_problem more = q, less = q;
  more.p[1] += h;
  less.p[1] -= h;
  const double difference =
      (mean(solve(more, sparse, o), unused) - mean(solve(less, sparse, o), unused)) / (2 * h);
  const bool agree = std::abs(difference - r.gradient->p[1]) < 1e-3 * std::abs(difference);
  std::printf(agree ? "differences agree\n" : "differences say %.6f\n", difference);

  // An ensemble on threads, each solve in the bits of one alone.
  std::vector<any_point> rates;
  for (const double r : {1.0, 3.0, 5.0}) rates.push_back({.p = {q.p[0], r}});
  std::vector<double> means;
  for (const any_solution& s : solve_each(q, sparse, o, rates)) means.push_back(mean(s, unused));
  std::printf("at r = 1, 3 and 5: %.4f, %.4f and %.4f\n", means[0], means[1], means[2]);
  return agree ? 0 : 1;
}
