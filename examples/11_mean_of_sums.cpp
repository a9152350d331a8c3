// SPDX-License-Identifier: Apache-2.0
// prints: n = +5: +mean 10\.000000, derivative 10\.000000, in [0-9.]+ matrices
// prints: n = +10: +mean 20\.000000, derivative 20\.000000, in [0-9.]+ matrices
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

#include <revode/revode.hpp>

#include "bodies.hpp"
#include "bytes.hpp"

using namespace revode;
using bodies::matrix, bodies::sum_of_products;

// What JAX's users asked about before remat (github.com/google/jax/pull/1749), in float, at its size: f(x, ys)
// scans over ys, adds x (y + z) to a 3000 × 3000 matrix, and takes the mean. The derivative with respect to x is a sum of nine
// million products for every y: sums go in pairs, so the digits of float are kept.
std::pair<float, float> mean_of_sums(float x, const std::vector<float>& ys, const matrix& z) {
  const matrix zero = matrix::Zero(z.rows(), z.cols());
  auto run = scan(sum_of_products{}, zero, ys, sum_of_products::parameters{x, frozen(z)}, {},
                  {.slots = 4});
  const auto count = static_cast<float>(z.size());
  const float mean = pairwise_sum(run.carry()) / count;
  const auto g = run.pullback(matrix::Constant(z.rows(), z.cols(), 1 / count));
  return {mean, std::get<0>(g.params)};
}

void check(float x, const std::vector<float>& ys, const matrix& z) {
  std::pair<float, float> found;
  const auto peak = peak_bytes_of([&] { found = mean_of_sums(x, ys, z); });
  double slope = 0;
  const double mean_z = z.cast<double>().mean();
  for (const float y : ys) slope += static_cast<double>(y) + mean_z;
  assert(std::abs(static_cast<double>(found.second) / slope - 1) < 1e-6);
  assert(std::abs(static_cast<double>(found.first) / (static_cast<double>(x) * slope) - 1) < 1e-6);
  std::printf("n = %2zu: mean %.6f, derivative %.6f, in %.1f matrices\n", ys.size(),
              static_cast<double>(found.first), static_cast<double>(found.second),
              static_cast<double>(peak) / (4 * static_cast<double>(z.size())));
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 3000;
  matrix z = matrix::Ones(size, size);
  for (const std::size_t n : {5, 10}) check(1, std::vector<float>(n, 1), z);
  for (Eigen::Index i = 0; i < z.size(); ++i)
    z.data()[i] = 0.1F + 0.01F * static_cast<float>(i % 13);
  check(0.7F, {0.3F, 1.1F, 0.9F, 2.3F, 0.1F}, z);
}
