// SPDX-License-Identifier: Apache-2.0
// An interval of no length has its events: those at its time occur, with their derivatives.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
  }
};
struct dose {
  std::vector<double> times;
  void jump(const auto& t, const auto&, const auto& p, auto& y) const { y[0] = y[0] + p[1] * t; }
};
struct last : dose {
  static constexpr bool terminal = true;
};
const auto square = [](const auto& y) { return y[0] * y[0]; };

TEST_CASE_TEMPLATE("a dose at the only time of an interval is taken, as in one an ulp long", M,
                   tsit5, rodas5p, bdf5) {
  problem q{decay{}, vec{1.5}, 2.0, 2.0, vec{0.7, 0.6}};
  options o;
  o.save = {.t0 = true, .t1 = true};
  const auto s = solve(q, M{}, o, events(dose{{2.0}}));
  CHECK(s.status == status::success);
  CHECK(s.events.size() == 1);
  CHECK(s.y[0] == 1.5 + 0.6 * 2.0);
  CHECK(s.ys[0][0] == 1.5);
  CHECK(s.ys[1][0] == s.y[0]);
  const auto none = value_and_gradient(q, M{}, {}, events(dose{{2.0}}), square);
  CHECK(none.gradient->p[0] == 0);
  CHECK(none.gradient->p[1] == doctest::Approx(2 * s.y[0] * 2.0).epsilon(1e-15));
  CHECK(none.gradient->y0[0] == doctest::Approx(2 * s.y[0]).epsilon(1e-15));
  q.t1 = std::nextafter(2.0, 3.0);
  const auto ulp = value_and_gradient(q, M{}, {}, events(dose{{2.0}}), square);
  CHECK(none.gradient->p[1] == doctest::Approx(ulp.gradient->p[1]).epsilon(1e-14));
  CHECK(none.gradient->t1 == doctest::Approx(ulp.gradient->t1).epsilon(1e-12));
  CHECK(none.gradient->t0 == doctest::Approx(ulp.gradient->t0).epsilon(1e-12));
}

TEST_CASE("what does not lie there does not occur, and what ends a solve ends it") {
  const problem q{decay{}, vec{1.5}, 2.0, 2.0, vec{0.7, 0.6}};
  CHECK(solve(q, tsit5{}, {}, events(dose{{1.9, 2.1}})).events.empty());
  CHECK(solve(q, tsit5{}, {.fixed_step = 0.1}, events(dose{{2.0}})).events.size() == 1);
  options o;
  o.discontinuities = {2.0};
  CHECK(solve(q, tsit5{}, o).status == status::success);
  CHECK(solve(q, tsit5{}, {}, events(last{{{2.0}}})).status == status::terminal_event);
}

}  // namespace
}  // namespace revode
