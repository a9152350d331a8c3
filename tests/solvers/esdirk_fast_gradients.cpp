// SPDX-License-Identifier: Apache-2.0
// Derivatives of ESDIRK methods by what decays within a tiny part of a step: rounding grows by h|J| once, not by each stage.
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/pollu.hpp>
#include <revode/solvers/esdirk325.hpp>
#include <revode/solvers/esdirk436.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/esdirk54i8.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/kencarp47.hpp>
#include <revode/solvers/kencarp5.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/kvaerno4.hpp>
#include <revode/solvers/kvaerno5.hpp>
#include <revode/solvers/tr_bdf2.hpp>

namespace revode {
namespace {

/// The derivative of the sum of y(t1) by y0[at], in reverse and in forward mode.
struct both {
  double reverse, forward;
};
template <class M, class Q>
both by_element(const Q& q, int at, const options& o) {
  auto solved = solve(q, M{}, o, recursive_checkpoint{});
  REQUIRE(solved.status == status::success);
  auto w = q.y0, along = q.y0;
  auto p_dot = q.p;
  for (auto& x : w) x = 1;
  for (auto& x : along) x = 0;
  for (auto& x : p_dot) x = 0;
  along[at] = 1;
  const auto g = solved.pullback(w);
  REQUIRE(g.status == status::success);
  return {g.y0[at], dot(w, solve(q, M{}, o, tangents{along, p_dot}).y_dot)};
}

/// a is lost at once, of which 0.7 come to b and 0.3 to c.
struct lost_at_once {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[1] - p[1] * y[0];
    dy[1] = 0.7 * p[1] * y[0] - p[0] * y[1];
    dy[2] = 0.3 * p[1] * y[0];
  }
};

TEST_CASE_TEMPLATE("a fast element's derivative is the same both ways, and right", M, tr_bdf2,
                   kvaerno3, kencarp3, esdirk325, kvaerno4, kencarp4, kencarp47, esdirk436,
                   kvaerno5, kencarp5, esdirk547, esdirk54i8) {
  const pollu f;
  const problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
  // O1D, lost at 4e11 a minute; 0.0484150 by radau_iia9 and bdf5 at 1e-10.
  const both g = by_element<M>(q, 15, {.rtol = 1e-6, .atol = 1e-6});
  CHECK(g.reverse == doctest::Approx(g.forward).epsilon(1e-5));
  CHECK(g.reverse == doctest::Approx(0.048415).epsilon(5e-3));
  const both fixed =
      by_element<M>(problem{f, f.y0(), 0.0, 0.02, f.parameters()}, 15, {.fixed_step = 0.002});
  CHECK(fixed.reverse == doctest::Approx(fixed.forward).epsilon(1e-5));

  // All is kept: each derivative of the sum is 1.
  const problem kept{lost_at_once{}, vec{0.0, 1.0, 0.0}, 0.0, 1.0, vec{0.3, 4e9}};
  for (int at = 0; at < 3; ++at) {
    const both one = by_element<M>(kept, at, {.fixed_step = 0.1});
    CHECK(std::abs(one.reverse - 1) < 1e-5);
    CHECK(std::abs(one.forward - 1) < 1e-5);
  }
}

}  // namespace
}  // namespace revode
