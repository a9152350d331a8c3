// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/solvers/ros34pw2.hpp>

#include "lanes.hpp"

namespace revode {
namespace {

/// Accepts duals, and brings a Jacobian that leaves a term out: a method whose order does not depend on
/// it takes other steps with it than with the whole one.
struct diagonal_jacobian {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * (y[0] - t) + y[1];
    dy[1] = y[0] * y[1] - p[0] * y[1];
  }
  template <class T, class Y, class P, class J>
  void jacobian(const T&, const Y& y, const P& p, J& j) const {
    j(0, 0) = -p[0];
    j(0, 1) = T(0);
    j(1, 0) = T(0);
    j(1, 1) = y[0] - p[0];
  }
};
/// The same without it.
struct whole_jacobian {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    diagonal_jacobian{}(t, y, p, dy);
  }
};

template <class F>
auto rates() {
  ensemble<F, vec<double, 2>, vec<double, 1>> e{.y0 = {{1.0, 0.5}}, .t1 = {2.0}, .p = {}};
  for (int l = 0; l < 20; ++l) e.p.push_back({2.0 + l});
  return e;
}

TEST_CASE("lanes take the Jacobian that a field brings, as single solves do") {
  using F = diagonal_jacobian;
  const auto e = rates<F>();
  ensemble_solver<ros34pw2, F, vec<double, 2>, vec<double, 1>, place, 16, false> solver(
      e, ros34pw2{}, {});
  solver.run();
  const auto s = solver.result();
  const auto whole = rates<whole_jacobian>();
  for (index l = 0; l < 20; ++l) {
    const auto alone = solve(problem_of(e, l), ros34pw2{}, {});
    const auto at = static_cast<std::size_t>(l);
    CHECK(s.status[at] == status::success);
    CHECK(s.stats[at].accepted == alone.stats.accepted);
    CHECK(s.y[at] == alone.y);
    CHECK(s.y[at] != solve(problem_of(whole, l), ros34pw2{}, {}).y);
  }
}

}  // namespace
}  // namespace revode
