// SPDX-License-Identifier: Apache-2.0
// prints: damping +1: .* 0 factorisations
// prints: damping +1000: .* [1-9][0-9]+ factorisations
// prints: found damping 500
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/revode.hpp>

using namespace revode;

// Van der Pol's oscillator: harmless for a small p, stiff for a large one.
struct oscillator {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * ((1.0 - y[0] * y[0]) * y[1]) - y[0];
  }
};
auto of_damping(double p, double t1) {
  return problem{oscillator{}, vec{2.0, 0.0}, 0.0, t1, vec<double, 1>{p}};
}
const options o{.rtol = 1e-8, .atol = 1e-10};

int main() {
  // One method for both: explicit steps where they are not held up by stability.
  for (const double p : {1.0, 30.0, 1000.0}) {
    const auto s = solve(of_damping(p, 100), tsit5_rodas5p{}, o);
    assert(s.status == status::success);
    std::printf("damping %6g: %5ld steps, %5ld evaluations, %4ld factorisations\n", p,
                static_cast<long>(s.stats.accepted), static_cast<long>(s.stats.field_evaluations),
                static_cast<long>(s.stats.factorizations));
  }

  // A fit that starts where the problem is not stiff and ends where it is: Newton's iteration for the
  // damping with which y(10) = target, by exact gradients whatever method made the steps.
  const double target = solve(of_damping(500, 10), tsit5_rodas5p{}, o).y[0];
  double p = 20;
  for (int i = 0; i < 30; ++i) {
    const auto r = value_and_gradient(of_damping(p, 10), tsit5_rodas5p{}, o,
                                      [](const auto& y) { return y[0]; });
    const double off = *r.value - target;
    if (std::abs(off) < 1e-9) break;
    p = std::fmin(2 * p, p - off / r.gradient->p[0]);
  }
  std::printf("found damping %.3f\n", p);
  assert(std::abs(p - 500) < 1e-2);
}
