// SPDX-License-Identifier: Apache-2.0
// prints: 400 unknowns, [0-9]+ steps, [0-9]+ Jacobians
// prints: least oxygen [0-9.]+ mg/l
// prints: agrees with differences
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/linalg/banded.hpp>
#include <revode/revode.hpp>
#include <revode/solvers/bdf.hpp>

using namespace revode;

// A river of 100 km after Streeter and Phelps: sewage flows in at kilometre 10, drifts, disperses and decays,
// and takes oxygen that comes back from the air. Load and oxygen alternate, so that the Jacobian has five
// diagonals; variable-order BDF takes a step for one or two evaluations, and few Jacobians. What is asked: how
// the oxygen left at its worst, after 40 hours, depends on the rates. Twenty states are kept.
constexpr int cells = 200;
constexpr double dx = 100.0 / cells;  // km
constexpr int inlet = 20;

/// p: decay and reaeration per hour, dispersion in km²/h, speed in km/h, sewage in mg/l per hour
struct river {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::exp;
    const auto spread = p[2] / (dx * dx), drift = p[3] / dx;
    const auto inflow = p[4] * (1.0 + 0.5 * (1.0 - exp(-0.5 * t)));
    for (int i = 0; i < cells; ++i) {
      const auto load = y[at(i, 0)], oxygen = y[at(i, 1)];
      const auto decay = p[0] * load * oxygen / (oxygen + 0.5);
      for (int k = 0; k < 2; ++k) {
        const auto here = y[at(i, k)];
        const auto left = i > 0 ? y[at(i - 1, k)] : decltype(here + 0.0)(k == 0 ? 1.0 : 9.0);
        const auto right = i + 1 < cells ? y[at(i + 1, k)] : here;
        dy[at(i, k)] = spread * (left - 2.0 * here + right) + drift * (left - here);
      }
      dy[at(i, 0)] = dy[at(i, 0)] - decay;
      if (i == inlet) dy[at(i, 0)] = dy[at(i, 0)] + inflow;
      dy[at(i, 1)] = dy[at(i, 1)] - decay + p[1] * (9.0 - oxygen);
    }
  }
  static std::size_t at(int i, int k) { return static_cast<std::size_t>(2 * i + k); }
};

auto solved(const vec<double, 5>& p, const options& o) {
  std::vector<double> y(2 * cells);
  for (int i = 0; i < cells; ++i) y[river::at(i, 0)] = 1, y[river::at(i, 1)] = 9;
  const with_algebra<bdf5, banded> method{{}, {2, 2, true}};
  return solve(problem{river{}, y, 0.0, 40.0, p}, method, o, recursive_checkpoint{.slots = 20});
}

int main() {
  const vec<double, 5> p{0.3, 0.15, 0.4, 1.5, 40.0};
  const options o{.rtol = 1e-7, .atol = 1e-7};
  auto s = solved(p, o);
  assert(s.status == status::success);
  std::printf("%d unknowns, %d steps, %d Jacobians\n", 2 * cells,
              static_cast<int>(s.stats.accepted), static_cast<int>(s.stats.jacobian_evaluations));
  assert(s.stats.jacobian_evaluations < s.stats.accepted / 10);

  int worst = 0;
  for (int i = 0; i < cells; ++i)
    if (s.y[river::at(i, 1)] < s.y[river::at(worst, 1)]) worst = i;
  const std::size_t least = river::at(worst, 1);
  std::printf("least oxygen %.4f mg/l at kilometre %.1f\n", s.y[least], dx * worst);

  std::vector<double> w(s.y.size());
  w[least] = 1;
  const auto g = s.pullback(w);
  assert(g.reverse.peak_states <= 20);
  const char* const names[] = {"decay", "reaeration", "dispersion", "speed", "sewage"};
  double off = 0;
  for (int k = 0; k < 5; ++k) {
    double y[2];
    for (int side = 0; side < 2; ++side) {
      auto moved = p;
      moved[k] *= side == 0 ? 1.001 : 0.999;
      y[side] = solved(moved, o).y[least];
    }
    const double difference = (y[0] - y[1]) / (0.002 * p[k]);
    std::printf("by %-10s %+.5f\n", names[k], g.p[k]);
    off = std::fmax(off, std::abs(g.p[k] / difference - 1));
  }
  std::printf("agrees with differences to %.1e\n", off);
  assert(off < 1e-3);
}
