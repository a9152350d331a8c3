// SPDX-License-Identifier: Apache-2.0
// prints: 2000 lanes, 0 failed
// prints: lane 700 alone: the same bits
#include <cassert>
#include <cstdio>
#include <cstring>
#include <vector>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/revode.hpp>

using namespace revode;
using state = vec<double, 3>;

/// How far the end of a lane is from a target.
struct distance_loss {
  state target;
  template <class Y>
  REVODE_HD auto operator()(revode::index, const Y& y) const {
    const auto x = y[0] - target[0], z = y[2] - target[2];
    return 0.5 * (x * x + z * z);
  }
};

// A sweep of the Lorenz attractor over rho, and the derivative of a loss in every lane's start and
// parameters: each lane has its own steps, and the bits that it would have alone.
int main() {
  constexpr int lanes = 2000;
  ensemble<lorenz, state, state> e{.y0 = {vec{1.0, 0.0, 0.0}}, .t1 = {2.0}, .p = {}};
  for (int l = 0; l < lanes; ++l) e.p.push_back({10, 18 + 14.0 * l / lanes, 8.0 / 3});
  const options o{.rtol = 1e-8, .atol = 1e-8};

  ensemble_solver<tsit5, lorenz, state, state> solver(e, tsit5{}, o);
  const auto g = solver.gradient(distance_loss{{-8, 0, 27}}, {.budget = 1 << 20});
  const auto s = solver.result();
  std::printf("%d lanes, %lld failed\n", lanes, static_cast<long long>(s.failed()));
  std::printf("mean loss %.6f, its slope in sigma %.6f\n", g.total_loss / lanes,
              g.total_p[0] / lanes);
  std::printf("%lld bytes for %lld resident lanes\n", static_cast<long long>(g.reverse.bytes),
              static_cast<long long>(g.reverse.resident_lanes));
  assert(s.failed() == 0);

  const auto q = problem_of(e, 700);
  auto alone = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 10});
  const auto single = alone.pullback(vec{alone.y[0] + 8, 0.0, alone.y[2] - 27});
  const bool same = std::memcmp(&alone.y, &s.y[700], sizeof(state)) == 0 && single.p == g.p[700] &&
                    single.y0 == g.y0[700];
  std::printf("lane 700 alone: %s\n", same ? "the same bits" : "other bits");
  assert(same);
}
