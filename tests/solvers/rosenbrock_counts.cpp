// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solve/solve.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/ros3p.hpp>
#include <revode/solvers/rosenbrock23.hpp>
#include <revode/state/vec.hpp>

namespace revode {
namespace {

struct pulled {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * (t - y[0] * y[0] * y[1]);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("an attempt of a Rosenbrock method solves one system a stage with one matrix", M,
                   rosenbrock23, ros3p, rodas4, rodas5p) {
  constexpr int stages = rosenbrock_numbers<M>::stages;
  const problem q{pulled{}, vec{1.0, 2.0}, 0.0, 2.0, vec{40.0}};
  const auto s = solve(q, M{}, {.rtol = 1e-5, .atol = 1e-6, .first_step = 0.5});
  const index attempts = s.stats.accepted + s.stats.rejected;
  CHECK(s.stats.rejected > 0);
  CHECK(s.stats.linear_solves == stages * attempts);
  CHECK(s.stats.factorizations == attempts);
  // equal steps have no estimate, and no stage for it alone
  const auto equal = solve(q, M{}, {.fixed_step = 0.01});
  CHECK(equal.stats.linear_solves == rosenbrock_numbers<M>::kept * equal.stats.accepted);
}

}  // namespace revode
