// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <revode/interop/eigen/sparse.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/stiff_accuracy.hpp>
#include <revode/problems/two_bit_adder.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

const int nodes = two_bit_adder::nodes;

auto adder() {
  const two_bit_adder f;
  return problem{f, f.y0(), f.t0, f.t1, f.parameters()};
}
auto sparse_rodas5p(const sparsity& pattern) {
  return with_algebra<rodas5p, eigen_sparse>{{}, {std::make_shared<sparsity>(pattern)}};
}
options with_jumps(double tolerance) {
  options o{.rtol = tolerance, .atol = tolerance};
  o.discontinuities.assign(std::begin(two_bit_adder::jumps), std::end(two_bit_adder::jumps));
  return o;
}

TEST_CASE("two_bit_adder: at its start no current flows") {
  const auto q = adder();
  auto dy = q.y0;
  q.f(0.0, q.y0, q.p, dy);
  const auto largest = [](double most, double x) { return std::fmax(most, std::abs(x)); };
  CHECK(std::accumulate(dy.begin(), dy.end(), 0.0, largest) < 1e-6);  // of some up to 6e3
}

TEST_CASE("two_bit_adder: its pattern is what scattered states show") {
  const auto q = adder();
  std::vector<std::pair<int, int>> shown;
  random_numbers random(5);
  auto y = q.y0;
  for (int point = 0; point < 400; ++point) {
    for (int i = 0; i < nodes; ++i) y[static_cast<std::size_t>(nodes + i)] = 1.3 + 3.9 * random();
    revode::add_dependencies(q.f, 160 + 160 * random(), y, q.p, shown);
  }
  for (int i = 0; i < nodes; ++i)
    if (adder_closing[static_cast<std::size_t>(i)] != i) shown.emplace_back(i, i);
  const sparsity seen(2 * nodes, shown), told = sparsity_of(q);
  CHECK(told.entries() == seen.entries());
  CHECK(std::all_of(shown.begin(), shown.end(),
                    [&](const auto& e) { return told.find(e.first, e.second) >= 0; }));
}

TEST_CASE("two_bit_adder adds: 32 sums, and its reference") {
  const auto q = adder();
  options o = with_jumps(1e-6);
  for (int k = 1; k <= 32; ++k) o.save.ts.push_back(10.0 * k);
  const auto s = solve(q, sparse_rodas5p(sparsity_of(q)), o);
  REQUIRE(s.status == status::success);
  REQUIRE(s.ys.size() == 32);
  for (int k = 1; k <= 32; ++k) {
    CAPTURE(k);
    const auto input = [k](int i) { return (k >> i) & 1; };  // all but the carry, 4, inverted
    const auto output = [&](int node) {
      return s.ys[static_cast<std::size_t>(k - 1)][static_cast<std::size_t>(nodes + node - 1)] >
             2.5;
    };
    const int sum = 2 - input(0) - input(1) + 2 * (2 - input(2) - input(3)) + input(4);
    CHECK(output(49) + 2 * output(130) + 4 * !output(148) == sum);
  }
  CHECK(mixed_digits(q.f, s.y, 1e-6) >= 6);
}

}  // namespace
}  // namespace revode
