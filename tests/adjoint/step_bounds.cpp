// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/tsit5.hpp>

// Bounds on the number of steps that are far from what a solve takes: above it as far as integers go,
// and below it.

namespace revode {
namespace {

struct fading {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
  }
};
const problem<fading, vec<double, 1>, vec<double, 1>> q{{}, {1}, 0, 1, {0.7}};
const cotangents<vec<double, 1>> w{.y = vec{1.0}};

std::vector<schedule_kind> all_kinds() {
  std::vector<schedule_kind> all;
  for (const auto& named : schedule_names) all.push_back(named.first);
  return all;
}

}  // namespace

TEST_CASE("the largest number is a bound on steps like any other") {
  const index most = std::numeric_limits<index>::max();
  const auto expected = solve(q, tsit5{}, {}, recursive_checkpoint{}).pullback(w);
  for (const index n : {most, most - 1, most / 2, most / 8, index{1} << 60})
    for (const index budget : {4000, 65536, 10'000'000})
      for (const rounding steps : {rounding::none, rounding::bits24, rounding::octave16}) {
        const options o{.max_steps = n, .step_rounding = steps};
        auto s = solve(q, tsit5{}, o, recursive_checkpoint{.budget = budget});
        CHECK(s.status == status::success);
        if (steps == rounding::none) CHECK(s.pullback(w).p == expected.p);
      }
  for (const schedule_kind kind : all_kinds()) {
    if (kind == schedule_kind::nested) continue;  // refuses more than 2^60 in words
    CAPTURE(name(kind));
    auto s = solve(q, tsit5{}, {.max_steps = most}, recursive_checkpoint{.schedule = kind});
    CHECK(s.pullback(w).p == expected.p);
  }
}

TEST_CASE("a grid of many steps and a small bound: planned for the bound, at once") {
  const options o{.fixed_step = 0x1p-50, .max_steps = 10};
  const auto ends = [&](const recursive_checkpoint& adjoint) {
    const auto s = solve(q, tsit5{}, o, adjoint);
    return s.status == status::max_steps && s.stats.accepted == 10 && s.t == 10 * 0x1p-50;
  };
  for (const index budget : {4000, 65536, 10'000'000}) CHECK(ends({.budget = budget}));
  for (const index slots : {1, 2, 3, 10, 100})
    for (const schedule_kind kind : all_kinds()) {
      CAPTURE(name(kind));
      CHECK(ends({.slots = slots, .schedule = kind}));
    }
}

}  // namespace revode
