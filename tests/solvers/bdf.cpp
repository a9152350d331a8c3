// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <revode/solvers/bdf.hpp>

#include "implicit_fields.hpp"
#include "multistep_checks.hpp"

namespace revode {
namespace {

TEST_CASE("BDF: replays, products and duals agree, mild and stiff, up to each order") {
  for (const double stiffness : {40.0, 4e4})
    check_implicit_laws(bdf5{}, vec{0.5, 1.0}, vec{stiffness, 1.3});
  check_implicit_laws(bdf2{}, vec{0.5, 1.0}, vec{40.0, 1.3});
}

template <class F, class Y, class P>
using loop_of = stepper<bdf5, F, Y, P>;

/// The pair, drawn to a slow curve by a rate that grows faster than Jacobians are taken, and ends at a moment that no
/// one tells of.
struct hastened : stiff_pair {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    stiff_pair::operator()(t, y, p, dy);
    if (t > 4.8 && t < 5.3) dy[1] = dy[1] - exp(30.0 * (t - 5.0)) * (y[1] - 0.01 * t);
  }
};

TEST_CASE("BDF: from every snapshot the rest of the solve has the same bits, whatever the log") {
  const problem q{hastened{}, vec{0.5, 1.0}, 0.0, 9.0, vec{400.0, 1.3}};
  for (const index log_bytes : {index{0}, index{8 + 40 * 20}, unbounded}) {
    loop_of<hastened, vec<double, 2>, vec<double, 2>> loop(
        q, bdf5{}, options{.rtol = 1e-7, .atol = 1e-8, .stops = {3.3}}, log_bytes);
    using snapshot_type = decltype(loop)::snapshot_type;
    std::vector<snapshot_type> kept;
    int raised = 0, lowered = 0, before = 1, renewed = 0, in_a_row = 0;
    while (!loop.finished()) {
      std::optional<snapshot_type> slot;
      loop.save(slot);
      kept.push_back(*slot);
      const auto [rejected, iterations] = [&s = loop.result().stats] {
        return std::pair(s.rejected, s.newton_iterations);
      }();
      loop.step(loop.work_tape());
      const auto& [record, stats] = std::tie(loop.work_tape().record, loop.result().stats);
      const auto again = static_cast<int>(stats.rejected - rejected);
      in_a_row = std::max(in_a_row, again);
      // iterations that failed with an old Jacobian, and those with the new one, in the same attempt
      if (again == 0 && stats.newton_iterations - iterations > record.iterations) {
        CHECK(record.has(record.new_jacobian));
        ++renewed;
      }
      raised += record.order > before ? 1 : 0;
      lowered += record.order < before ? 1 : 0;
      before = record.order;
    }
    const auto& stats = loop.result().stats;
    CHECK(loop.status() == status::success);
    CHECK(raised >= 4);
    CHECK(lowered >= 1);
    CHECK(stats.rejected >= 3);
    CHECK(renewed >= 1);
    CHECK(in_a_row >= 2);
    const auto end = loop.state();
    for (const snapshot_type& s : kept) {
      loop.load(s);
      while (!loop.finished()) loop.step(loop.work_tape());
      REQUIRE(equal_bits(loop.state(), end));
    }
  }
}

// The difference that a higher order needs is made at the end of the step before: a loss that ends there, or a
// snapshot, has it or has no use for it.
TEST_CASE("BDF: gradients of solves that end just behind a raise of the order, and just before") {
  const options o{.rtol = 1e-7, .atol = 1e-8};
  problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{400.0, 1.3}};
  std::vector<double> ends;  // of a step, the next and the one behind it
  loop_of<stiff_pair, vec<double, 2>, vec<double, 2>> loop(q, bdf5{}, o, 0);
  for (int before = 1; !loop.finished();) {
    const double t = loop.time();
    loop.step(loop.work_tape());
    if (loop.work_tape().record.order > before) {
      ends.push_back(t);
      ends.push_back(loop.time());
    }
    before = loop.work_tape().record.order;
  }
  REQUIRE(ends.size() >= 8);
  for (const double end : ends) {
    CAPTURE(end);
    q.t1 = end;
    const recursive_checkpoint one{.slots = 1};
    CHECK(dot_product_law(q, bdf5{}, o, one, 1).worst < 2e-13);
    CHECK(frozen_grid_law(q, bdf5{}, o, one).worst < 1e-11);
    for (const index slots : {2, 3, 5, 1'000})
      CHECK(equal_gradients_law(q, bdf5{}, o, one, {.slots = slots}).what == "");
  }
}

TEST_CASE("BDF: each order is observed on steps of uneven lengths") {
  for (int q = 1; q <= 5; ++q) {
    CAPTURE(q);
    const auto order = static_cast<std::uint8_t>(q);
    const bdf_record r{1, 1, order, order, 3, 3};
    const int n = q < 3 ? 160 : 80;
    const double slope =
        std::log2(error_on_uneven_steps(bdf5{}, r, n) / error_on_uneven_steps(bdf5{}, r, 2 * n));
    CHECK(slope == doctest::Approx(q).epsilon(0.15 / q));
  }
}

TEST_CASE("BDF: Robertson's problem over eleven decades, with few Jacobians") {
  const problem q{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 1e11, robertson_rates};
  const auto s = solve(q, bdf5{}, options{.rtol = 1e-6, .atol = 1e-12});
  CHECK(s.status == status::success);
  CHECK(std::abs(s.y[0] / 0.2083340149701255e-7 - 1) < 1e-3);
  CHECK(s.stats.accepted < 1400);
  CHECK(s.stats.field_evaluations < 1.45 * static_cast<double>(s.stats.accepted));
  CHECK(s.stats.factorizations < s.stats.accepted / 5);
  CHECK(s.stats.jacobian_evaluations < s.stats.accepted / 40);
}

TEST_CASE("BDF: a gradient of 100,000 stiff steps in 32 snapshots") {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 200.0, vec{1000.0, 1.3}};
  auto s = solve(q, bdf5{}, options{.fixed_step = 0.002}, recursive_checkpoint{.slots = 32});
  REQUIRE(s.stats.accepted == 100'000);
  const auto g = s.pullback(vec{1.0, -1.0});
  CHECK(g.reverse.peak_states <= 32);
  CHECK(all_finite(g.p));
}

TEST_CASE("BDF: backwards, in float, from rest, over no time, and by component") {
  const problem back{stiff_pair{}, vec{0.5, 1.0}, 1.0, 0.0, vec{-3.0, 1.3}};
  options o{.rtol = 1e-6, .atol = 1e-8};
  o.save.ts = {1.0, 0.7, 0.2, 0.0};
  CHECK(replay_law(back, bdf5{}, o).what == "");
  CHECK(dot_product_law(back, bdf5{}, o, recursive_checkpoint{.slots = 3}, 1).worst < 1e-12);

  const problem single{stiff_pair{}, vec{0.5f, 1.0f}, 0.0, 1.5, vec{40.0f, 1.3f}};
  const options rough{.rtol = 1e-3, .atol = 1e-4};
  CHECK(solve(single, bdf5{}, rough).status == status::success);
  CHECK(dot_product_law(single, bdf5{}, rough, recursive_checkpoint{.slots = 3}, 1, 1e-12).holds);

  const problem none{stiff_pair{}, vec{0.5, 1.0}, 1.0, 1.0, vec{3.0, 1.3}};
  auto s = solve(none, bdf5{}, {}, recursive_checkpoint{});
  CHECK(s.pullback(vec{1.0, 2.0}).y0 == vec{1.0, 2.0});

  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e4, 1.3}};
  options each{.norm = {.rtol = {1e-4, 1e-7}, .atol = {1e-5, 1e-8}}};
  CHECK(dot_product_law(q, bdf5{}, each, recursive_checkpoint{.slots = 3}, 1).worst < 1e-12);
}

TEST_CASE("BDF: an attempt that is not finite leaves no trace") {
  check_attempt_without_numbers(bdf5{});
}

TEST_CASE("BDF: trouble is a status, with what was reached") {
  const problem q{breaking{}, vec<double, 1>{1.0}, 0.0, 1.0, vec<double, 1>{2.0}};
  const auto s = solve(q, bdf5{}, options{});
  CHECK(s.status == status::non_finite_field);
  CHECK(s.t > 0.49);
  CHECK(std::abs(s.y[0] - std::exp(-2 * s.t)) < 1e-4);
  CHECK(solve(q, bdf5{}, options{.max_steps = 5}).status == status::max_steps);
  CHECK(solve(q, bdf5{}, options{.fixed_step = 0.1}).status == status::non_finite_field);
}

}  // namespace
}  // namespace revode
