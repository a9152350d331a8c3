// SPDX-License-Identifier: Apache-2.0
// prints: at t = 2: 0\.13533528, at save points 1\.0000 0\.6065 0\.3679
// prints: stiff: [0-9]+ steps, x = 0\.9852
// prints: falls below one half at t = 0\.693147
// prints: dL/dp = -0\.270671, along p -0\.270671
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/revode.hpp>
#include <revode/solve/dense_output.hpp>
#include <revode/solvers/rodas5p.hpp>

// What programs of other libraries look like here, part by part; docs/site/porting.md has the others beside.

using namespace revode;

// [field]
struct decay {
  void operator()(const auto& t, const auto& y, const auto& p, auto& dy) const {
    static_cast<void>(t);
    dy[0] = -p[0] * y[0];
  }
};
// [field]

// [jacobian]
struct robertson {
  void operator()(const auto&, const auto& y, const auto& p, auto& dy) const {
    dy[0] = -p[0] * y[0] + p[2] * y[1] * y[2];
    dy[2] = p[1] * y[1] * y[1];
    dy[1] = -dy[0] - dy[2];
  }  // its Jacobian is taken by duals; one of your own: void jacobian(t, y, p, J) const
};
// [jacobian]

// [event]
struct below_half {
  static constexpr bool terminal = true;
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0] - 0.5; }
};
// [event]

int main() {
  // [solve]
  problem q{decay{}, vec{1.0}, 0.0, 2.0, vec{1.0}};
  auto s = solve(q, tsit5{}, {.rtol = 1e-10, .atol = 1e-12, .save = {.ts = {0.0, 0.5, 1.0}}});
  if (s.status != status::success) return 1;
  // [solve]
  assert(std::abs(s.y[0] - std::exp(-2.0)) < 1e-9);
  std::printf("at t = 2: %.8f, at save points %.4f %.4f %.4f\n", s.y[0], s.ys[0][0], s.ys[1][0],
              s.ys[2][0]);

  // [stiff]
  problem reaction{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 0.4, vec{0.04, 3e7, 1e4}};
  auto r = solve(reaction, rodas5p{},
                 {.norm = {.rtol = {1e-6, 1e-6, 1e-6}, .atol = {1e-8, 1e-14, 1e-6}}});
  // [stiff]
  std::printf("stiff: %ld steps, x = %.4f\n", static_cast<long>(r.stats.accepted), r.y[0]);

  // [dense]
  auto e = solve(q, tsit5{}, {.rtol = 1e-10, .atol = 1e-12}, events(below_half{}), dense_output{});
  double found = e.events[0].t, between = e(0.3)[0];
  // [dense]
  assert(std::abs(between - std::exp(-0.3)) < 1e-8);
  std::printf("falls below one half at t = %.6f\n", found);

  // [gradient]
  auto loss = [](const auto& y) { return y[0]; };
  auto g = value_and_gradient(q, tsit5{}, {.rtol = 1e-10, .atol = 1e-12}, loss, {.slots = 8});
  // [gradient]
  // [forward]
  auto f = solve(q, tsit5{}, {.rtol = 1e-10, .atol = 1e-12}, tangents{vec{0.0}, vec{1.0}});
  // [forward]
  assert(g.gradient->status == status::success);
  std::printf("dL/dp = %.6f, along p %.6f\n", g.gradient->p[0], f.y_dot[0]);
}
