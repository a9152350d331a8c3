// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/interop/klu.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <revode/linalg/dense/complex_lu.hpp>
#include <revode/linalg/dense/dense_lu.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/rodas3.hpp>
#include <revode/testing/references.hpp>

#include "../solvers/ignition.hpp"

namespace revode {
namespace {

using states = std::vector<double>;

TEST_CASE("KLU: the dense solutions, transposed ones from the same factors") {
  random_numbers random(1);
  const int n = 40;
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n; ++i)
    for (const int j : {(i * 7 + 3) % n, (i + 1) % n, (i * i) % n}) entries.emplace_back(i, j);
  const auto pattern = std::make_shared<const sparsity>(n, entries);
  sparse_matrix<double> a{pattern, {}};
  dense_matrix<double> dense(n);
  for (int i = 0; i < n; ++i)
    for (int e = pattern->start(i); e < pattern->start(i + 1); ++e) {
      a.values.push_back(random());
      dense(i, pattern->column(e)) = a.values.back();
    }
  klu_factors factors;
  klu_complex_factors complex;
  dense_lu<double> expected;
  complex_lu<double, -1> expected_complex;
  REQUIRE(factors.factor_shifted(a, 2.0));
  REQUIRE(complex.factor_shifted(a, 2.0, 0.7));
  REQUIRE(expected.factor_shifted(dense, 2.0));
  REQUIRE(expected_complex.factor_shifted(dense, 2.0, 0.7));
  const auto b = random.like(states(n)), c = random.like(b);
  auto x = b, z = b, u = c, v = c;
  factors.solve(x), expected.solve(z);
  CHECK(relative_difference(x, z) < 1e-13);
  x = z = b;
  factors.solve_transposed(x), expected.solve_transposed(z);
  CHECK(relative_difference(x, z) < 1e-13);
  x = z = b;
  complex.solve(x, u), expected_complex.solve(z, v);
  CHECK(relative_difference(x, z) < 1e-13);
  CHECK(relative_difference(u, v) < 1e-13);
  x = z = b, u = v = c;
  complex.solve_adjoint(x, u), expected_complex.solve_adjoint(z, v);
  CHECK(relative_difference(x, z) < 1e-13);
  CHECK(relative_difference(u, v) < 1e-13);
}

TEST_CASE("KLU: singular and non-finite matrices are refused, and solves then do no harm") {
  const auto pattern =
      std::make_shared<const sparsity>(2, std::vector<std::pair<int, int>>{{0, 1}, {1, 0}});
  klu_factors factors;
  CHECK_FALSE(factors.factor_shifted({pattern, {1, 2, 2, 4}}, 0.0));
  states x{1, 2};
  factors.solve(x);
  factors.solve_transposed(x);
  CHECK_FALSE(factors.factor_shifted({pattern, {std::nan(""), 2, 2, 4}}, 0.0));
  CHECK(factors.factor_shifted({pattern, {1, 2, 3, 4}}, 0.0));
}

TEST_CASE("KLU: pivots off the diagonal where that one is tiny, and on it again afterwards") {
  const auto pattern =
      std::make_shared<const sparsity>(2, std::vector<std::pair<int, int>>{{0, 1}, {1, 0}});
  const sparse_matrix<double> poor{pattern, {-1e-18, -1, -1, -1}}, good{pattern, {-2, -1, -1, -2}};
  klu_factors first, again;
  REQUIRE(first.factor_shifted(good, 0.0));
  states expected{1, 0}, x{1, 0};
  first.solve(expected);
  REQUIRE(again.factor_shifted(poor, 0.0));
  again.solve(x);
  CHECK(std::abs(x[0] + 1) < 1e-15);
  CHECK(std::abs(x[1] - 1) < 1e-15);
  REQUIRE(again.factor_shifted(good, 0.0));
  x = {1, 0};
  again.solve(x);
  CHECK(x == expected);
}

TEST_CASE("KLU: the sign of the determinant, by pivots on the diagonal and beside it") {
  random_numbers random(9);
  int negative = 0, by_size = 0;
  const int n = 12;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < n; ++i)
      for (const int j : {(i * 5 + round) % n, (i + 1) % n}) entries.emplace_back(i, j);
    const auto pattern = std::make_shared<const sparsity>(n, entries);
    const double shift = round % 2 == 0 ? 1e-9 : 1.5;
    sparse_matrix<double> a{pattern, {}};
    dense_matrix<double> dense(n);
    for (int i = 0; i < n; ++i)
      for (int e = pattern->start(i); e < pattern->start(i + 1); ++e) {
        a.values.push_back(pattern->column(e) == i && i % 2 == 0 ? 0.0 : random());
        dense(i, pattern->column(e)) = a.values.back();
      }
    klu_factors factors;
    dense_lu<double> expected;
    if (!expected.factor_shifted(dense, shift)) continue;
    REQUIRE(factors.factor_shifted(a, shift));
    CHECK(steps_over_growth(factors, 1) == steps_over_growth(expected, 1));
    negative += steps_over_growth(expected, 1) ? 1 : 0;
    by_size += klu_order_of(*pattern)->counts().by_size > 0 ? 1 : 0;
  }
  CHECK(negative > 10);
  CHECK(negative < 30);
  CHECK(by_size > 5);
}

