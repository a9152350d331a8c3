// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <revode/solve/solve.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/kvaerno5.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

/// A driven oscillator, and a third element that nothing depends on: its size is p[1].
struct driven {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    explicit_part(t, y, p, dy);
    Y rest = dy;
    implicit_part(t, y, p, rest);
    for (int i = 0; i < 3; ++i) dy[i] = dy[i] + rest[i];
  }
  template <class T, class Y, class P>
  void explicit_part(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = y[1];
    dy[1] = sin(t) - p[0] * y[0];
    dy[2] = p[1] * y[0] * y[0] * y[1];
  }
  template <class T, class Y, class P>
  void implicit_part(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = -0.1 * y[0];
    dy[1] = -0.1 * y[1];
    dy[2] = y[0] * 0;
  }
};

using state = vec<double, 3>;

/// Equal tolerances in a list take the steps of one; an element outside the norm none at all.
template <class M>
void check(const M& m, double rtol) {
  CAPTURE(M::name);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const problem quiet{driven{}, state{1, 0, 0}, 0.0, 6.0, vec{4.0, 0.0}};
  problem wild = quiet;
  wild.p[1] = 1e5;
  const double atol = rtol;
  const options one{.rtol = rtol, .atol = atol};
  options each = one, outside = one, most = one;
  each.norm = {.rtol = {rtol, rtol, rtol}, .atol = {atol, atol, atol}};
  outside.norm.atol = {atol, atol, infinity};
  most.norm.combine = maximum_norm;
  const auto a = solve(wild, m, one), b = solve(wild, m, each);
  CHECK(a.status == status::success);
  CHECK(a.stats.accepted == b.stats.accepted);
  CHECK(a.stats.rejected == b.stats.rejected);
  const auto c = solve(wild, m, outside), d = solve(quiet, m, outside);
  // iterations look at all elements, and may shorten a step
  CHECK(std::abs(c.stats.accepted - d.stats.accepted) <= 5 + d.stats.accepted / 20);
  CHECK(c.stats.accepted < a.stats.accepted);
  CHECK(std::abs(c.y[0] - a.y[0]) < 1e4 * atol);
  const auto e = solve(wild, m, most);
  CHECK(e.status == status::success);
  CHECK(e.stats.accepted >= a.stats.accepted);
}

}  // namespace

TEST_CASE("every adaptive family takes tolerances by component, and leaves out what is outside") {
  check(dop853{}, 1e-7);
  check(rodas5p{}, 1e-7);
  check(kvaerno5{}, 1e-7);
  check(radau_iia5{}, 1e-7);
  check(radau_iia9{}, 1e-9);
  check(kencarp4{}, 1e-6);
  check(rock4{}, 1e-6);
  check(reversible_heun{}, 1e-4);
}

}  // namespace revode
