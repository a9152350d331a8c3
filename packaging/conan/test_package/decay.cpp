// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>

#include <revode/revode.hpp>

struct decay {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0];
  }
};

int main() {
  using namespace revode;
  const problem q{decay{}, vec{1.0}, 0.0, 2.0, vec{0.5}};
  const auto loss = [](const auto& y) { return y[0] * y[0]; };
  const auto r = value_and_gradient(q, tsit5{}, {.rtol = 1e-10, .atol = 1e-12}, loss, {.slots = 4});
  std::printf("dL/dp = %.8f\n", r.gradient->p[0]);
  return std::abs(r.gradient->p[0] + 4 * std::exp(-2.0)) < 1e-8 ? 0 : 1;
}
