// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>

#include <revode/adjoint/gauss.hpp>
#include <revode/interop/eigen/sparse.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas3.hpp>
#include <revode/solvers/switching.hpp>

namespace revode {
namespace {

using state = std::vector<double>;

/// y₀' = −p1 y₀, yᵢ' = p0 yᵢ₋₁ − p1 yᵢ²: a chain that nothing leads back.
struct cascade {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[1] * y[0];
    for (std::size_t i = 1; i < y.size(); ++i) dy[i] = p[0] * y[i - 1] - p[1] * y[i] * y[i];
  }
};
struct cascade_with_jacobian : cascade {
  template <class T, class Y, class P, class J>
  void jacobian(const T&, const Y& y, const P& p, J& j) const {
    j(0, 0) = -p[1];
    for (int i = 1; i < length(y); ++i) {
      j(i, i - 1) = p[0];
      j(i, i) = -2 * p[1] * y[std::size_t(i)];
    }
  }
};

template <class F, class M>
auto gradient_by(const M& m, double stiffness = 1) {
  const problem q{F{}, state{1, 0.8, 0.6, 0.4, 0.2, 0.1}, 0.0, 1.0,
                  vec{3.0 * stiffness, 20.0 * stiffness}};
  auto s = solve(q, m, {.rtol = 1e-7, .atol = 1e-9}, gauss{});
  return s.pullback(state{0.1, -0.2, 0.3, -0.4, 0.5, 1});
}

template <class F, class M, class L>
void check_like_dense(const L& algebra) {
  const auto expected = gradient_by<cascade>(M{}),
             g = gradient_by<F>(with_algebra<M, L>{{}, algebra});
  REQUIRE(expected.status == status::success);
  REQUIRE(g.status == status::success);
  for (std::size_t i = 0; i < g.y0.size(); ++i)
    CHECK(g.y0[i] == doctest::Approx(expected.y0[i]).epsilon(1e-6));
  for (int i = 0; i < 2; ++i) CHECK(g.p[i] == doctest::Approx(expected.p[i]).epsilon(1e-6));
  const index most = 11 * expected.backward.accepted / 10;
  CHECK(g.backward.accepted <= most);  // a wrong Jacobian takes short steps
}

/// The same with Eigen's matrix as its Jacobian.
struct cascade_with_matrix : cascade {
  template <class T, class Y, class P, class J>
  void sparse_jacobian(const T&, const Y& y, const P& p, J& j) const {
    Eigen::SparseMatrix<double> a(length(y), length(y));
    a.insert(0, 0) = -p[1];
    for (int i = 1; i < length(y); ++i) {
      a.insert(i, i - 1) = p[0];
      a.insert(i, i) = -2 * p[1] * y[std::size_t(i)];
    }
    j.take(a);
  }
};

}  // namespace

TEST_CASE("a matrix of Eigen's is a pattern and a Jacobian as it is") {
  Eigen::SparseMatrix<double, Eigen::RowMajor> like(6, 6);
  for (int i = 1; i < 6; ++i) like.insert(i, i - 1) = 1;
  like.makeCompressed();
  const auto pattern = std::make_shared<const sparsity>(like);
  CHECK(pattern->entries() == 11);
  const problem products{cascade{}, state{1, 0.8, 0.6, 0.4, 0.2, 0.1}, 0.0, 1.0, vec{3.0, 20.0}};
  const problem given{cascade_with_matrix{}, products.y0, 0.0, 1.0, products.p};
  const with_algebra<rodas3, eigen_sparse> m{{}, {pattern, true}};
  const auto s = solve(given, m, {.rtol = 1e-5}), expected = solve(products, m, {.rtol = 1e-5});
  REQUIRE(s.status == status::success);
  CHECK(s.stats.accepted == expected.stats.accepted);
  CHECK(s.stats.jvp_evaluations < expected.stats.jvp_evaluations);
  CHECK_THROWS_WITH_AS(
      sparsity(Eigen::SparseMatrix<double>(2, 3)),
      "a sparse matrix of 2 rows and 3 columns (a Jacobian is square) give another?",
      std::invalid_argument);
}

TEST_CASE_TEMPLATE("gauss solves with transposes: bands and patterns that are not symmetric", M,
                   rodas3, kvaerno3, radau_iia5) {
  check_like_dense<cascade_with_jacobian, M>(dense_algebra{});
  const banded lower_band{.lower = 1, .upper = 0, .check = true};
  check_like_dense<cascade, M>(lower_band);
  check_like_dense<cascade_with_jacobian, M>(banded{.lower = 1, .upper = 0});
  check_like_dense<cascade, M>(gmres<banded>{lower_band, {}});
  std::vector<std::pair<int, int>> below;
  for (int i = 1; i < 6; ++i) below.emplace_back(i, i - 1);
  check_like_dense<cascade, M>(eigen_sparse{std::make_shared<sparsity>(6, below), true});
}

TEST_CASE("gauss solves with transposes of the implicit method of a pair that switches") {
  using in_bands = switching<tsit5, with_algebra<rodas5p, banded>>;
  using in_a_pattern = switching<tsit5, with_algebra<rodas5p, eigen_sparse>>;
  std::vector<std::pair<int, int>> below;
  for (int i = 1; i < 6; ++i) below.emplace_back(i, i - 1);
  const double stiff = 100;  // enough for implicit steps on the way back
  const auto expected = gradient_by<cascade>(tsit5_rodas5p{}, stiff);
  for (const auto& g :
       {gradient_by<cascade>(in_bands{.stiff = {{}, {.lower = 1, .upper = 0, .check = true}}},
                             stiff),
        gradient_by<cascade>(in_bands{.stiff = {{}, {.lower = 1, .upper = 0}}}, stiff),
        gradient_by<cascade>(
            in_a_pattern{.stiff = {{}, {std::make_shared<sparsity>(6, below), true}}}, stiff)}) {
    REQUIRE(g.status == status::success);
    CHECK(g.backward.factorizations > 0);
    CHECK(g.backward.accepted <= 11 * expected.backward.accepted / 10);
    for (int i = 0; i < 2; ++i) CHECK(g.p[i] == doctest::Approx(expected.p[i]).epsilon(1e-6));
  }
}

TEST_CASE("a pattern's transpose is made once, and has its entries the other way round") {
  const sparsity p(3, {{1, 0}, {2, 0}});
  const auto t = p.transposed();
  CHECK(t == p.transposed());
  CHECK(t->find(0, 1) >= 0);
  CHECK(t->find(0, 2) >= 0);
  CHECK(t->find(1, 0) < 0);
  CHECK(t->entries() == p.entries());
}

}  // namespace revode
