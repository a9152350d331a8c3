// SPDX-License-Identifier: Apache-2.0
// prints: t = 3\.14 +x = -1\.0000
// prints: 33 points in 24 steps, the same steps as without
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/revode.hpp>

// x'' = -x from (1, 0): x = cos t.
struct oscillator {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -y[0];
  }
};

int main() {
  using namespace revode;
  const double pi = std::acos(-1.0);
  const problem q{oscillator{}, vec{1.0, 0.0}, 0.0, 2 * pi};
  options o{.rtol = 1e-6, .atol = 1e-6, .save = {.t0 = true, .t1 = true}};
  for (int k = 1; k < 32; ++k) o.save.ts.push_back(2 * pi * k / 32);
  const auto s = solve(q, tsit5{}, o);

  // Points inside a step come from the method's dense output: they never change the steps.
  for (std::size_t k = 0; k < s.ts.size(); k += 4) {
    const double x = s.ys[k][0];
    std::printf("t = %.2f  x = %7.4f  %*c\n", s.ts[k], x, 21 + static_cast<int>(20 * x), '*');
    assert(std::abs(x - std::cos(s.ts[k])) < 1e-5);
  }
  o.save = {};
  const auto plain = solve(q, tsit5{}, o);
  assert(plain.y == s.y && plain.stats.accepted == s.stats.accepted);
  std::printf("%zu points in %ld steps, the same steps as without\n", s.ts.size(),
              s.stats.accepted);
}
