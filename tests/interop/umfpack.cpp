// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/interop/umfpack.hpp>

#include <cmath>
#include <memory>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/dense/complex_lu.hpp>
#include <revode/linalg/dense/dense_lu.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/problems/rober_dae.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/testing/laws.hpp>
#include <revode/testing/references.hpp>

#include "../solvers/ignition.hpp"

namespace revode {
namespace {

using states = std::vector<double>;

/// A random matrix on the diagonal, and on two places a row or, `symmetric`, where one of these is or its mirror image.
struct random_matrix {
  sparse_matrix<double> sparse;
  dense_matrix<double> dense;

  random_matrix(int n, bool symmetric, random_numbers& random) : dense(n) {
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < n; ++i)
      for (const int j : {(i * 7 + 3) % n, (i * i) % n}) {
        entries.emplace_back(i, j);
        if (symmetric) entries.emplace_back(j, i);
      }
    sparse.pattern = std::make_shared<const sparsity>(n, entries);
    for (int i = 0; i < n; ++i)
      for (int e = sparse.pattern->start(i); e < sparse.pattern->start(i + 1); ++e) {
        sparse.values.push_back(random());
        dense(i, sparse.pattern->column(e)) = sparse.values.back();
      }
  }
};

TEST_CASE("UMFPACK: the dense solutions, transposed ones from the same factors") {
  random_numbers random(1);
  for (const bool symmetric : {false, true}) {
    const random_matrix a(40, symmetric, random);
    CHECK(a.sparse.pattern->nearly_symmetric() == symmetric);
    umfpack_factors factors;
    umfpack_complex_factors complex;
    dense_lu<double> expected;
    complex_lu<double, -1> expected_complex;
    REQUIRE(factors.factor_shifted(a.sparse, 2.0));
    REQUIRE(complex.factor_shifted(a.sparse, 2.0, 0.7));
    REQUIRE(expected.factor_shifted(a.dense, 2.0));
    REQUIRE(expected_complex.factor_shifted(a.dense, 2.0, 0.7));
    const auto b = random.like(states(40)), c = random.like(b);
    auto x = b, z = b, u = c, v = c;
    factors.solve(x), expected.solve(z);
    CHECK(relative_difference(x, z) < 1e-12);
    x = z = b;
    factors.solve_transposed(x), expected.solve_transposed(z);
    CHECK(relative_difference(x, z) < 1e-12);
    x = z = b;
    complex.solve(x, u), expected_complex.solve(z, v);
    CHECK(relative_difference(x, z) < 1e-12);
    CHECK(relative_difference(u, v) < 1e-12);
    x = z = b, u = v = c;
    complex.solve_adjoint(x, u), expected_complex.solve_adjoint(z, v);
    CHECK(relative_difference(x, z) < 1e-12);
    CHECK(relative_difference(u, v) < 1e-12);
  }
}

TEST_CASE("UMFPACK: singular and non-finite matrices are refused, and solves then do no harm") {
  const auto pattern =
      std::make_shared<const sparsity>(2, std::vector<std::pair<int, int>>{{0, 1}, {1, 0}});
  umfpack_factors factors;
  states x{1, 2};
  factors.solve(x);
  CHECK_FALSE(factors.factor_shifted({pattern, {1, 2, 2, 4}}, 0.0));
  factors.solve(x);
  factors.solve_transposed(x);
  CHECK_FALSE(factors.factor_shifted({pattern, {std::nan(""), 2, 2, 4}}, 0.0));
  REQUIRE(factors.factor_shifted({pattern, {-1e-18, -1, -1, -1}}, 0.0));
  x = {1, 0};
  factors.solve(x);
  CHECK(std::abs(x[0] + 1) < 1e-15);
  CHECK(std::abs(x[1] - 1) < 1e-15);
}

TEST_CASE("UMFPACK: one unknown, none, and a pattern without a zero") {
  for (const int n : {0, 1, 7}) {
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) entries.emplace_back(i, j);
    const auto pattern = std::make_shared<const sparsity>(n, entries);
    sparse_matrix<double> j{pattern, states(static_cast<std::size_t>(pattern->entries()), -1.0)};
    umfpack_factors factors;
    CHECK(factors.factor_shifted(j, 1.0) == (n > 0));
    states x(static_cast<std::size_t>(n), 1.0);
    factors.solve(x);
    for (const double one : x) CHECK(one == doctest::Approx(1.0 / (n + 1)));
  }
}

