// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/interop/eigen.hpp>

#include <Eigen/LU>

#include <memory>
#include <vector>

#include <revode/ad/derivatives.hpp>
#include <revode/interop/eigen/sparse.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

/// y' = −A(p)⁻¹ y, solved by Eigen inside the field: A is lower triangular and a full matrix.
template <int N>
struct solved {
  bool triangular;

  template <class S>
  static Eigen::Matrix<S, N, N> matrix(const S& p) {
    Eigen::Matrix<S, N, N> a;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) a(i, j) = (i == j ? S(3) + p : S(0)) + S(1.0 / (1 + i + 2 * j));
    return a;
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using S = scalar_t<Y>;
    const Eigen::Matrix<S, N, N> a = matrix(S(p.data()[0]));
    const Eigen::Matrix<S, N, 1> right = y;
    if (triangular)
      dy = -a.template triangularView<Eigen::Lower>().solve(right);
    else
      dy = -a.partialPivLu().solve(right);
  }
};

/// The Jacobian of that field.
template <int N>
Eigen::Matrix<double, N, N> jacobian_of(const solved<N>& f, double p) {
  Eigen::Matrix<double, N, N> a = f.matrix(p);
  if (f.triangular) a = a.template triangularView<Eigen::Lower>().toDenseMatrix();
  return -a.inverse();
}

template <int N>
void check_at_zero(bool triangular) {
  using Y = Eigen::Matrix<double, N, 1>;
  const solved<N> f{triangular};
  const auto exact = jacobian_of(f, 0.5);
  const vec<double, 1> p{0.5};
  derivatives<solved<N>, Y, vec<double, 1>> of;
  Y y = Y::Zero(), out = y;
  y[N - 1] = 1;  // zeros before it, which move
  for (int j = 0; j < N; ++j) {
    of.jvp(f, 0.0, y, p, 0.0, Y(Y::Unit(j)), vec<double, 1>{0}, out);
    CHECK((out - exact.col(j)).norm() < 1e-14);
    Y y_bar = Y::Zero();
    vec<double, 1> p_bar{0};
    of.vjp(f, 0.0, y, p, Y(Y::Unit(j)), static_cast<double*>(nullptr), y_bar, p_bar);
    CHECK((y_bar - exact.row(j).transpose()).norm() < 1e-14);
  }
}

TEST_CASE("Eigen's solves in a field: derivatives where the right side is 0") {
  for (const bool triangular : {true, false}) {
    CAPTURE(triangular);
    check_at_zero<3>(triangular);
    check_at_zero<9>(triangular);
  }
}

using moving = dual<double, 1>;
using moving_states = std::vector<moving>;

/// Numbers that move, and every second one of which is 0.
moving_states half_zero(random_numbers& random, int n) {
  moving_states b(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = {i % 2 == 0 ? 0.0 : random(), {{random()}}};
  return b;
}
sparse_matrix<moving> moving_matrix(random_numbers& random, int n) {
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n; ++i)
    for (const int j : {(i * 7 + 3) % n, (i + 1) % n, i}) entries.emplace_back(i, j);
  sparse_matrix<moving> j{std::make_shared<const sparsity>(n, entries), {}};
  for (int e = 0; e < j.pattern->entries(); ++e) j.values.push_back({random(), {{random()}}});
  return j;
}
/// What is left of b, (α + iβ) I − J applied to x + iy taken away; both parts, the larger of value and tangent.
double left_over(const sparse_matrix<moving>& j, moving alpha, moving beta, moving_states x,
                 moving_states y, moving_states b, moving_states c, bool transposed) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    b[i] = b[i] - (alpha * x[i] - beta * y[i]);
    c[i] = c[i] - (alpha * y[i] + beta * x[i]);
  }
  const auto add = [&](const moving_states& from, moving_states& to) {
    transposed ? add_transposed_product(j, from, to) : add_product(j, from, to);
  };
  add(x, b), add(y, c);
  double most = 0;
  for (const auto* part : {&b, &c})
    for (const moving& e : *part)
      most = std::fmax(most, std::fmax(std::abs(e.value), std::abs(e.d[0])));
  return most;
}

TEST_CASE("Eigen's sparse factors of duals: derivatives where the right side is 0") {
  random_numbers random(5);
  const int n = 30;
  const auto j = moving_matrix(random, n);
  const moving alpha{4.0, {{0.3}}}, beta{0.8, {{-0.2}}}, none(0.0);
  const auto b = half_zero(random, n), c = half_zero(random, n);
  const moving_states zero(static_cast<std::size_t>(n), none);
  sparse_factors<moving_states> factors;
  sparse_complex_factors<moving_states> complex;
  REQUIRE(factors.factor_shifted(j, alpha));
  REQUIRE(complex.factor_shifted(j, alpha, beta));
  auto x = b, y = c;
  factors.solve(x);
  CHECK(left_over(j, alpha, none, x, zero, b, zero, false) < 1e-13);
  x = b;
  factors.solve_transposed(x);
  CHECK(left_over(j, alpha, none, x, zero, b, zero, true) < 1e-13);
  x = b;
  complex.solve(x, y);
  CHECK(left_over(j, alpha, beta, x, y, b, c, false) < 1e-13);
  x = b, y = c;
  complex.solve_adjoint(x, y);
  CHECK(left_over(j, alpha, none - beta, x, y, b, c, true) < 1e-13);
}

}  // namespace
}  // namespace revode
