// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/error/resolved_gradient.hpp>
#include <revode/adjoint/gauss.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/reversible.hpp>
#include <revode/problems/bouncing_ball.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/reversible_heun.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

using namespace revode;

namespace {

struct growth {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0];
  }
};
using one = vec<double, 1>;

/// The factor of one step of y' = z y with h = 1, from the tableau.
template <class M>
double step_factor(double z) {
  constexpr int s = coefficients<M>::stages;
  double k[s], factor = 1;
  for (int i = 0; i < s; ++i) {
    k[i] = 1;
    for (int j = 0; j < i; ++j) k[i] += z * M::tableau.a[i][j] * k[j];
    factor += z * M::tableau.b[i] * k[i];
  }
  return factor;
}

const auto squares = [](const auto& y) { return y[0] * y[0] + y[2]; };

lorenz attractor;
auto lorenz_until(double t1) {
  return problem{attractor, attractor.y0(), 0.0, t1, attractor.parameters()};
}

template <class P>
double distance(const P& a, const P& b) {
  double sum = 0;
  for (int i = 0; i < length(a); ++i) sum += std::pow(a.data()[i] - b.data()[i], 2);
  return std::sqrt(sum);
}

/// Says within a factor of ten how far it is from an accurate gradient.
template <class M, class Problem, class Loss, class A>
void check_estimate(const Problem& q, const Loss& loss_of, const A& adjoint) {
  CAPTURE(std::string(A::name));
  const auto right = value_and_gradient(q, vern7{}, {.rtol = 1e-13, .atol = 1e-13}, loss_of);
  for (const double tol : {1e-5, 1e-7}) {
    const auto r = value_and_checked_gradient(q, M{}, {.rtol = tol, .atol = tol}, loss_of, adjoint);
    REQUIRE(r.gradient);
    CHECK(r.gradient->status == status::success);
    const auto& e = *r.gradient->error;
    const double of_p = distance(r.gradient->p, right.gradient->p);
    const double of_loss = std::abs(*r.value - *right.value);
    const double p = distance(e.p, {}), loss = std::abs(e.loss);
    CHECK((p > 0.1 * of_p && p < 10 * of_p));
    CHECK((loss > 0.1 * of_loss && loss < 10 * of_loss));
    CHECK(e.looser.accepted < r.solution.stats.accepted);
  }
}

/// An event of a level that y crosses.
struct level {
  double at;
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P&) const {
    return y[0] - at;
  }
};

}  // namespace

TEST_CASE("the error of a gradient along equal steps is that of steps twice as long") {
  const double h = 0.25, z = -0.2;
  const double fine = std::pow(step_factor<tsit5>(z), 16),
               twice = std::pow(step_factor<tsit5>(2 * z), 8);
  const double error = (twice - fine) / (std::pow(2.0, 5) - 1);
  problem q{growth{}, one{2.0}, 0.0, 16 * h, one{z / h}};
  options by_grid;
  for (int i = 0; i <= 16; ++i) by_grid.grid.push_back(i * h);
  for (const options& o : {options{.fixed_step = h}, by_grid}) {
    auto s = solve(q, tsit5{}, o, with_error{});
    const auto g = s.pullback(one{1.0});
    CHECK(g.y0[0] == doctest::Approx(fine).epsilon(1e-13));
    CHECK(g.error->y0[0] == doctest::Approx(error).epsilon(1e-8));
    CHECK(g.error->loss == doctest::Approx(2 * error).epsilon(1e-8));
    CHECK(g.error->looser.accepted == 8);
    const double part_of_p = std::abs(g.error->p[0] / g.p[0]);
    CHECK(g.error->relative == std::fmax(std::abs(g.error->y0[0] / g.y0[0]), part_of_p));
  }
  by_grid.grid.erase(by_grid.grid.begin() + 1);  // an odd number of steps: the last is its own
  auto odd = solve(q, tsit5{}, by_grid, with_error{});
  CHECK(odd.pullback(one{1.0}).error->looser.accepted == 8);
  auto single = solve(q, tsit5{}, {.fixed_step = 4}, with_error{});  // no step is longer
  const auto g = single.pullback(one{1.0});
  const double whole = step_factor<tsit5>(16 * z), halves = std::pow(step_factor<tsit5>(8 * z), 2);
  CHECK(g.error->y0[0] ==
        doctest::Approx((halves - whole) / (std::pow(0.5, 5) - 1)).epsilon(1e-12));
  CHECK(g.error->tighter.accepted == 2);
  CHECK(g.status == status::gradient_not_resolved);
}