TEST_CASE("UMFPACK: the sign of the determinant is that of dense factors") {
  random_numbers random(9);
  int negative = 0;
  for (int round = 0; round < 40; ++round) {
    const random_matrix a(11 + round % 2, round % 3 == 0, random);
    const double shift = round % 2 == 0 ? 0.1 : -0.5;
    umfpack_factors factors;
    dense_lu<double> expected;
    REQUIRE(expected.factor_shifted(a.dense, shift));
    REQUIRE(factors.factor_shifted(a.sparse, shift));
    CHECK(steps_over_growth(factors, shift) == steps_over_growth(expected, shift));
    negative += steps_over_growth(expected, shift) ? 1 : 0;
  }
  CHECK(negative > 10);
  CHECK(negative < 30);
}

TEST_CASE("UMFPACK: an ignition is seen in the steps of dense factors") {
  const states y0(21);
  const umfpack on_pattern{std::make_shared<sparsity>(sparsity_of(ignition_of(y0)))};
  check_ignites_as_dense<bdf5>(y0, on_pattern);
}

TEST_CASE("UMFPACK: a copy keeps its factors when the other factors anew") {
  const auto pattern =
      std::make_shared<const sparsity>(2, std::vector<std::pair<int, int>>{{0, 1}, {1, 0}});
  umfpack_factors one, other;
  REQUIRE(one.factor_shifted({pattern, {-2, -1, -1, -2}}, 0.0));
  other = one;
  REQUIRE(one.factor_shifted({pattern, {-1, 0, 0, -1}}, 0.0));
  states x{3, 0}, z{3, 0};
  one.solve(x);
  other.solve(z);
  CHECK(x == states{3, 0});
  CHECK(std::abs(z[0] - 2) < 1e-15);
  CHECK(std::abs(z[1] + 1) < 1e-15);
}

/// The solution of dense matrices, the transpose of its steps, and the same bits from every number of snapshots.
template <class M>
void check_laws() {
  const brusselator_2d f{6};
  problem q{f, f.y0(), 0.0, 0.4, f.parameters()};
  const with_algebra<M, umfpack> m{{}, {std::make_shared<sparsity>(sparsity_of(q))}};
  options o;
  o.rtol = o.atol = 1e-6;
  const auto s = solve(q, m, o), dense = solve(q, M{}, o);
  REQUIRE(s.status == status::success);
  REQUIRE(dense.status == status::success);
  CHECK(relative_difference(s.y, dense.y) < 1e-6);
  CHECK(dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1).worst < 1e-11);
  CHECK(replay_law_of_solve(q, m, o).what == "");
  CHECK(equal_gradients_law(q, m, o, recursive_checkpoint{.slots = 3},
                            {.schedule = schedule_kind::store_all})
            .what == "");
}

TEST_CASE("UMFPACK: laws of bdf5 and radau_iia5") {
  check_laws<bdf5>();
  check_laws<radau_iia5>();
}

TEST_CASE("UMFPACK: a mass matrix, and a preconditioner") {
  const rober_dae f;
  problem q{f, states{1, 0, 0}, 0.0, 40.0, f.parameters()};
  const auto pattern = std::make_shared<sparsity>(sparsity_of(q));
  options o;
  o.rtol = 1e-6;
  o.atol = 1e-9;
  const auto s = solve(q, with_algebra<bdf5, umfpack>{{}, {pattern}}, o),
             dense = solve(q, bdf5{}, o);
  REQUIRE(s.status == status::success);
  CHECK(s.stats.accepted == dense.stats.accepted);
  CHECK(relative_difference(s.y, dense.y) < 1e-10);
  CHECK(std::abs(s.y[0] + s.y[1] + s.y[2] - 1) < 1e-12);

  const brusselator_2d grid{6};
  problem on_grid{grid, grid.y0(), 0.0, 0.4, grid.parameters()};
  const with_algebra<bdf5, gmres<umfpack>> m{{},
                                             {{std::make_shared<sparsity>(sparsity_of(on_grid))}}};
  const auto found = solve(on_grid, m, o), expected = solve(on_grid, bdf5{}, o);
  REQUIRE(found.status == status::success);
  CHECK(relative_difference(found.y, expected.y) < 1e-5);
  CHECK(found.stats.jvp_evaluations > 0);
}

}  // namespace
}  // namespace revode
