// SPDX-License-Identifier: Apache-2.0
// Mass matrices in bands and on patterns: as dense, and refused where they do not lie inside.
#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen.hpp>
#include <revode/interop/eigen/sparse.hpp>
#include <revode/interop/klu.hpp>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/mass_row.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/pendulum_index2.hpp>
#include <revode/solve/mass/mass_matrix.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

constexpr int n = 40;

/// Finite elements; every seventh node has an algebraic equation.
struct links {
  static bool algebraic(int i) { return i % 7 == 3; }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < n; ++i) {
      if (algebraic(i)) continue;
      m(i, i) = 4.0 / 6;
      if (i > 0) m(i, i - 1) = 1.0 / 6;
      if (i < n - 1) m(i, i + 1) = 1.0 / 6;
    }
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    for (int i = 0; i < n; ++i) {
      auto bend = -2.0 * y[i];
      if (i > 0) bend = bend + y[i - 1];
      if (i < n - 1) bend = bend + y[i + 1];
      if (algebraic(i))
        dy[i] = bend - y[i] - p[1] * y[i] * y[i] * y[i] + sin(t);
      else
        dy[i] = 20.0 * bend - p[0] * y[i] * y[i] + p[1] * sin(t + i);
    }
  }
};
const problem q{links{}, Eigen::VectorXd(Eigen::VectorXd::Constant(n, 0.3)), 0.0, 1.0,
                Eigen::VectorXd(Eigen::Vector2d(0.7, 1.3))};

std::shared_ptr<const sparsity> tridiagonal() {
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n; ++i)
    for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < n; ++k) entries.emplace_back(i, k);
  return std::make_shared<const sparsity>(n, entries);
}

template <class Problem, class M, class Dense>
void agrees(const Problem& q, const M& m, const Dense& dense) {
  CAPTURE(std::string(M::name));
  options o{.rtol = 1e-6, .atol = 1e-8};
  o.save.ts = {0.3, 0.7};
  const Eigen::VectorXd w = Eigen::VectorXd::LinSpaced(q.y0.size(), -1, 1);
  auto s = solve(q, m, o, recursive_checkpoint{.slots = 3});
  auto r = solve(q, dense, o, recursive_checkpoint{});
  REQUIRE(s.status == status::success);
  CHECK((s.y - r.y).norm() <= 1e-12 * r.y.norm());
  const auto g = s.pullback(w), h = r.pullback(w);
  CHECK((g.y0 - h.y0).norm() <= 1e-10 * h.y0.norm());
  CHECK((g.p - h.p).norm() <= 1e-10 * h.p.norm());
  const law_result product = dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1);
  CHECK_MESSAGE(product.holds, product.worst);
}

TEST_CASE("a mass matrix in bands and on a pattern is the dense one") {
  agrees(q, with_algebra<rodas5p, banded>{{}, {1, 1}}, rodas5p{});
  agrees(q, with_algebra<bdf5, klu>{{}, {tridiagonal()}}, bdf5{});
  agrees(q, with_algebra<radau_iia5, banded>{{}, {1, 1}}, radau_iia5{});
  agrees(q, with_algebra<radau_iia9, klu>{{}, {tridiagonal()}}, radau_iia9{});
  agrees(q, with_algebra<radau, eigen_sparse>{{}, {tridiagonal()}}, radau{});
}

TEST_CASE("variables of index 2 are found by sparse factors, too") {
  const pendulum_index2 f;
  const auto y0 = f.y0();
  const auto p = f.parameters();
  const problem swing{f, Eigen::VectorXd(Eigen::VectorXd::Map(y0.data(), 5)), 0.0, 1.0,
                      Eigen::VectorXd(Eigen::VectorXd::Map(p.data(), 2))};
  const auto pattern = std::make_shared<const sparsity>(sparsity_of(swing));
  agrees(swing, with_algebra<radau_iia5, klu>{{}, {pattern}}, radau_iia5{});
}

/// What is left of (a ⊗ M − diag J) x = b, or its transpose, from elements of M and J that are told one by one.
template <bool Transposed, class J>
double worst_rest(const double (&a)[3][3], const mass_matrix& m, J (&j)[3],
                  const Eigen::VectorXd (&x)[3], const Eigen::VectorXd (&b)[3]) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  Eigen::VectorXd from(3 * n), to(3 * n);
  for (int i = 0; i < 3; ++i) {
    from.segment(i * n, n) = x[i];
    to.segment(i * n, n) = b[i];
    for (int k = 0; k < n; ++k) {
      for (int q = 0; q < 3; ++q)
        for (const auto& e : m.row(k)) all(i * n + k, q * n + e.at) += a[i][q] * e.value;
      for (int l = k > 0 ? k - 1 : 0; l <= k + 1 && l < n; ++l)
        all(i * n + k, i * n + l) -= j[i](k, l);
    }
  }
  if (Transposed) all.transposeInPlace();
  return (to - all * from).lpNorm<Eigen::Infinity>();
}

/// `matrix` makes one of tridiagonal form.
template <class L, class Matrix>
void solves_stages(const Matrix& matrix) {
  const double a[3][3] = {{3.2, 1.2, -0.25}, {-3.6, 0.8, 1.05}, {5.5, -7.5, 5}};
  mass_matrix m{links{}};
  m.resize(n);
  typename L::template jacobian<Eigen::VectorXd> j[3];
  Eigen::VectorXd b[3], x[3];
  for (int i = 0; i < 3; ++i) {
    matrix(j[i]);
    for (int k = 0; k < n; ++k)
      for (int l = k > 0 ? k - 1 : 0; l <= k + 1 && l < n; ++l)
        j[i](k, l) = std::sin(1.0 + i + 7 * k + 3 * l) - (k == l ? 2 : 0);
    b[i] = x[i] = Eigen::VectorXd::LinSpaced(n, i - 1, i + 1);
  }
  REQUIRE(L::template solve_stages<false>(a, m, j, b, x));
  CHECK(worst_rest<false>(a, m, j, x, b) < 1e-12);
  REQUIRE(L::template solve_stages<true>(a, m, j, b, x));
  CHECK(worst_rest<true>(a, m, j, x, b) < 1e-12);
}

TEST_CASE("stages that a mass matrix couples are solved in bands and on patterns") {
  solves_stages<banded>([](auto& j) { j.resize(n, 1, 1); });
  const auto on_pattern = [](auto& j) {
    j.pattern = tridiagonal();
    j.values.resize(static_cast<std::size_t>(j.pattern->entries()));
  };
  solves_stages<klu>(on_pattern);
  solves_stages<eigen_sparse>(on_pattern);
}

TEST_CASE("a mass matrix outside the band is refused") {
  std::string words;
  try {
    solve(q, with_algebra<rodas5p, banded>{{}, {1, 0}});
  } catch (const std::invalid_argument& e) {
    words = e.what();
  }
  CHECK(words ==
        "mass(0, 1) outside the band of the Jacobian (systems are with M and it together) give the "
        "method one that holds both?");
}

}  // namespace
}  // namespace revode
