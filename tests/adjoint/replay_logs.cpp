// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "../contract/bdf12.hpp"
#include "../contract/jump_at_stop.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rk4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

template <class A>
void append(std::vector<double>& all, const A& a) {
  all.insert(all.end(), a.data(), a.data() + a.size());
}

/// Everything that may not depend on how a gradient was computed: the solution, and two gradients
/// of the same object.
using bits = std::vector<double>;

bool same(const bits& a, const bits& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0;
}

template <class Solution, class Y>
auto pull_into(bits& all, Solution& s, const Y& w) {
  const std::vector<Y> ws(s.ys.size(), w);
  auto g = s.pullback(cotangents<Y>{.y = w, .ys = ws});
  append(all, g.y0);
  append(all, g.p);
  append(all, g.ts);
  all.insert(all.end(), {g.t0, g.t1});
  return g;
}

template <class M, class Q, class Y>
bits of_solve(const Q& q, const options& o, const Y& w, const recursive_checkpoint& adjoint,
              reverse_statistics& r) {
  auto s = solve(q, M{}, o, adjoint);
  bits all;
  append(all, s.y);
  for (const Y& y : s.ys) append(all, y);
  bits again;
  r = pull_into(all, s, w).reverse;
  const std::size_t first = all.size();
  pull_into(all, s, w);
  const std::size_t size = all.size() - first;
  REQUIRE(same({all.begin() + static_cast<std::ptrdiff_t>(first - size),
                all.begin() + static_cast<std::ptrdiff_t>(first)},
               {all.begin() + static_cast<std::ptrdiff_t>(first), all.end()}));
  return all;
}