TEST_CASE(
    "the error of an adaptive gradient is half its difference at three times the tolerances") {
  const auto q = lorenz_until(3);
  const options o{.rtol = 1e-6, .atol = 1e-8, .max_step = 0.1};
  options three = o;
  three.rtol *= 3;
  three.atol *= 3;
  three.max_step *= std::pow(3.0, 1.0 / 5);
  const auto w = attractor.y0();
  auto s = solve(q, tsit5{}, o, with_error{}), looser = solve(q, tsit5{}, three, with_error{});
  auto plain = solve(q, tsit5{}, three, recursive_checkpoint{});
  const auto g = s.pullback(w), of_looser = looser.pullback(w), of_plain = plain.pullback(w);
  for (int i = 0; i < 3; ++i) {
    CHECK(of_looser.p[i] == of_plain.p[i]);
    CHECK(g.error->p[i] == 0.5 * (of_looser.p[i] - g.p[i]));
    CHECK(g.error->y0[i] == 0.5 * (of_looser.y0[i] - g.y0[i]));
  }
  CHECK(g.error->t1 == 0.5 * (of_looser.t1 - g.t1));
  CHECK(g.error->looser.field_evaluations == plain.stats.field_evaluations);
  CHECK(g.error->reverse.vjp_evaluations == of_plain.reverse.vjp_evaluations);
  CHECK(s.pullback(w).error->p == g.error->p);
}

TEST_CASE("an error of more than a tenth of what is unresolved is told by a tighter solve") {
  const auto q = lorenz_until(10);
  const options o{.rtol = 1e-5, .atol = 1e-6, .first_step = 1e-3};
  const auto w = attractor.y0();
  const tighter_solve how(o, tsit5::order);
  CHECK(how.o.rtol == o.rtol * (1.0 / 3));
  CHECK(how.o.first_step == o.first_step * std::pow(1.0 / 3, 1.0 / 5));
  auto of_tighter = solve(q, tsit5{}, how.o, recursive_checkpoint{});
  auto s = solve(q, tsit5{}, o, with_error{}),
       few = solve(q, tsit5{}, o, with_error<>{.unresolved = 0.01});
  const auto first = s.pullback(w), g = few.pullback(w), other = of_tighter.pullback(w);
  REQUIRE(first.error->relative > 0.001);
  REQUIRE(first.error->relative < 0.01);
  CHECK(first.error->tighter.accepted == 0);
  CHECK(g.error->tighter.accepted == of_tighter.stats.accepted);
  CHECK(g.error->looser.accepted == first.error->looser.accepted);
  CHECK(g.p == first.p);
  for (int i = 0; i < 3; ++i) CHECK(g.error->p[i] == how.share(1, 1) * (other.p[i] - g.p[i]));
  CHECK(few.pullback(w).error->p == g.error->p);
}

TEST_CASE("a gradient and its error have the same bits for every schedule and budget") {
  const auto q = lorenz_until(4);
  const options o{.rtol = 1e-5, .atol = 1e-5};
  const auto w = attractor.y0();
  const auto of = [&](const recursive_checkpoint& a) {
    auto s = solve(q, rodas5p{}, o, with_error{a});
    return s.pullback(w);
  };
  auto alone = solve(q, rodas5p{}, o, recursive_checkpoint{.slots = 3});
  const auto plain = alone.pullback(w);
  CHECK_FALSE(plain.error);
  const auto all = of({.schedule = schedule_kind::store_all});
  const revode::index budget = 32768;
  for (const recursive_checkpoint& a :
       {recursive_checkpoint{.schedule = schedule_kind::store_all},
        recursive_checkpoint{.slots = 3}, recursive_checkpoint{.budget = budget},
        recursive_checkpoint{.schedule = schedule_kind::nested, .base = 4},
        recursive_checkpoint{.slots = 5, .log = step_replay::controller}}) {
    const auto g = of(a);
    CHECK(g.p == plain.p);
    CHECK(g.y0 == plain.y0);
    CHECK(g.error->p == all.error->p);
    CHECK(g.error->y0 == all.error->y0);
    CHECK(g.error->loss == all.error->loss);
    if (a.budget) CHECK(g.reverse.peak_bytes + g.error->reverse.peak_bytes <= budget);
  }
}

TEST_CASE("every adjoint's gradient says how far it is off") {
  const auto q = lorenz_until(4);
  check_estimate<tsit5>(q, squares, recursive_checkpoint{});
  check_estimate<rodas5p>(q, squares, recursive_checkpoint{.slots = 4});
  check_estimate<tsit5>(q, squares, interpolating{});
  check_estimate<rodas5p>(q, squares, gauss{});
  const problem smooth{growth{}, one{2.0}, 0.0, 1.0, one{-1.5}};
  const auto last = [](const auto& y) { return y[0]; };
  check_estimate<tsit5>(smooth, last, backsolve{});
  check_estimate<reversible_heun>(smooth, last, reversible{});
}

