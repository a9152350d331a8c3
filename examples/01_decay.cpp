// SPDX-License-Identifier: Apache-2.0
// prints: y\(2\)   = 0\.36787944
// prints: dL/dp  = -0\.54134113
#include <cstdio>

#include <revode/revode.hpp>

// y' = -p y: the rate p decides how much is left at t = 2.
struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
  }
};

int main() {
  using namespace revode;
  problem q{decay{}, vec{1.0}, 0.0, 2.0, vec{0.5}};
  auto loss = [](const auto& y) { return y[0] * y[0]; };
  auto r = value_and_gradient(q, tsit5{}, {.rtol = 1e-10, .atol = 1e-12}, loss, {.slots = 4});

  std::printf("y(2)   = %.8f in %ld steps\n", r.solution.y[0], r.solution.stats.accepted);
  std::printf("dL/dp  = %.8f, dL/dy0 = %.8f\n", r.gradient->p[0], r.gradient->y0[0]);
  std::printf("states = %ld at most, %ld steps recomputed\n", r.gradient->reverse.peak_states,
              r.gradient->reverse.replayed_steps);
}
