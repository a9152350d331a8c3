// SPDX-License-Identifier: Apache-2.0
// prints: adams12: [0-9]+ evaluations, dop853: [0-9]+
// prints: reached in [0-9] rounds
// prints: the same bits with 4 states
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/revode.hpp>

using namespace revode;

// A probe above a ring of 500 beads: every evaluation of its field sums 500 forces, so that what a method costs is
// how often it asks. Adams' methods ask twice a step, and take long steps at many digits.
struct ring {
  static constexpr int beads = 500;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    using std::sqrt;
    const auto &mass = p[0], &radius = p[1];
    T force[3] = {T(0), T(0), T(0)};
    for (int k = 0; k < beads; ++k) {
      const double angle = 2 * 3.14159265358979 * k / beads;
      const T dx = radius * cos(angle) - y[0], dy_ = radius * sin(angle) - y[1];
      const T r2 = dx * dx + dy_ * dy_ + y[2] * y[2];
      const T pull = mass / (beads * r2 * sqrt(r2));
      force[0] = force[0] + pull * dx;
      force[1] = force[1] + pull * dy_;
      force[2] = force[2] - pull * y[2];
    }
    for (int i = 0; i < 3; ++i) {
      dy[i] = y[3 + i];
      dy[3 + i] = force[i];
    }
  }
};
using state = vec<double, 6>;

int main() {
  const state start{0.3, 0.0, 0.8, 0.0, 0.5, 0.0};
  const problem q{ring{}, start, 0.0, 12.0, vec{1.0, 1.0}};
  const auto reference = solve(q, vern9{}, options{.rtol = 1e-14, .atol = 1e-14});
  const auto error_of = [&](const state& y) {
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum = std::fmax(sum, std::abs(y[i] - reference.y[i]));
    return sum;
  };
  // At tolerances that leave the same error.
  const auto a = solve(q, adams12{}, options{.rtol = 1e-13, .atol = 1e-13});
  const auto d = solve(q, dop853{}, options{.rtol = 1e-11, .atol = 1e-11});
  const auto of_a = static_cast<int>(a.stats.field_evaluations);
  const auto of_d = static_cast<int>(d.stats.field_evaluations);
  std::printf("adams12: %d evaluations, dop853: %d, for errors of %.1e and %.1e\n", of_a, of_d,
              error_of(a.y), error_of(d.y));
  assert(4 * of_a < 3 * of_d && error_of(a.y) < 2 * error_of(d.y));

  // Which launch takes the probe to a given place? Three velocities for three coordinates: Newton's method with the
  // exact gradient of each, all of one solve.
  state y0 = start;
  const vec target{-0.2, 0.1, 0.5};
  int rounds = 0;
  for (double miss = 1; miss > 1e-11; ++rounds) {
    assert(rounds < 9);
    problem shot{ring{}, y0, 0.0, 2.0, vec{1.0, 1.0}};
    auto s = solve(shot, adams12{}, options{.rtol = 1e-12, .atol = 1e-12}, recursive_checkpoint{});
    mat<double, 3, 3> slope{};
    vec<double, 3> step{};
    miss = 0;
    for (int i = 0; i < 3; ++i) {
      state along{};
      along[i] = 1;
      const auto g = s.pullback(along);
      for (int j = 0; j < 3; ++j) slope(i, j) = g.y0[3 + j];
      step[i] = target[i] - s.y[i];
      miss = std::fmax(miss, std::abs(step[i]));
    }
    lu<double, 3> solver;
    solver.factor(slope);
    solver.solve(step);
    for (int j = 0; j < 3; ++j) y0[3 + j] += step[j];
  }
  std::printf("reached in %d rounds, from (%.6f, %.6f, %.6f)\n", rounds, y0[3], y0[4], y0[5]);

  const options o{.rtol = 1e-10, .atol = 1e-10};
  auto all = solve(q, adams12{}, o, recursive_checkpoint{});
  auto few = solve(q, adams12{}, o, recursive_checkpoint{.slots = 4});
  const auto w = state{1, 0, 0, 0, 0, 0};
  assert(all.pullback(w).p == few.pullback(w).p);
  std::printf("the same bits with 4 states\n");
}
