// SPDX-License-Identifier: Apache-2.0
// prints: Newton: x = 1\.259921 after [4-9] steps, dx/da = 0\.209987
// prints: filter: 4\.8 evaluations a step, at most 20 carries of 10000
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/revode.hpp>

using namespace revode;

int main() {
  // While x³ ≠ a: a Newton step. The loop stops when it has converged and costs what it ran.
  const auto not_yet = [](const auto& x, const auto& a) {
    return std::abs(x[0] * x[0] * x[0] - a[0]) > 1e-12;
  };
  const auto newton = [](const auto& x, const auto& a, auto& next) {
    next[0] = x[0] - (x[0] - a[0] / (x[0] * x[0])) / 3.0;
  };
  auto root = bounded_while_loop(not_yet, newton, vec{1.0}, vec{2.0}, {.max_steps = 1000});
  const double slope = root.pullback(vec{1.0}).params[0];
  std::printf("Newton: x = %.6f after %ld steps, dx/da = %.6f\n", root.carry()[0], root.steps(),
              slope);
  assert(std::abs(slope - std::cbrt(2.0) / 6) < 1e-9);

  // A recurrence over 10,000 inputs: c ← tanh(p c + x), output c; gradients of p and of each x.
  const auto filter = [](const auto& c, const auto& x, const auto& p, auto& next, auto& out) {
    using std::tanh;
    next[0] = tanh(p[0] * c[0] + x[0]);
    out[0] = next[0];
  };
  std::vector<vec<double, 1>> xs, ones(10'000, vec{1.0});
  for (int i = 0; i < 10'000; ++i) xs.push_back({0.5 * std::sin(0.01 * i)});
  auto run = scan(filter, vec{0.0}, xs, vec{0.8}, vec{0.0}, {.slots = 20});
  const auto g = run.pullback(vec{0.0}, ones);
  std::printf("filter: %.1f evaluations a step, at most %ld carries of %zu\n",
              static_cast<double>(run.counts().steps) / 1e4, run.peak_states(), xs.size());

  // The same in all the memory it wants: the same bits.
  auto all = scan(filter, vec{0.0}, xs, vec{0.8}, vec{0.0}, {.schedule = schedule_kind::store_all});
  const auto expected = all.pullback(vec{0.0}, ones);
  assert(g.params == expected.params && g.xs == expected.xs);
}
