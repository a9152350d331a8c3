// SPDX-License-Identifier: Apache-2.0
// prints: 144 samples in [0-9]+ steps, heated for [0-9]+ of 24 hours
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/solve/step_by_step.hpp>
#include <revode/solvers/tsit5.hpp>

// A room that loses heat to the cold outside; p = (loss, heating) in degrees an hour.
struct room {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * (y[0] - 2) + p[1];
  }
};

int main() {
  using namespace revode;
  const double loss = 0.3, heating = 8;
  step_by_step day(problem{room{}, vec{17.0}, 0.0, 24.0, vec{loss, 0.0}}, tsit5{}, options{});

  // A thermostat looks every ten minutes: the loop is ours, and every look is exactly the end of a
  // step. With other parameters the method begins afresh, as behind a discontinuity.
  double exact = 17, level = 2;
  int samples = 0, on = 0;
  for (; !day.finished(); ++samples) {
    const bool heat = day.y()[0] < (level > 2 ? 21 : 19);
    on += heat ? 1 : 0;
    if (heat != (level > 2)) day.set_parameters(vec{loss, heat ? heating : 0.0});
    level = heat ? 2 + heating / loss : 2;
    if (!day.step_to(24.0 * (samples + 1) / 144)) break;
    exact = level + (exact - level) * std::exp(-loss / 6);
    assert(std::abs(day.y()[0] - exact) < 1e-5);
  }
  assert(day.status() == status::success);
  std::printf("%d samples in %ld steps, heated for %d of 24 hours\n", samples,
              day.result().stats.accepted, on / 6);
}
