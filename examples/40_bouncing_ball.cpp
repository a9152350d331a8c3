// SPDX-License-Identifier: Apache-2.0
// prints: bounces at 0\.4515 1\.1740 1\.7519 2\.2143
// prints: gravity 9\.810000, restitution 0\.800000
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/revode.hpp>

using namespace revode;

struct ball {  // y = (height, speed), p = (gravity, restitution)
  void operator()(const auto&, const auto& y, const auto& p, auto& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0];
  }
};
struct bounce {
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0]; }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[1] = -p[1] * y[1];
  }
};

// A ball is dropped from a height of 1, and we hear when it bounces. What are gravity and
// restitution? Gauss–Newton; a row of the Jacobian is the gradient of one event's time.
int main() {
  problem q{ball{}, vec{1.0, 0.0}, 0.0, 2.4, vec{9.81, 0.8}};
  const auto heard = solve(q, tsit5{}, {}, events(bounce{})).events;
  std::printf("bounces at");
  for (std::size_t k = 0; k < 4; ++k) std::printf(" %.4f", heard[k].t);
  std::printf("\n");
  assert(std::abs(heard[0].t - std::sqrt(2 / 9.81)) < 1e-12);

  q.p = {9.0, 0.7};  // a guess
  for (int round = 0; round < 5; ++round) {
    auto s = solve(q, tsit5{}, {}, events(bounce{}), recursive_checkpoint{});
    mat<double, 2, 2> normal{};
    vec<double, 2> right{};
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<double> only_this(s.events.size(), 0.0);
      only_this[k] = 1;
      const auto row = s.pullback({.events = only_this}).p;
      for (int i = 0; i < 2; ++i) {
        right[i] += row[i] * (heard[k].t - s.events[k].t);
        for (int j = 0; j < 2; ++j) normal(i, j) += row[i] * row[j];
      }
    }
    const double det = normal(0, 0) * normal(1, 1) - normal(0, 1) * normal(1, 0);
    q.p[0] += (normal(1, 1) * right[0] - normal(0, 1) * right[1]) / det;
    q.p[1] += (normal(0, 0) * right[1] - normal(1, 0) * right[0]) / det;
    std::printf("gravity %.6f, restitution %.6f\n", q.p[0], q.p[1]);
  }
  assert(std::abs(q.p[0] - 9.81) < 1e-9 && std::abs(q.p[1] - 0.8) < 1e-9);
}
