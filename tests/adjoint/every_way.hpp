// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>

/// One gradient, computed in every way that there is.
namespace revode::every_way_of {

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

}  // namespace revode::every_way_of
