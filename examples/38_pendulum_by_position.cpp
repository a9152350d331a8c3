// SPDX-License-Identifier: Apache-2.0
// prints: period 2\.6153669
// prints: the same bits with 4 states
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/revode.hpp>

using namespace revode;

// A pendulum as one writes it down: Newton's law with the force λ of the rod, and that the bob is l away, whose
// second derivative it takes to find λ. That is index 3, which index() tells of each variable: 1 for
// positions, 2 for velocities, 3 for λ. Radau methods solve it so.
struct pendulum {
  static constexpr auto index() { return std::array{1, 1, 2, 2, 3}; }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i < 4; ++i) m(i, i) = 1;
  }
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto &g = p[0], &l = p[1];
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -(y[4] * y[0]);
    dy[3] = -(y[4] * y[1]) - g;
    dy[4] = y[0] * y[0] + y[1] * y[1] - l * l;
  }
};
struct at_the_bottom {
  static constexpr bool terminal = true;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0]; }
};

int main() {
  const double g = 9.81, l = 1.22;
  // From the horizontal at rest. Positions and velocities have to fulfil all constraints; λ is a guess.
  const problem q{pendulum{}, vec{l, 0.0, 0.0, 0.0, 0.0}, 0.0, 10.0, vec{g, l}};
  const options o{.rtol = 1e-10, .atol = 1e-10};
  auto s = solve(q, radau_iia9{}, o, events(at_the_bottom{}), recursive_checkpoint{});
  assert(s.status == status::terminal_event);
  const double period = 4 * s.t, by_hand = 4 * 1.8540746773013719 * std::sqrt(l / g);
  std::printf("period %.10f, by hand %.10f\n", period, by_hand);
  assert(std::abs(period - by_hand) < 1e-8);

  // How does it change with the length? The start is on the circle, and moves with it: dy0/dl = (1, 0, 0, 0, 0).
  cotangents<vec<double, 5>> of_period;
  of_period.events = {4.0};
  const auto bar = s.pullback(of_period);
  const double of_length = bar.p[1] + bar.y0[0];
  std::printf("d period/dl %.9f, by hand %.9f\n", of_length, by_hand / (2 * l));
  std::printf("d period/dg %.9f, by hand %.9f\n", bar.p[0], -by_hand / (2 * g));
  assert(std::abs(of_length - by_hand / (2 * l)) < 1e-7);
  assert(std::abs(bar.p[0] + by_hand / (2 * g)) < 1e-8);
  assert(std::abs(bar.y0[4]) < 1e-14);  // the guess has no say

  const auto few =
      solve(q, radau_iia9{}, o, events(at_the_bottom{}), recursive_checkpoint{.slots = 4})
          .pullback(of_period);
  assert(few.p[0] == bar.p[0] && few.p[1] == bar.p[1] && few.y0[0] == bar.y0[0]);
  std::printf("the same bits with 4 states kept, in place of %ld\n",
              static_cast<long>(bar.reverse.peak_states));
}
