// SPDX-License-Identifier: Apache-2.0
// prints: rodas5p +[0-9]+ steps
// prints: radau_iia5 +[0-9]+ steps
// prints: the same bits with 5 states
#include <cassert>
#include <cmath>
#include <cstdio>

#include <revode/problems/rober.hpp>
#include <revode/revode.hpp>

using namespace revode;

// Robertson's reaction to t = 1e5, and how the product y3 depends on the three rates: twelve orders of
// magnitude of time, with a Rosenbrock method and with Radau IIA.
template <class Method>
vec<double, 3> sensitivities(const Method& method) {
  const rober f;
  const problem q{f, f.y0(), 0.0, 1e5, f.parameters()};
  const options o{.rtol = 1e-8, .atol = 1e-14, .first_step = 1e-6};

  auto s = solve(q, method, o, recursive_checkpoint{.slots = 32});
  assert(s.status == status::success);
  const auto g = s.pullback(vec{0.0, 0.0, 1.0});
  std::printf("%-10s %4ld steps, y3 = %.10f, dy3/dlog(k) = %9.6f %9.6f %9.6f\n", Method::name,
              static_cast<long>(s.stats.accepted), s.y[2], g.p[0] * 0.04, g.p[1] * 3e7,
              g.p[2] * 1e4);

  auto again = solve(q, method, o, recursive_checkpoint{.slots = 5});
  assert(again.pullback(vec{0.0, 0.0, 1.0}).p == g.p);
  return g.p;
}

int main() {
  const auto a = sensitivities(rodas5p{}), b = sensitivities(radau_iia5{});
  for (int i = 0; i < 3; ++i) assert(std::abs(a[i] - b[i]) < 1e-5 * std::abs(b[i]));
  std::printf("the same bits with 5 states\n");
}
