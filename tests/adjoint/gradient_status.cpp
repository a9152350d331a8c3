// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <revode/adjoint/all.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// y' = −p y with derivatives of its own, of which one is spoiled up to t = until.
enum class part { none, of_y, of_p, of_t };
struct spoiled_decay {
  part what = part::of_y;
  double until = 0.5, by = nan;

  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
  }
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  void vjp(const T& t, const Y& y, const P& p, const W& w, GT& gt, GY& gy, GP& gp) const {
    const auto spoil = [&](part of) { return what == of && value_of(t) < until ? by : 1.0; };
    gy[0] -= p[0] * w[0] * spoil(part::of_y);
    gp[0] -= y[0] * w[0] * spoil(part::of_p);
    if (what == part::of_t) gt += w[0] * spoil(part::of_t);
  }
};
problem<spoiled_decay, vec<double, 1>, vec<double, 1>> decaying(spoiled_decay f) {
  return {f, {1.0}, 0.0, 1.0, {2.0}};
}

struct root_of_state {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sqrt;
    dy[0] = p[0] * sqrt(y[0]);
  }
};
struct root_of_parameter {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sqrt;
    dy[0] = sqrt(p[0]) - y[0];
  }
};

template <class Gradient>
void has_no_numbers(const Gradient& g) {
  CHECK(std::isnan(g.y0[0]));
  CHECK(std::isnan(g.p[0]));
  CHECK(std::isnan(g.t0));
  CHECK(std::isnan(g.t1));
  for (const double t : g.ts) CHECK(std::isnan(t));
}

TEST_CASE("a vjp that gives NaN ends the reverse pass, whatever it spoils") {
  for (const part what : {part::none, part::of_y, part::of_p, part::of_t}) {
    CAPTURE(static_cast<int>(what));
    const auto q = decaying({what});
    auto s = solve(q, tsit5{}, options{.save = {.ts = {0.25, 0.75}}}, recursive_checkpoint{});
    for (int again = 0; again < 2; ++again) {
      const auto g = s.pullback(vec{1.0});
      CHECK(g.reverse.pulled_steps == s.stats.accepted);  // fewer than 16
      if (what == part::none) {
        CHECK(g.status == status::success);
        CHECK(g.y0[0] == doctest::Approx(std::exp(-2.0)));
      } else {
        CHECK(g.status == status::non_finite_gradient);
        has_no_numbers(g);
      }
    }
  }
}

TEST_CASE("an infinite derivative is told: a root at 0, of a state and of a parameter") {
  const problem of_state{root_of_state{}, vec{0.0}, 0.0, 1.0, vec{1.0}};
  CHECK(solve(of_state, tsit5{}, {}, recursive_checkpoint{}).pullback(vec{1.0}).status ==
        status::non_finite_gradient);
  const problem of_parameter{root_of_parameter{}, vec{1.0}, 0.0, 1.0, vec{0.0}};
  CHECK(solve(of_parameter, tsit5{}, {}, recursive_checkpoint{}).pullback(vec{1.0}).status ==
        status::non_finite_gradient);
  const auto r = value_and_gradient(of_parameter, tsit5{}, {}, [](const auto& y) { return y[0]; });
  CHECK(r.solution.status == status::success);
  CHECK(*r.value == doctest::Approx(std::exp(-1.0)));
  CHECK(r.gradient->status == status::non_finite_gradient);
  const auto cost = value_and_gradient(
      of_parameter, tsit5{}, {},
      loss_with_running_cost{[](const auto& y) { return y[0]; },
                             [](const auto&, const auto& y, const auto&) { return y[0] * y[0]; }});
  CHECK(cost.gradient->status == status::non_finite_gradient);
}

TEST_CASE("cotangents that are not finite to begin with pull no step") {
  const auto q = decaying({part::none});
  auto s = solve(q, tsit5{}, options{.save = {.ts = {0.5}}}, recursive_checkpoint{});
  for (const double bad : {nan, infinity, -infinity}) {
    const auto g = s.pullback(vec{bad});
    CHECK(g.status == status::non_finite_gradient);
    CHECK(g.reverse.pulled_steps == 0);
    has_no_numbers(g);
    CHECK(s.pullback({.y = {}, .ys = {vec{bad}}}).status == status::non_finite_gradient);
  }
  CHECK(s.pullback(vec{1.0}).status == status::success);
}

