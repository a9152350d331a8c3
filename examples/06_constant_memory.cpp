// SPDX-License-Identifier: Apache-2.0
// prints: plain body, n = 1000: .* 9\.00 evaluations a step
// prints: own pull  , n = 1000: .* 9\.00 evaluations a step
// prints: n = 1000 takes .* times the memory of n = 5
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <vector>

#include <revode/loop/remat.hpp>
#include <revode/revode.hpp>

#include "bodies.hpp"
#include "bytes.hpp"

using namespace revode;
using bodies::matrix, bodies::sum_of_products;

// The elements of Σ x (y + z) over all y of ys, z a big matrix, added up. Kept naively, its gradient holds a matrix
// y + z for every y; here it holds what the budget says, however many there are: whether the body is
// the formula alone, wrapped in remat, or brings its own pull.

/// Bytes of forward run and gradient at the worst moment, in matrices.
template <class Body>
double measure(const char* name, const Body& body, std::size_t n, const matrix& z) {
  const std::vector<float> ys(n, 1.0f);
  const sum_of_products::parameters p{0.5f, frozen(z)};
  const matrix zero = matrix::Zero(z.rows(), z.cols());
  const matrix bar = matrix::Constant(z.rows(), z.cols(), 0x1p-16f);  // sums of it are exact
  const float count = static_cast<float>(n), weight = 0x1p-16f * static_cast<float>(z.size());
  const auto forward = peak_bytes_of([&] {
    const auto run = scan(body, zero, ys, p, {}, {.keep = false});
    assert(std::abs(run.carry()(0, 0) - count) < 1e-6f * count);
  });
  double evaluations = 0;
  const auto gradient = peak_bytes_of([&] {
    auto run = scan(body, zero, ys, p, {}, {.slots = 4});  // the budget: four carries
    const auto g = run.pullback(bar);
    assert(std::abs(std::get<0>(g.params) - 2 * count * weight) < 1e-6f * count * weight);
    assert(std::abs(g.xs[0] - 0.5f * weight) < 1e-6f * weight);
    evaluations = static_cast<double>(run.counts().steps) / static_cast<double>(n);
  });
  const double bytes_of_z = 4 * static_cast<double>(z.size());
  std::printf("%s, n = %4zu: forward %4.1f, gradient %4.1f matrices, %4.2f evaluations a step\n",
              name, n, static_cast<double>(forward) / bytes_of_z,
              static_cast<double>(gradient) / bytes_of_z, evaluations);
  return static_cast<double>(gradient);
}

template <class Body>
double growth(const char* name, const Body& body, const matrix& z) {
  const double five = measure(name, body, 5, z);
  measure(name, body, 10, z);
  return measure(name, body, 1000, z) / five;
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 300;
  const matrix z = matrix::Ones(size, size);
  const double plain = growth("plain body", sum_of_products{}, z);
  const double wrapped = growth("remat body", remat(sum_of_products{}), z);
  const double own = growth("own pull  ", bodies::sum_of_products_with_pull{}, z);
  const double worst = std::max({plain, wrapped, own});
  std::printf("n = 1000 takes %.3f times the memory of n = 5\n", worst);
  assert(!bytes_are_counted || worst < 1.05);
}