TEST_CASE("the error of a gradient is there for events, save points, times and running costs") {
  const bouncing_ball f;
  problem q{f, f.y0(), bouncing_ball::t0, bouncing_ball::t1, f.parameters()};
  const auto of = [&](double tol) {
    auto s = solve(q, tsit5{}, {.rtol = tol, .atol = tol}, f.events(), with_error{});
    return s.pullback(vec<double, 2>{1.0, 0.1});
  };
  CHECK(of(1e-5).error->relative < 1e-2);
  CHECK(of(1e-11).status == status::success);

  const auto chaos = lorenz_until(2);
  const options o{.rtol = 1e-6, .atol = 1e-6, .stops = {0.7}, .save = {.ts = {0.5, 1.0}}};
  const auto points = [](const auto& y, const auto& ys) { return y[0] * ys[0][1] + ys[1][2]; };
  const auto r = value_and_checked_gradient(chaos, tsit5{}, o, points);
  const auto right = value_and_gradient(
      chaos, vern7{}, {.rtol = 1e-13, .atol = 1e-13, .stops = {0.7}, .save = o.save}, points);
  const double error = distance(r.gradient->p, right.gradient->p);
  CHECK(distance(r.gradient->error->p, {}) > 0.1 * error);
  CHECK(distance(r.gradient->error->p, {}) < 10 * error);
  for (const double of_time : r.gradient->error->ts) CHECK(of_time != 0);
  CHECK(r.gradient->error->ts.size() == 2);
  CHECK(r.gradient->error->stops.size() == 1);

  const loss_with_running_cost cost{squares,
                                    [](auto, const auto& y, const auto&) { return y[1] * y[1]; }};
  const auto run = value_and_checked_gradient(chaos, tsit5{}, o, cost);
  CHECK(run.gradient->error->relative > 0);
  CHECK(run.gradient->error->relative < 1e-3);
}

TEST_CASE("a gradient beside which no solve has the same events is not resolved") {
  problem q{growth{}, one{1.0}, 0.0, 3.0, one{1.0}};
  options o{.rtol = 1e-5, .atol = 1e-5};
  const auto fine = solve(q, tsit5{}, o);
  const double coarse = solve(q, tsit5{}, looser_solve(o, tsit5::order).o).y[0];
  REQUIRE(fine.y[0] != coarse);
  const auto seen = events(level{0.5 * (fine.y[0] + coarse)});
  auto s = solve(q, tsit5{}, o, seen, with_error{});
  const auto g = s.pullback(one{1.0});
  CHECK(g.status == status::success);  // by the tighter one, which crosses the level as well
  CHECK(g.error->tighter.accepted > s.stats.accepted);
  o.max_steps = s.stats.accepted + s.stats.rejected;
  auto bounded = solve(q, tsit5{}, o, seen, with_error{});
  const auto alone = bounded.pullback(one{1.0});
  CHECK(alone.status == status::gradient_not_resolved);
  CHECK(std::isinf(alone.error->relative));
  CHECK(alone.y0[0] == doctest::Approx(std::exp(3.0)).epsilon(1e-4));
}

TEST_CASE("a gradient that is solved again has the error that was asked for") {
  const auto q = lorenz_until(10);
  const auto right = value_and_gradient(q, vern7{}, {.rtol = 1e-13, .atol = 1e-13}, squares);
  const auto r =
      resolved_value_and_gradient(q, tsit5{}, {.rtol = 1e-3, .atol = 1e-3}, squares, 1e-4);
  REQUIRE(r.gradient);
  CHECK(r.gradient->status == status::success);
  CHECK(r.gradient->error->relative <= 1e-4);
  CHECK(distance(r.gradient->p, right.gradient->p) <= 2e-4 * distance(right.gradient->p, {}));
}

TEST_CASE("misuse of gradient errors is told before any work") {
  problem q{growth{}, one{2.0}, 0.0, 1.0, one{1.0}};
  CHECK_THROWS_WITH_AS(solve(q, tsit5{}, {.save = {.every = 2}}, with_error{}),
                       "with_error with save.every = 2 (it knows listed times only) give save.ts, "
                       "or use recursive_checkpoint?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(solve(q, tsit5{}, {}, with_error{gauss{.nodes = 9}}),
                       "gauss with nodes = 9 (a step has 1 to 5) give that many, or 0 for the "
                       "method's?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(solve(q, tsit5{}, {}, with_error{gauss{}, -1.0}),
                       "with_error with unresolved = -1.000000 (a share of the gradient's norm) "
                       "give one >= 0?",
                       std::invalid_argument);
  const auto loss = [](const auto& y) { return y[0]; };
  CHECK_THROWS_WITH_AS(resolved_value_and_gradient(q, tsit5{}, {}, loss, 2.0),
                       "gradient_rtol = 2.000000 (a share of the gradient's norm) give one from "
                       "1e-12 to 1?",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(resolved_value_and_gradient(q, tsit5{}, {.fixed_step = 0.1}, loss, 1e-3),
                       "gradient_rtol with given steps (tolerances choose none of them) leave "
                       "fixed_step and grid out, or look at the error by with_error?",
                       std::invalid_argument);
}
