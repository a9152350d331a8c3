// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "radau_stages.hpp"

namespace revode {
namespace {

const problem robertsons{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 1e11, robertson_rates};

radau_decisions decided(radau_decisions d, double theta, double ratio, int iterations,
                        status what = status::success, float rate = 1) {
  outcome<newton_record<1>> found{0, what, {rate, {static_cast<std::uint8_t>(iterations)}, 0}};
  decide_stages(radau{}, found, theta, ratio, d);
  return d;
}

TEST_CASE("radau: stages change by the rule of RADAU") {
  radau_decisions d;
  d.stages = 5;
  d.age = 10;
  d.keep_factors = true;
  SUBCASE("two more where iterations converge fast and the length stays") {
    const radau_decisions up = decided(d, 0.002, 1.19, 2);
    CHECK(up.stages == 7);
    CHECK(up.age == 1);
    CHECK_FALSE(up.keep_factors);
    CHECK(decided(d, 0.0021, 1, 2).stages == 5);
    CHECK(decided(d, 0.001, 1.21, 2).stages == 5);
    CHECK(decided(d, 0.001, 0.79, 2).stages == 5);
    CHECK(decided(d, 0, 1, 1).stages == 5);  // one iteration tells nothing
    d.theta = 0.0041;                        // slow ones are remembered, by half
    CHECK(decided(d, 0.001, 1, 2).stages == 5);
    CHECK(decided(d, 0.001, 1, 2).theta == doctest::Approx(0.00205));
    d.theta = 0;
    d.age = 9;
    CHECK(decided(d, 0.001, 1, 2).stages == 5);
    CHECK(decided(d, 0.001, 1, 2).keep_factors);
  }
  SUBCASE("two fewer where they do not converge, at any age") {
    d.age = 0;
    CHECK(decided(d, 0.8, 1, 4).stages == 3);
    CHECK(decided(d, 0.79, 1, 4).stages == 5);
    CHECK(decided(d, 0.1, 0.5, 4, status::newton_failure, 0.5f).stages == 3);
    CHECK(decided(d, 0.1, 0.6, 4, status::newton_failure, 0.6f).stages == 5);
    CHECK(decided(d, 0.1, 0.5, 0, status::linear_solve_failure, 0.5f).stages == 3);
    d.stages = 3;
    CHECK(decided(d, 10, 1, 4).stages == 3);
  }
  SUBCASE("no more than the most") {
    d.stages = 7;
    CHECK(decided(d, 0.001, 1, 2).stages == 7);
  }
  SUBCASE("what is not finite, and what leaves the domain, decides nothing") {
    for (const status what : {status::non_finite_field, status::outside_domain})
      CHECK(equal_bits(decided(d, std::nan(""), 0.5, 2, what, 0.5f), d));
  }
}

template <int K, int S>
void check_prediction() {
  using Y = vec<double, 1>;
  const double h_past = 0.3, h = 0.4;
  const auto p = [](double t) {
    return t * (1 + t * (-2 + 0.7 * t));
  };  // of degree 3 <= K, p(0) = 0
  variable_radau_memo<Y> memo(Y{0});
  memo.stages = K;
  memo.h = h_past;
  for (int i = 0; i < K; ++i) memo.past[i] = Y{p(radau_numbers<K>::c[i] * h_past)};
  Y z[S];
  predict_radau_stages(memo, h, z);
  for (int i = 0; i < S; ++i)
    CHECK(z[i][0] == doctest::Approx(p(h_past + radau_numbers<S>::c[i] * h) - p(h_past)));
}

TEST_CASE("radau: a first iterate is the last step's polynomial, whatever the stages of either") {
  check_prediction<3, 5>();
  check_prediction<5, 3>();
  check_prediction<5, 7>();
  check_prediction<7, 5>();
  check_prediction<3, 7>();
  check_prediction<7, 3>();
}

/// Published by Hairer's RADAU on the same solve: evaluations, Jacobians, factorisations.
/// source  bench/results/wpd.json
struct counts_of_radau {
  double rtol, fields, jacobians, factorizations;
};

TEST_CASE("radau: on Robertson's problem its counts are those of RADAU within some per cent") {
  for (const auto& p :
       {counts_of_radau{1e-4, 983, 129, 134}, counts_of_radau{1e-6, 1657, 98, 100},
        counts_of_radau{1e-8, 2432, 128, 140}, counts_of_radau{1e-10, 3770, 101, 116}}) {
    const options o{.rtol = p.rtol, .atol = 1e-6 * p.rtol};
    const auto s = solve(robertsons, radau{}, o);
    CAPTURE(p.rtol);
    CHECK(static_cast<double>(s.stats.field_evaluations) ==
          doctest::Approx(p.fields).epsilon(0.03));
    CHECK(static_cast<double>(s.stats.jacobian_evaluations) ==
          doctest::Approx(p.jacobians).epsilon(0.07));
    CHECK(static_cast<double>(s.stats.factorizations) ==
          doctest::Approx(p.factorizations).epsilon(0.07));
    CHECK(std::abs(s.y[0] / 0.2083340149701255e-7 - 1) < 10 * p.rtol);
    const auto stages = stages_of(robertsons, o);
    CHECK(stages.front() == 3);
    CHECK(stages.back() == (p.rtol > 1e-5 ? 3 : p.rtol > 1e-9 ? 5 : 7));
  }
}

/// A square root of what overshoots: not a number there.
struct rooted {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sqrt;
    dy[0] = -p[0] * (y[0] - 1.0 / (1.0 + t)) - 0.1 * sqrt(y[0]);
  }
};

TEST_CASE("radau: an attempt that is not finite leaves the start as it was, and the order") {
  using Y = vec<double, 1>;
  const problem q{rooted{}, Y{1.0}, 0.0, 5.0, Y{2000.0}};
  const Y backwards{-2000.0};  // the attempt is, and its solution decays there
  system<rooted, Y, Y> sys(q.f, backwards);
  const radau m{};
  auto from = make_carry<radau>(q.y0), next = from;
  auto tape = make_like<method_types<radau, Y>::tape>(q.y0);
  begin(m, sys, 0.0, q.y0, from);
  from.memo.next.stages = 5;
  from.memo.next.age = 10;
  const auto state = from.state;
  auto memo = from.memo;
  const auto found = attempt(m, sys, {1e-6, 1e-8}, 0.0, -3.0, from, tape, next);
  CHECK(found.what == status::non_finite_field);
  CHECK(found.record.stages == 5);
  CHECK(equal_bits(from.state, state));
  CHECK(equal_bits(from.memo, memo));
  controller_memory control;
  auto told = found;  // as the engine tells it
  told.error_squared = std::numeric_limits<double>::infinity();
  CHECK(propose(m, pid_controller{}, control, told, from, next) == 0.5);
  CHECK(from.memo.next.rejected);
  CHECK(from.memo.next.stages == 5);
  CHECK(from.memo.next.age == 10);
  CHECK(from.memo.next.theta == 0);

  const options o{.rtol = 1e-3, .atol = 1e-5, .first_step = 1.0};
  CHECK(solve(q, radau{}, o).status == status::success);
  CHECK(equal_gradients_law(q, radau{}, o, recursive_checkpoint{.slots = 2},
                            {.slots = 1, .log = step_replay::controller})
            .what == "");
}

struct breaking {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
    if (t >= 0.5) dy[0] = dy[0] * std::numeric_limits<double>::quiet_NaN();
  }
};

TEST_CASE("radau: trouble is a status, with what was reached") {
  const problem q{breaking{}, vec<double, 1>{1.0}, 0.0, 1.0, vec<double, 1>{2.0}};
  const auto s = solve(q, radau{}, {});
  CHECK(s.status == status::non_finite_field);
  CHECK(s.t > 0.49);
  CHECK(std::abs(s.y[0] - std::exp(-2 * s.t)) < 1e-4);
  CHECK(solve(q, radau{}, {.max_steps = 2}).status == status::max_steps);
  CHECK(solve(q, radau{}, {.fixed_step = 0.1}).status == status::non_finite_field);
}

TEST_CASE("radau: numbers of stages that it cannot have are refused in words") {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  CHECK_THROWS_WITH_AS(
      solve(q, radau{.first = 4}, {}),
      "radau has 3, 4 and 7 stages at least, at first and at most (each is 3, 5 or "
      "7, in this order) take e.g. 3, 3 and 7?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      solve(q, radau{.first = 5, .least = 7}, {}),
      "radau has 7, 5 and 7 stages at least, at first and at most (each is 3, 5 or "
      "7, in this order) take e.g. 3, 3 and 7?",
      std::invalid_argument);
}

}  // namespace
}  // namespace revode
