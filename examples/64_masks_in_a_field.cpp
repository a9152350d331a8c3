// SPDX-License-Identifier: Apache-2.0
// prints: by window: y .*, dL/dp [-0-9.]+
// prints: by stage: y .*, dL/dp [-0-9.]+
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/interop/random123.hpp>
#include <revode/revode.hpp>

using namespace revode;

// Dropout inside a field: three chains decay, and a mask keeps some of them, twice as fast, and stops the others. A
// mask is a function of what keys it, never of a generator's state: whoever replays a step draws the same.

// By window: which one it is, is the last element of the state, and a timed event counts it up.
struct next_window {
  std::vector<double> times{0.25, 0.5, 0.75};
  void jump(const auto&, const auto& y, const auto&, auto& y_new) const { y_new[3] = y[3] + 1; }
};

void decay(const auto& y, const auto& p, auto& dy, revode::index key) {
  vec<double, 3> mask{};
  dropout({.seed = 7, .lane = 0}, key, 0.5, mask);
  for (int i = 0; i < 3; ++i) dy[i] = -p[0] * mask[i] * y[i];
  dy[3] = 0 * y[3];
}
const auto by_window = [](const auto&, const auto& y, const auto& p, auto& dy) {
  decay(y, p, dy, static_cast<revode::index>(value_of(y[3])));
};
// By stage: the key is the time, bit by bit. Such a field jumps from stage to stage, so its steps are fixed.
const auto by_stage = [](const auto& t, const auto& y, const auto& p, auto& dy) {
  decay(y, p, dy, step_of_time(t));
};

int main() {
  const vec start{1.0, 1.0, 1.0, 0.0};
  const vec w{1.0, 1.0, 1.0, 0.0};  // the loss is the sum of the chains
  const auto show = [&](const char* name, const auto& solved) {
    auto all = solved(1000);
    auto few = solved(2);
    const auto g = all.pullback(w), again = few.pullback(w);
    assert(g.p == again.p && g.y0 == again.y0);  // the same masks in every budget
    std::printf("%s: y %.4f %.4f %.4f, dL/dp %.4f\n", name, all.y[0], all.y[1], all.y[2], g.p[0]);
    return g.p[0];
  };
  const problem windows{by_window, start, 0.0, 1.0, vec{0.7}};
  const double slope = show("by window", [&](revode::index slots) {
    return solve(windows, tsit5{}, options{.rtol = 1e-8, .atol = 1e-8}, events(next_window{}),
                 recursive_checkpoint{.slots = slots});
  });
  const problem stages{by_stage, start, 0.0, 1.0, vec{0.7}};
  show("by stage", [&](revode::index slots) {
    return solve(stages, rk4{}, options{.fixed_step = 0.05}, recursive_checkpoint{.slots = slots});
  });

  // By windows there is a closed form: chain i decays at the rate p mask_i(window), a quarter each.
  double expected = 0;
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    for (int window = 0; window < 4; ++window) {
      vec<double, 3> mask{};
      dropout({.seed = 7, .lane = 0}, window, 0.5, mask);
      sum += 0.25 * mask[i];
    }
    expected -= sum * std::exp(-0.7 * sum);
  }
  assert(std::abs(slope - expected) < 1e-6);
}
