// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/pleiades.hpp>
#include <revode/solvers/adams.hpp>
#include <revode/testing/references.hpp>

#include "multistep_checks.hpp"

namespace revode {
namespace {

/// A driven pendulum.
struct swing {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = y[1] + p[1] * t;
    dy[1] = -(p[0] * sin(y[0])) - p[1] * y[1] * cos(t);
  }
};
using pair_of = vec<double, 2>;
const problem swinging{swing{}, vec{0.5, 1.0}, 0.2, 9.2, vec{1.5, 0.3}};

TEST_CASE(
    "Adams: replays, products and duals agree, with fixed steps and at tight tolerances, under "
    "every budget") {
  for (const double rtol : {1e-4, 1e-8, 1e-12}) {
    CAPTURE(rtol);
    options o{.rtol = rtol, .atol = rtol, .fixed_step = rtol == 1e-4 ? 0.1 : 0.0};
    o.save.ts = {0.2, 0.513, 0.5131, 7.7, 9.2};
    const recursive_checkpoint adjoint{.slots = 3};
    CHECK(replay_law(swinging, adams12{}, o).what == "");
    CHECK(dot_product_law(swinging, adams12{}, o, adjoint, 1).worst < 2e-13);
    CHECK(frozen_grid_law(swinging, adams12{}, o, adjoint).worst < 1e-11);
    for (const recursive_checkpoint& other :
         {recursive_checkpoint{.slots = 1}, recursive_checkpoint{.budget = 40'000},
          recursive_checkpoint{.schedule = schedule_kind::store_all}})
      CHECK(equal_gradients_law(swinging, adams12{}, o, adjoint, other).what == "");
  }
}

/// The same with a jump that no one tells of.
struct jerked : swing {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    swing::operator()(t, y, p, dy);
    if (t > 20.3) dy[1] = dy[1] + 4.0;
  }
};

TEST_CASE("Adams: from every snapshot the rest of the solve has the same bits, whatever the log") {
  const problem q{jerked{}, vec{0.5, 1.0}, 0.0, 40.0, vec{1.5, 0.3}};
  for (const index log_bytes : {index{0}, index{8 + 40 * 20}, unbounded}) {
    stepper<adams12, jerked, pair_of, pair_of> loop(
        q, adams12{}, options{.rtol = 1e-6, .atol = 1e-6, .stops = {3.3, 20.3}}, log_bytes);
    using snapshot_type = decltype(loop)::snapshot_type;
    std::vector<snapshot_type> kept;
    int raised = 0, lowered = 0, most = 0, before = 1, in_a_row = 0;
    bool restarted = false;
    while (!loop.finished()) {
      std::optional<snapshot_type> slot;
      loop.save(slot);
      kept.push_back(*slot);
      const index rejected = loop.result().stats.rejected;
      loop.step(loop.work_tape());
      in_a_row = std::max(in_a_row, static_cast<int>(loop.result().stats.rejected - rejected));
      const int order = loop.work_tape().record.order;
      restarted = restarted || (before > 2 && order == 1);
      raised += order > before ? 1 : 0;
      lowered += order < before ? 1 : 0;
      most = std::max(most, order);
      before = order;
    }
    const auto& stats = loop.result().stats;
    CHECK(loop.status() == status::success);
    CHECK(raised >= 10);
    CHECK(lowered >= 5);
    CHECK(most >= 10);
    CHECK(stats.rejected >= 10);
    CHECK(in_a_row > 3);
    CHECK(restarted);
    const auto end = loop.state();
    for (const snapshot_type& s : kept) {
      loop.load(s);
      while (!loop.finished()) loop.step(loop.work_tape());
      REQUIRE(equal_bits(loop.state(), end));
    }
  }
}

TEST_CASE("Adams: dense output joins the steps with the field's slopes") {
  const adams12 m{};
  for (const double rtol : {1e-4, 1e-9}) {
    stepper<adams12, swing, pair_of, pair_of> loop(swinging, m,
                                                   options{.rtol = rtol, .atol = rtol});
    method_types<adams12, pair_of>::scratch w;
    const auto check = [&](double theta, double t, const pair_of& y) {
      const auto& tape = loop.work_tape();
      pair_of found{}, slope{};
      interpolate(m, tape.t, tape.t_new, tape.stages, w, theta, found);
      CHECK(std::abs(found[0] - y[0]) + std::abs(found[1] - y[1]) < 1e-14);
      if (tape.record.order == 1) return;
      swinging.f(t, y, swinging.p, slope);
      for (int i = 0; i < 2; ++i) {
        interpolation_bar<double> bar;
        nordsieck<pair_of, 12>* no_seeds = nullptr;
        pull_interpolate(m, tape.t, tape.t_new, tape.stages, w, theta,
                         i == 0 ? pair_of{1, 0} : pair_of{0, 1}, no_seeds, bar);
        CHECK(std::abs(bar.theta / (tape.t_new - tape.t) - slope[i]) < 1e-12);
      }
    };
    while (!loop.finished()) {
      const pair_of before = loop.state().z[0];
      loop.step(loop.work_tape());
      check(0, loop.work_tape().t, before);
      check(1, loop.work_tape().t_new, loop.state().z[0]);
    }
  }
}

/// A random array of order q behind steps of uneven lengths.
nordsieck<pair_of, 12> random_array(int q, random_numbers& random) {
  nordsieck<pair_of, 12> s(pair_of{});
  for (int j = 0; j <= q; ++j) s.z[j] = random.like(s.z[j]);
  s.correction = random.like(s.correction);
  return s;
}

TEST_CASE(
    "Adams: pull is the transpose of push, from each order to its neighbours and to the first") {
  const adams12 m{};
  system<swing, pair_of, pair_of> sys(swinging.f, swinging.p);
  random_numbers random(3);
  for (int before = 1; before <= 12; ++before) {
    for (const int q : {before, before + 1, before - 1, 1}) {
      if (q < 1 || q > 12) continue;
      CAPTURE(before);
      CAPTURE(q);
      auto c = make_carry<adams12>(swinging.y0);
      c.state = random_array(before, random);
      c.memo.order = before;
      for (double& step : c.memo.tau) step = 0.1 + 0.03 * random();
      const auto order = static_cast<std::uint8_t>(q);
      const adams_record r{1, order, order};
      auto tape = make_like<method_types<adams12, pair_of>::tape>(swinging.y0);
      const double t = 0.7, t_new = 0.82;
      replay(m, sys, t, t_new, r, c, tape);
      const auto v = random_array(before, random), w = random_array(q, random);
      const pair_of p_dot = random.like(pair_of{});
      pair_of p_bar{};
      method_types<adams12, pair_of>::scratch scratch(swinging.y0);
      auto dot_of = v, bar = w;
      push(m, sys, t, t_new, r, tape, scratch, dot_of, p_dot, step_ends<double>{});
      const nordsieck<pair_of, 12>* no_seeds = nullptr;
      step_ends<double> ends;
      pull(m, sys, t, t_new, r, tape, scratch, no_seeds, bar, p_bar, &ends);
      double pushed = dot(dot_of.correction, w.correction),
             pulled = dot(v.correction, bar.correction) + dot(p_dot, p_bar), size = 1;
      for (int j = 0; j <= 12; ++j) {
        pushed += dot(dot_of.z[j], w.z[j]);
        pulled += dot(v.z[j], bar.z[j]);
        size += std::abs(dot(dot_of.z[j], w.z[j]));
      }
      CHECK(std::abs(pushed - pulled) <= 2e-13 * size);
    }
  }
}

TEST_CASE("Adams: on equal steps errors are those of Adams, Bashforth and Moulton") {
  // γ*_q/γ_{q−1} of the backward differences: Hairer, Nørsett & Wanner, Solving ODEs I, III.1, Tables 1.1, 1.2
  const double gamma[] = {1, 1.0 / 2, 5.0 / 12, 3.0 / 8, 251.0 / 720, 95.0 / 288};
  const double star[] = {1, 1.0 / 2, 1.0 / 12, 1.0 / 24, 19.0 / 720, 3.0 / 160};
  double tau[12];
  for (double& step : tau) step = 0.1;
  for (int q = 1; q <= 5; ++q) {
    const adams_formula<12> by(q, 0.1, tau);
    CHECK(by.error == doctest::Approx(star[q] / gamma[q - 1]).epsilon(1e-13));
    CHECK(by.l[1] == doctest::Approx(1 / gamma[q - 1]).epsilon(1e-13));
  }
}

TEST_CASE("Adams: an order less keeps the slopes of all points but the oldest") {
  double tau[12];
  random_numbers random(7);
  for (double& step : tau) step = 0.1 + 0.04 * random();
  for (int q = 3; q <= 12; ++q) {
    const adams_order_change<12> by(q, q - 1, tau);
    CHECK(by.c[q] == doctest::Approx(1).epsilon(1e-14));
    double x = 0;
    for (int j = 0; j <= q - 2; ++j) {
      double slope = 0, size = 0, power = x;
      for (int i = 2; i <= q; ++i, power *= x) {
        slope += i * by.c[i] * power;
        size += std::abs(i * by.c[i] * power);
      }
      CHECK(std::abs(slope) <= 1e-14 * (1 + size));
      x -= tau[j] / tau[0];
    }
  }
}

TEST_CASE("Adams: each order is observed on steps of uneven lengths") {
  // steps and frequencies at which errors lie between the next order's and rounding
  const int steps[] = {0, 192, 192, 192, 192, 192, 144, 192, 72, 192, 36, 144, 48};
  const double omega[] = {0, 3, 3, 3, 3, 3, 3, 8, 3, 15, 8, 15, 8};
  for (int q = 1; q <= 12; ++q) {
    CAPTURE(q);
    const auto order = static_cast<std::uint8_t>(q);
    const adams_record r{1, order, order};
    const auto error = [&](int n) {
      return error_on_uneven_steps<adams12, long double>({}, r, n, omega[q]);
    };
    const double slope = std::log2(error(steps[q]) / error(2 * steps[q]));
    CHECK(std::abs(slope - q) < (q < 10 ? 0.15 : 0.3));
  }
}

TEST_CASE("Adams: fewer evaluations than CVODE's for as many digits") {
  // CV_ADAMS of SUNDIALS 6.4.1 with functional iteration at the same tolerances: evaluations and digits of
  // the largest element, of the end's largest
  struct row {
    double tolerance;
    index evaluations;
    double digits;
  };
  const pleiades stars{};
  const problem q{stars, stars.y0(), stars.t0, stars.t1, stars.parameters()};
  for (const row cvode : {row{1e-6, 820, 2.78}, row{1e-8, 1489, 4.53}, row{1e-12, 3324, 8.33}}) {
    const auto s = solve(q, adams12{}, options{.rtol = cvode.tolerance, .atol = cvode.tolerance});
    double error = 0, size = 0;
    for (int i = 0; i < 28; ++i) {
      error = std::fmax(error, std::abs(s.y[i] - stars.reference()[i]));
      size = std::fmax(size, std::abs(stars.reference()[i]));
    }
    CHECK(-std::log10(error / size) > cvode.digits);
    CHECK(s.stats.field_evaluations <
          (cvode.tolerance > 1e-7 ? 1.2 : 0.95) * static_cast<double>(cvode.evaluations));
  }
}

TEST_CASE(
    "Adams: backwards, in float, from rest, over no time, by component, in one and many elements") {
  const problem back{swing{}, vec{0.5, 1.0}, 1.0, -4.0, vec{1.5, 0.3}};
  options o{.rtol = 1e-9, .atol = 1e-9};
  o.save.ts = {0.7, 0.2};
  CHECK(replay_law(back, adams12{}, o).what == "");
  CHECK(dot_product_law(back, adams12{}, o, recursive_checkpoint{.slots = 3}, 1).worst < 2e-13);

  const problem single{swing{}, vec{0.5f, 1.0f}, 0.0, 5.0, vec{1.5f, 0.3f}};
  const options rough{.rtol = 1e-4, .atol = 1e-4};
  CHECK(solve(single, adams12{}, rough).status == status::success);
  CHECK(
      dot_product_law(single, adams12{}, rough, recursive_checkpoint{.slots = 3}, 1, 1e-12).holds);

  for (const double span : {0.0, 1e-300, 4e-16}) {
    const problem none{swing{}, vec{0.5, 1.0}, 1.0, 1.0 + span, vec{1.5, 0.3}};
    auto s = solve(none, adams12{}, {}, recursive_checkpoint{});
    CHECK(s.status == status::success);
    const auto g = s.pullback(vec{1.0, 2.0});
    CHECK(std::abs(g.y0[0] - 1) + std::abs(g.y0[1] - 2) < 1e-14);
  }
  options each{.norm = {.rtol = {1e-4, 1e-9}, .atol = {1e-5, 1e-10}}};
  CHECK(dot_product_law(swinging, adams12{}, each, recursive_checkpoint{.slots = 3}, 1).worst <
        2e-13);
}

/// y = t^(−3/5), for which h λ is the same on all steps of a geometric grid.
struct fading {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P&, Y& dy) const {
    dy[0] = -0.6 * y[0] / t;
  }
};