TEST_CASE("a reverse pass that overflows ends at the same step for every schedule and budget") {
  const problem q{lorenz{}, lorenz{}.y0(), 0.0, 60.0, lorenz{}.parameters()};
  const vec w{1e290, 1e290, 1e290};
  const options o{.max_steps = 5000};
  index pulled = 0;
  const auto check = [&](const recursive_checkpoint& a) {
    auto s = solve(q, tsit5{}, o, a);
    const auto g = s.pullback(w);
    if (pulled == 0) pulled = g.reverse.pulled_steps;
    CHECK(g.status == status::non_finite_gradient);
    CHECK(g.reverse.pulled_steps == pulled);
    CHECK(pulled < s.stats.accepted);
    has_no_numbers(g);
  };
  check({.schedule = schedule_kind::store_all});
  CHECK(pulled > 500);
  for (const auto kind : {schedule_kind::online, schedule_kind::binomial, schedule_kind::nested,
                          schedule_kind::mixed, schedule_kind::periodic})
    check({.schedule = kind});
  check({.slots = 7});
  check({.slots = 20, .schedule = schedule_kind::two_tier, .slow_slots = 10});
  for (const index budget : {40'000, 400'000}) check({.budget = budget});
  check({.slots = 30, .log = step_replay::controller});
}

TEST_CASE("several gradients: the one that fails stops no other") {
  const problem q{lorenz{}, lorenz{}.y0(), 0.0, 3.0, lorenz{}.parameters()};
  const std::vector<cotangents<vec<double, 3>>> weights{
      {.y = vec{1.0, 0.0, 0.0}}, {.y = vec{1e308, 1e308, 1e308}}, {.y = vec{0.0, nan, 0.0}}};
  const auto all = gradients(q, tsit5{}, {}, weights);
  auto s = solve(q, tsit5{}, {}, recursive_checkpoint{});
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto alone = s.pullback(weights[k]);
    CHECK(all[k].status == (k == 0 ? status::success : status::non_finite_gradient));
    CHECK(all[k].status == alone.status);
    CHECK(all[k].reverse.pulled_steps == alone.reverse.pulled_steps);
    if (k == 0) CHECK(all[k].p == alone.p);
  }
}

TEST_CASE("a Hessian product may fail where the gradient does not") {
  const problem q{lorenz{}, lorenz{}.y0(), 0.0, 10.0, lorenz{}.parameters()};
  const auto loss = [](const auto& y) { return 1e250 * y[0]; };
  const tangents<vec<double, 3>, vec<double, 3>> along{.y0 = {1e100, 0, 0}, .p = {0, 0, 0}};
  const auto r = hessian_vector_product(q, tsit5{}, {}, loss, along);
  CHECK(r.gradient->status == status::success);
  CHECK(std::isfinite(r.gradient->y0[0]));
  CHECK(r.product->status == status::non_finite_gradient);
  has_no_numbers(*r.product);
}

TEST_CASE("forward mode: the solution stands, its derivative has a status") {
  const problem q{lorenz{}, lorenz{}.y0(), 0.0, 60.0, lorenz{}.parameters()};
  const tangents<vec<double, 3>, vec<double, 3>> along{.y0 = {1e290, 0, 0}, .p = {0, 0, 0}};
  const options o{.save = {.ts = {1.0, 59.0}}};
  const auto s = solve(q, tsit5{}, o, along);
  CHECK(s.status == status::success);
  CHECK(s.y == solve(q, tsit5{}, o).y);
  CHECK(s.tangent_status == status::non_finite_gradient);
  CHECK(std::isnan(s.y_dot[0]));
  CHECK(s.ys_dot.size() == 2);
  CHECK(std::isnan(s.ys_dot[0][0]));

  auto still = along;
  still.y0 = {0, 0, 0};
  for (const double t1_dot : {0.0, 1.0}) {  // by a replay over duals, and beside the solve
    still.t1 = t1_dot;
    auto moving = along;
    moving.t1 = t1_dot;
    const auto two = solve(q, tsit5{}, o, std::array{still, moving});
    CHECK(two.tangent_status[0] == status::success);
    CHECK(two.tangent_status[1] == status::non_finite_gradient);
    CHECK(two.ys_dot[0][0][0] == 0);
    CHECK(std::isnan(two.ys_dot[0][1][0]));
  }
}

TEST_CASE("the other adjoints say it as well") {
  for (const auto what : {part::of_y, part::of_p}) {
    const auto q =
        decaying({what, what == part::of_y ? 0.5 : 2.0, what == part::of_y ? nan : infinity});
    const auto check = [&](auto&& s) {
      const auto g = s.pullback(vec{1.0});
      CHECK(g.status == status::non_finite_gradient);
      has_no_numbers(g);
    };
    check(solve(q, tsit5{}, {}, backsolve{}));
    check(solve(q, tsit5{}, {}, interpolating{}));
    check(solve(q, tsit5{}, {}, gauss{}));
    check(solve(q, reversible_heun{}, options{.fixed_step = 0.01}, reversible{}));
  }
}

TEST_CASE("a steady state: what its linear system or the field spoils") {
  const problem q{root_of_parameter{}, vec{1.0}, 0.0, 10.0, vec{0.0}};
  auto s = solve(q, tsit5{}, {}, steady_state{});
  REQUIRE(s.status == status::success);
  CHECK(s.pullback(vec{1.0}).status == status::non_finite_gradient);
  CHECK(s.pullback(vec{nan}).status == status::non_finite_gradient);
}

}  // namespace
}  // namespace revode