/// Every way to keep a gradient's memory that there is, in a few sizes.
std::vector<recursive_checkpoint> every_way() {
  std::vector<recursive_checkpoint> ways;
  for (const auto log : {step_replay::steps, step_replay::controller}) {
    for (const auto& [kind, text] : schedule_names)
      for (const index slots : {1, 2, 5, 17, 60, 400}) {
        if (slots > 1 && !takes_slots(kind)) continue;
        ways.push_back({.slots = slots,
                        .schedule = kind,
                        .log = log,
                        .base = 4,
                        .interval = kind == schedule_kind::periodic ? index{7} : index{0},
                        .slow_slots = slots / 3});
      }
    ways.push_back({.slots = 12,
                    .schedule = schedule_kind::two_tier,
                    .log = log,
                    .slow_slots = 5,
                    .spill = std::filesystem::temp_directory_path().string()});
  }
  for (const index budget : {6'600, 9'000, 20'000, 50'000, 120'000, 1'000'000})
    ways.push_back({.budget = budget});
  return ways;
}

std::string text_of(const recursive_checkpoint& a) {
  return std::string(a.schedule ? name(*a.schedule) : "planned") + " slots " +
         std::to_string(a.slots.value_or(0)) + " budget " + std::to_string(a.budget.value_or(0)) +
         (a.log == step_replay::controller ? " controller" : "");
}

template <class Run>
void same_bits_every_way(Run&& run) {
  const bits expected = run({.schedule = schedule_kind::store_all});
  REQUIRE(expected.size() > 6);
  for (const recursive_checkpoint& way : every_way()) {
    CAPTURE(text_of(way));
    REQUIRE(same(run(way), expected));
  }
}

/// Field evaluations: those of replayed steps, of attempts rejected again, and a stage a restore.
template <class M, class Q, class Y>
void check(const Q& q, const options& o, const Y& w) {
  same_bits_every_way([&](const recursive_checkpoint& way) {
    reverse_statistics r;
    bits all = of_solve<M>(q, o, w, way, r);
    if (way.log == step_replay::steps) REQUIRE(r.rejected_again == 0);
    if (way.log == step_replay::controller && o.fixed_step == 0) REQUIRE(r.log_bytes == 0);
    return all;
  });
}

const lorenz field;
const problem chaotic{field, field.y0(), 0., 4., field.parameters()};
const problem driven{contract::driven_field{}, vec{0.4, 1.0}, 0.1, 7.3, vec{1.5, 0.2}};

}  // namespace

TEST_CASE("the same bits for every schedule, budget, tier and log: Lorenz") {
  SUBCASE("tsit5") { check<tsit5>(chaotic, {.rtol = 1e-5, .atol = 1e-5}, vec{1., 2., 3.}); }
  SUBCASE("dop853") { check<dop853>(chaotic, {.rtol = 1e-7, .atol = 1e-7}, vec{1., 2., 3.}); }
  SUBCASE("rk4") { check<rk4>(chaotic, {.fixed_step = 0.03}, vec{1., 2., 3.}); }
  SUBCASE("records and a memo") {
    check<contract::bdf12>(chaotic, {.rtol = 1e-2, .atol = 1e-2}, vec{1., 2., 3.});
  }
  SUBCASE("records and a memo, equal steps") {
    check<contract::bdf12>(chaotic, {.fixed_step = 0.02}, vec{1., 2., 3.});
  }
}

TEST_CASE("the same bits for every schedule, budget, tier and log: a clipped end, rounded steps") {
  for (const auto to : {rounding::none, rounding::bits24, rounding::octave16}) {
    const options o{.rtol = 1e-7, .atol = 1e-7, .max_step = 0.13, .step_rounding = to};
    // The last step is cut: no step of the grid ends where t + h would.
    stepper<tsit5, contract::driven_field, vec<double, 2>, vec<double, 2>> loop(driven, tsit5{}, o);
    while (!loop.finished()) loop.step(loop.work_tape());
    CHECK(loop.time() == 7.3);
    CHECK(loop.work_tape().t_new - loop.work_tape().t < 0.13);
    check<tsit5>(driven, o, vec{1., -0.7});
  }
}

TEST_CASE("the same bits for every schedule, budget, tier and log: save points, a jump at a stop") {
  const problem q{contract::driven_field{}, vec{0.4, 1.0}, 0.1, 4.0, vec{1.5, 0.2, 0.3, -0.2}};
  const options o{.rtol = 1e-10,
                  .atol = 1e-10,
                  .save = {.t0 = true, .ts = {0.1, 0.5, 0.5, 1.1, 1.3, 4}, .t1 = true}};
  const auto stats = solve(q, contract::jumping_tsit5{}, o).stats;
  CHECK(stats.accepted > 60);
  CHECK(stats.rejected > 0);
  check<contract::jumping_tsit5>(q, o, vec{1., -0.7});
}

TEST_CASE("the same bits for every schedule, budget, tier and log: an Eigen state, recorded") {
  const auto ring = [](const auto& t, const auto& y, const auto& p, auto& dy) {
    using std::sin;
    for (int i = 0, n = static_cast<int>(y.size()); i < n; ++i)
      dy[i] = p[0] * y[(i + 1) % n] * sin(t * t) - y[i] * t;
  };
  const Eigen::VectorXd y0 = Eigen::VectorXd::LinSpaced(5, 0.2, 1.1);
  const problem q{ring, y0, 0., 2., Eigen::VectorXd(Eigen::VectorXd::Constant(1, 1.3))};
  check<tsit5>(q, {.rtol = 1e-7, .max_step = 0.05, .save = {.ts = {0.3, 1.9}}}, y0);
}

TEST_CASE(
    "attempts that are rejected again are counted, and evaluate the field as the first time") {
  for (const index slots : {1, 3, 10, 50}) {
    const options o{.rtol = 1e-5, .atol = 1e-5};
    auto s = solve(chaotic, tsit5{}, o, {.slots = slots, .log = step_replay::controller});
    auto t = solve(chaotic, tsit5{}, o, {.slots = slots});
    REQUIRE(s.stats.rejected > 0);
    const auto a = s.pullback(vec{1., 2., 3.}).reverse, b = t.pullback(vec{1., 2., 3.}).reverse;
    CHECK(a.replayed_steps == b.replayed_steps);
    CHECK(a.restores == b.restores);
    CHECK(a.field_evaluations == 6 * (a.replayed_steps + a.rejected_again) + a.restores);
    CHECK(b.field_evaluations == 6 * b.replayed_steps + b.restores);
    CHECK(a.vjp_evaluations == b.vjp_evaluations);
    if (slots < 10) CHECK(a.rejected_again > s.stats.rejected);
  }
}

}  // namespace revode