TEST_CASE("Adams: on given steps that grow orders are taken as far as they are stable") {
  const problem q{fading{}, vec{1.0}, 1.0, 1e12};
  const auto error = [&](double growth) {
    options o{.grid = {1.0}};
    while (o.grid.back() < 1e12 / growth) o.grid.push_back(growth * o.grid.back());
    o.grid.push_back(1e12);
    const auto s = solve(q, adams12{}, o);
    return std::abs(s.y[0] - std::pow(1e12, -0.6));
  };
  for (const double growth : {1.05, 1.2, 1.5, 2.0, 2.4}) {
    CAPTURE(growth);
    CHECK(error(growth) < 1e-3);
  }
}

TEST_CASE("Adams: an attempt that is not finite leaves no trace") {
  check_attempt_without_numbers(adams12{});
}

TEST_CASE(
    "Adams: trouble is a status, with what was reached; stiffness costs steps and ends at their "
    "bound") {
  const problem q{breaking{}, vec<double, 1>{1.0}, 0.0, 1.0, vec<double, 1>{2.0}};
  const auto s = solve(q, adams12{}, options{});
  CHECK(s.status == status::non_finite_field);
  CHECK(s.t > 0.49);
  CHECK(std::abs(s.y[0] - std::exp(-2 * s.t)) < 1e-4);
  CHECK(solve(q, adams12{}, options{.fixed_step = 0.1}).status == status::non_finite_field);

  const problem stiff{breaking{}, vec<double, 1>{1.0}, 0.0, 0.49, vec<double, 1>{1e7}};
  const auto held = solve(stiff, adams12{}, options{.max_steps = 2000});
  CHECK(held.status == status::max_steps);
  CHECK(std::abs(held.y[0]) < 1e-5);
}

}  // namespace
}  // namespace revode
