// SPDX-License-Identifier: Apache-2.0
// What docs/restart.md shows, between what a reader has of one's own.
#include <chrono>

#include <revode/io/restart.hpp>
#include <revode/revode.hpp>
using namespace revode;

int main() {
  const auto f = [](const auto&, const auto& y, const auto& p, auto& dy) { dy[0] = -p[0] * y[0]; };
  const problem q{f, vec{1.0}, 0.0, 2.0, vec{0.5}};
  const vec w{1.0};
options o{.rtol = 1e-8};
o.restart = kept_in({.file = "run.kept", .every = std::chrono::minutes(5), .on_signal = true});  // revode/io/restart.hpp
auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 100});
auto g = s.pullback(w);
}
