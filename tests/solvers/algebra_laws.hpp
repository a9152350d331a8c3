// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/problems/burgers_1d.hpp>
#include <revode/problems/heat_1d.hpp>
#include <revode/testing/references.hpp>

namespace revode {

/// heat_1d or burgers_1d as one type.
struct line_problem {
  bool heat;

  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    const int n = length(y);
    if (heat)
      heat_1d{n}(t, y, p, dy);
    else
      burgers_1d{n}(t, y, p, dy);
  }
};

inline auto line_problem_of(bool heat, int n, double t1) {
  return problem{line_problem{heat}, heat ? heat_1d{n}.y0() : burgers_1d{n}.y0(), 0.0, t1,
                 vec<double, 1>{heat ? 1.0 : 0.01}};
}

/// The steps of the dense algebra, its solution and gradient to rounding, and every law with this one.
template <class M, class L>
void check_algebra(const M& dense, const L& algebra, bool heat, const options& o) {
  CAPTURE(heat);
  CAPTURE(o.fixed_step);
  const auto q = line_problem_of(heat, 24, heat ? 0.05 : 0.2);
  const with_algebra<M, L> m{{}, algebra};
  const recursive_checkpoint adjoint{.slots = 3};
  auto s = solve(q, m, o, adjoint);
  auto d = solve(q, dense, o, adjoint);
  REQUIRE(s.status == status::success);
  CHECK(s.stats.accepted == d.stats.accepted);
  CHECK(s.stats.rejected == d.stats.rejected);
  CHECK(s.stats.jacobian_evaluations == d.stats.jacobian_evaluations);
  if (o.fixed_step == 0) CHECK(s.stats.field_evaluations == d.stats.field_evaluations);
  CHECK(relative_difference(s.y, d.y) < 1e-12);
  random_numbers random(3);
  const auto w = random.like(q.y0);
  const auto g = s.pullback(w), h = d.pullback(w);
  CHECK(relative_difference(g.y0, h.y0) < 1e-11);
  CHECK(relative_difference(g.p, h.p) < 1e-11);
  CHECK(replay_law(q, m, o).what == "");
  CHECK(dot_product_law(q, m, o, adjoint, 1).worst < 1e-13);
  CHECK(frozen_grid_law(q, m, o, adjoint).worst < 1e-10);
  CHECK(equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all}).what == "");
}

/// Adaptive steps with a save point inside one, and fixed steps. Where the field is linear, Newton's
/// second correction is rounding alone; iterations and steps then follow the algebra's rounding, and
/// only an algebra with that of the dense one takes the same.
template <class M, class L>
void check_algebra(const M& m, const L& algebra, bool dense_rounding) {
  CAPTURE(M::name);
  options o{.rtol = 1e-5, .atol = 1e-7};
  o.save.ts = {0.0313};
  if (dense_rounding) check_algebra(m, algebra, true, o);
  check_algebra(m, algebra, false, o);
  check_algebra(m, algebra, true, {.fixed_step = 0.01});
  check_algebra(m, algebra, false, {.fixed_step = 0.02});
}

}  // namespace revode
