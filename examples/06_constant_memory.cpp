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

#include <Eigen/Core>

#include <revode/interop/eigen_recording.hpp>
#include <revode/loop/remat.hpp>
#include <revode/revode.hpp>

#include "bytes.hpp"

using namespace revode;
using matrix = Eigen::MatrixXd;
using parameters = std::tuple<double, frozen<matrix>>;  // x, and a big constant z

// The mean of Σ x (y + z) over all y of ys. Kept naively, its gradient holds a matrix y + z for
// every y; here it holds what the budget says, however many there are. The body is written plainly:
const auto plain_body = [](const auto& sum, const auto& y, const auto& p, auto& next, auto&) {
  const auto& [x, z] = p;
  next = sum.array() + x * (y + (*z).array());
};

// … or brings its own pull, which costs as much and keeps as much:
struct body_with_pull {
  void operator()(const matrix& sum, double y, const parameters& p, matrix& next, auto&) const {
    plain_body(sum, y, p, next, next);
  }
  void pull(const matrix&, double y, const parameters& p, const matrix& next_bar, const auto&,
            matrix& sum_bar, double& y_bar, cotangent_t<parameters>& p_bar) const {
    const auto& [x, z] = p;
    sum_bar += next_bar;
    y_bar += x * next_bar.sum();
    std::get<0>(p_bar) += (next_bar.array() * (y + z->array())).sum();
  }
};

/// Bytes of forward run and gradient at the worst moment, in matrices.
template <class Body>
double measure(const char* name, const Body& body, std::size_t n, const matrix& z) {
  const std::vector<double> ys(n, 1.0);
  const parameters p{0.5, frozen(z)};
  const matrix zero = matrix::Zero(z.rows(), z.cols());
  const double count = static_cast<double>(n), bytes_of_z = 8 * static_cast<double>(z.size());
  const auto forward = peak_bytes_of([&] {
    const auto run = scan(body, zero, ys, p, {}, {.keep = false});
    assert(std::abs(run.carry().mean() - count) < 1e-9 * count);
  });
  double evaluations = 0;
  const auto gradient = peak_bytes_of([&] {
    auto run = scan(body, zero, ys, p, {}, {.slots = 4});  // the budget: four carries
    const auto g =
        run.pullback(matrix::Constant(z.rows(), z.cols(), 1 / static_cast<double>(z.size())));
    assert(std::abs(std::get<0>(g.params) - 2 * count) < 1e-9 * count &&
           std::abs(g.xs[0] - 0.5) < 1e-9);
    evaluations = static_cast<double>(run.counts().steps) / count;
  });
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
  const double plain = growth("plain body", plain_body, z);
  const double wrapped = growth("remat body", remat(plain_body), z);
  const double own = growth("own pull  ", body_with_pull{}, z);
  const double worst = std::max({plain, wrapped, own});
  std::printf("n = 1000 takes %.3f times the memory of n = 5\n", worst);
  assert(!bytes_are_counted || worst < 1.05);
}
