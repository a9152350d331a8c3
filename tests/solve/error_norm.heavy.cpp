// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

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

/// What was attempted.
struct attempts {
  std::vector<step_attempt>* all;
  void after_attempt(const step_attempt& a) const { all->push_back(a); }
};

/// The share of steps that are those that the controller proposes, or shorter by this at the most: by
/// what iterations ask for.
template <class M>
double share_of(const M& m, const pid_controller& c, double shorter = 1e-9) {
  CAPTURE(M::name);
  std::vector<step_attempt> seen;
  const problem q{driven{}, state{1, 0, 0}, 0.0, 20.0, vec{4.0, 1.0}};
  const auto s = solve(q, m, options{.rtol = 1e-5, .controller = c}, events(attempts{&seen}));
  CHECK(s.status == status::success);
  controller_memory memory;
  int exact = 0;
  for (std::size_t k = 0; k + 2 < seen.size(); ++k) {
    const step_attempt &a = seen[k], &b = seen[k + 1];
    const double error = a.what == status::success ? a.error * a.error : HUGE_VAL;
    const double h = a.t_new - a.t;
    const double proposed = h * propose_factor(c, memory, error, estimate_order<M>() + 1);
    if (a.accepted && a.what == status::success) CHECK(b.t_new - b.t <= proposed * (1 + 1e-9));
    const double ratio = (b.t_new - b.t) / proposed;
    exact += ratio > 1 - shorter && ratio < 1 + 1e-9;
    if (c.ratio != 0) memory.before *= ratio;
  }
  return exact / static_cast<double>(seen.size() - 2);
}

}  // namespace

TEST_CASE("named controllers act on every adaptive family") {
  for (const auto& c : {controllers::pi(), controllers::h211b()}) {
    CAPTURE(c.ratio);
    CHECK(share_of(dop853{}, c) == 1);
    CHECK(share_of(rock4{}, c) == 1);
    CHECK(share_of(reversible_heun{}, c) == 1);
    CHECK(share_of(rodas5p{}, c) == 1);
    CHECK(share_of(kvaerno5{}, c, 0.3) > 0.5);
    CHECK(share_of(kencarp4{}, c, 0.3) > 0.5);
    CHECK(share_of(radau_iia5{}, c, 0.3) > 0.5);
  }
}

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
