// SPDX-License-Identifier: Apache-2.0
// prints: 1000000 steps: 20 slots, .* kB
// prints: nested, base 16, bound 4096: 12000 evaluations = 3 x 4000, 32 carries
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/revode.hpp>

#include "bytes.hpp"

using namespace revode;

// A damped pendulum with friction p, in n small steps; the carry is (angle, speed, steps so far).
const auto swing = [](const auto& c, const auto& p, auto& next) {
  using std::sin;
  const double h = 1e-3;
  next[1] = c[1] - h * (sin(c[0]) + p[0] * c[1]);
  next[0] = c[0] + h * next[1];
  next[2] = c[2] + 1;
};

auto swing_for(long n, const loop_options& o) {
  const auto unfinished = [n](const auto& c, const auto&) { return c[2] < static_cast<double>(n); };
  return bounded_while_loop(unfinished, swing, vec{1.0, 0.0, 0.0}, vec{0.1}, o);
}

int main() {
  // As many slots as the logarithm of the length: memory grows like it, evaluations too.
  const vec<double, 3> angle{1.0, 0.0, 0.0};
  for (long n = 1000; n <= 1'000'000; n *= 10) {
    const double doublings = std::log2(static_cast<double>(n));
    const long slots = std::lround(doublings);
    long evaluations = 0;
    const auto peak = peak_bytes_of([&] {
      auto run = swing_for(n, {.slots = slots, .schedule = schedule_kind::online});
      assert(std::isfinite(run.pullback(angle).params[0]) && run.steps() == n);
      assert(run.peak_states() <= slots);
      evaluations = run.counts().steps;
    });
    const double each = static_cast<double>(evaluations) / static_cast<double>(n);
    std::printf("%7ld steps: %2ld slots, %4.1f kB, %4.2f evaluations a step\n", n, slots,
                static_cast<double>(peak) / 1e3, each);
    assert(each < doublings / 2 && peak < 16'384);
  }

  // A scan takes an input a step and leaves an output a step; only they grow with its length.
  const auto filter = [](const auto& c, const auto& x, const auto& p, auto& next, auto& out) {
    using std::tanh;
    next[0] = tanh(p[0] * c[0] + x[0]);
    out[0] = next[0];
  };
  std::vector<vec<double, 1>> xs(100'000, vec{0.3}), ones(xs.size(), vec{1.0});
  auto few = scan(filter, vec{0.0}, xs, vec{0.8}, vec{0.0}, {.slots = 17});
  auto all = scan(filter, vec{0.0}, xs, vec{0.8}, vec{0.0}, {.schedule = schedule_kind::store_all});
  const auto g = few.pullback(vec{0.0}, ones);
  const auto expected = all.pullback(vec{0.0}, ones);
  assert(g.params == expected.params && g.xs == expected.xs && few.peak_states() <= 17);
  std::printf("scan of %zu: 17 carries give the bits of %zu\n", xs.size(), xs.size());

  // The nested bounded loop: base b, depth d = ⌈log_b max_steps⌉, by integers; d n evaluations and
  // (d - 1) b carries. The default schedule asks for no bound.
  const loop_options nested{.max_steps = 4096, .base = 16, .schedule = schedule_kind::nested};
  auto loop = swing_for(4000, nested);
  auto free_of_bounds = swing_for(4000, {.slots = 32});
  const auto slope = loop.pullback(angle);
  assert(slope.params == free_of_bounds.pullback(angle).params);
  std::printf("nested, base 16, bound 4096: %ld evaluations = 3 x %ld, %ld carries\n",
              loop.counts().steps, loop.steps(), loop.peak_states());
  assert(loop.counts().steps == 3 * 4000 && loop.peak_states() == 2 * 16);

  // It stops at max_steps, not at 16³, and max_steps = 0 is the identity.
  auto stopped = swing_for(4000, {.max_steps = 1000, .schedule = schedule_kind::nested});
  auto nothing = swing_for(4000, {.max_steps = 0, .schedule = schedule_kind::nested});
  assert(stopped.steps() == 1000 && nothing.steps() == 0);
  assert(nothing.pullback(angle).carry == angle);
}
