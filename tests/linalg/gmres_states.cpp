// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>

#include <revode/interop/eigen.hpp>
#include <revode/linalg/krylov/bicgstab.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas3.hpp>

namespace revode {
namespace {

/// Four numbers that decay into each other.
struct exchange {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    for (int i = 0; i < 4; ++i)
      dy.data()[i] = 5.0 * (y.data()[(i + 1) % 4] - y.data()[i]) - 1.0 * y.data()[i];
  }
};

}  // namespace

TEST_CASE("matrix-free algebra: a state that is a matrix takes the steps of its elements") {
  const auto check = [](const auto& m) {
    const problem of_vector{exchange{}, Eigen::VectorXd{{1., 2., 3., 4.}}, 0.0, 1.0};
    const problem of_matrix{exchange{}, Eigen::MatrixXd{{1., 3.}, {2., 4.}}, 0.0, 1.0};
    const auto v = solve(of_vector, m);
    const auto a = solve(of_matrix, m);
    REQUIRE(a.status == status::success);
    REQUIRE(a.y.rows() == 2);
    CHECK(a.stats.accepted == v.stats.accepted);
    for (int i = 0; i < 4; ++i) CHECK(a.y.data()[i] == v.y.data()[i]);
  };
  check(with_algebra<rodas3, gmres<>>{});
  check(with_algebra<rodas3, bicgstab<>>{});
}

}  // namespace revode
