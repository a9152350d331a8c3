// SPDX-License-Identifier: Apache-2.0
// prints: store_all +0 bytes of states
// prints: 64 KiB
// prints: 1 state .* the same bits
#include <cassert>
#include <cstdio>
#include <cstring>

#include <revode/problems/lorenz.hpp>
#include <revode/revode.hpp>

using namespace revode;

// The derivative of x(10) in the start and the parameters, under different memory budgets.
int main() {
  const lorenz f;
  const problem q{f, f.y0(), 0.0, 10.0, f.parameters()};
  const options o{.rtol = 1e-8, .atol = 1e-8};
  const auto gradient_with = [&](const recursive_checkpoint& adjoint) {
    return solve(q, tsit5{}, o, adjoint).pullback(vec{1.0, 0.0, 0.0});
  };
  const auto all = gradient_with({.schedule = schedule_kind::store_all});
  std::printf("dx/drho = %.12f\n", all.p[1]);

  const auto report = [&](const char* name, const recursive_checkpoint& adjoint) {
    const auto g = gradient_with(adjoint);
    const bool same =
        std::memcmp(&g.y0, &all.y0, sizeof g.y0) == 0 && std::memcmp(&g.p, &all.p, sizeof g.p) == 0;
    assert(same);
    const auto& r = g.reverse;
    std::printf("%-10s %6ld bytes of states, %7ld of tapes, %5.2f steps recomputed a step, %s\n",
                name, r.snapshot_bytes, r.tape_bytes,
                static_cast<double>(r.replayed_steps) / static_cast<double>(r.pulled_steps),
                same ? "the same bits" : "other bits");
  };
  report("store_all", {.schedule = schedule_kind::store_all});
  report("64 KiB", {.budget = 64 * 1024});
  report("4 KiB", {.budget = 4 * 1024});
  report("10 states", {.slots = 10});
  report("3 states", {.slots = 3});
  report("1 state", {.slots = 1});
  report("nested", {.schedule = schedule_kind::nested});
}