TEST_CASE("KLU: an ignition is seen in the steps of dense factors") {
  const states y0(21);
  const klu on_pattern{std::make_shared<sparsity>(sparsity_of(ignition_of(y0)))};
  check_ignites_as_dense<rodas3>(y0, on_pattern);
  check_ignites_as_dense<bdf5>(y0, on_pattern);
}

TEST_CASE("KLU: what lies where is found once a pattern, and places serve all who come later") {
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < 30; ++i) entries.emplace_back(i, (i * 7 + 3) % 30);
  const auto pattern = std::make_shared<const sparsity>(30, entries);
  const auto order = klu_order_of(*pattern);
  random_numbers random(3);
  states first;
  for (int fit = 0; fit < 10; ++fit) {
    klu_factors from, next;
    for (int step = 0; step < 8; ++step) {
      sparse_matrix<double> j{pattern,
                              random.like(states(static_cast<std::size_t>(pattern->entries())))};
      REQUIRE(from.factor_shifted(j, 20.0));
      for (int kept = 0; kept < step % 3; ++kept) next = from, std::swap(from, next);
      if (step % 2 == 0) std::swap(from, next);
    }
  }
  CHECK(order == klu_order_of(*pattern));
  CHECK(order->counts().first == 2);
  CHECK(order->counts().again == 80);
  CHECK(order->counts().by_size == 0);
}

TEST_CASE("KLU: of two numberings the order of elimination that takes less work") {
  const int width = 33, half = width * width, cells = 2 * half;  // two layers of a torus
  std::vector<std::pair<int, int>> entries;
  for (int k = 0; k < cells; ++k) {
    const int layer = k / half * half, at = k % half;
    for (const int to : {at / width * width + (at + 1) % width, (at + width) % half})
      entries.emplace_back(k, layer + to), entries.emplace_back(layer + to, k);
    entries.emplace_back(k, (k + half) % cells);
  }
  const sparsity torus(cells, entries);
  std::vector<int> order = depth_first(torus);
  klu_common common = klu_order::settings();
  klu_symbolic* plain = klu_analyze(cells, const_cast<int*>(torus.starts()),
                                    const_cast<int*>(torus.columns()), &common);
  const auto entries_of_factors = [&](klu_symbolic* symbolic) {
    std::vector<double> values;
    for (int i = 0; i < cells; ++i)
      for (int e = torus.start(i); e < torus.start(i + 1); ++e)
        values.push_back(torus.column(e) == i ? 5 : -1);
    klu_numeric* numeric =
        klu_factor(const_cast<int*>(torus.starts()), const_cast<int*>(torus.columns()),
                   values.data(), symbolic, &common);
    const int found = numeric->lnz + numeric->unz;
    klu_free_numeric(&numeric, &common);
    return found;
  };
  CHECK(entries_of_factors(klu_order_of(torus)->get()) < 0.95 * entries_of_factors(plain));
  klu_free_symbolic(&plain, &common);
  std::sort(order.begin(), order.end());
  for (int i = 0; i < cells; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("KLU: a copy keeps its factors when the other factors anew") {
  const auto pattern =
      std::make_shared<const sparsity>(2, std::vector<std::pair<int, int>>{{0, 1}, {1, 0}});
  klu_factors one;
  REQUIRE(one.factor_shifted({pattern, {-2, -1, -1, -2}}, 0.0));
  klu_factors other;
  other = one;
  REQUIRE(one.factor_shifted({pattern, {-1, 0, 0, -1}}, 0.0));
  states x{3, 0}, z{3, 0};
  one.solve(x);
  other.solve(z);
  CHECK(x == states{3, 0});
  CHECK(std::abs(z[0] - 2) < 1e-15);
  CHECK(std::abs(z[1] + 1) < 1e-15);
}

/// What is left of (a ⊗ I − diag J) x = b or of its transpose.
template <bool Transposed>
double worst_rest(const double (&a)[3][3], const sparse_matrix<double> (&j)[3],
                  const states (&x)[3], const states (&b)[3]) {
  double worst = 0;
  for (int i = 0; i < 3; ++i) {
    states rest = b[i];
    if constexpr (Transposed)
      add_transposed_product(j[i], x[i], rest);
    else
      add_product(j[i], x[i], rest);
    for (int q = 0; q < 3; ++q) axpy(-(Transposed ? a[q][i] : a[i][q]), x[q], rest);
    for (const double r : rest) worst = std::fmax(worst, std::abs(r));
  }
  return worst;
}

TEST_CASE("KLU: coupled stages with Jacobians of their own, and their transpose") {
  random_numbers random(2);
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < 20; ++i) entries.emplace_back(i, (i * 7 + 3) % 20);
  const auto pattern = std::make_shared<const sparsity>(20, entries);
  const double a[3][3] = {{3.2, 1.2, -0.25}, {-3.6, 0.8, 1.05}, {5.5, -7.5, 5}};
  sparse_matrix<double> j[3];
  states b[3], x[3], z[3];
  for (int i = 0; i < 3; ++i) {
    j[i] = {pattern, random.like(states(static_cast<std::size_t>(pattern->entries())))};
    b[i] = random.like(states(20));
    x[i] = z[i] = b[i];
  }
  REQUIRE(klu::solve_stages<false>(a, nothing{}, j, b, x));
  CHECK(worst_rest<false>(a, j, x, b) < 1e-13);
  REQUIRE(klu::solve_stages<true>(a, nothing{}, j, b, z));
  CHECK(worst_rest<true>(a, j, z, b) < 1e-13);
}

}  // namespace
}  // namespace revode
