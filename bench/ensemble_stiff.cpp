// SPDX-License-Identifier: Apache-2.0
// What does a lane of a stiff ensemble cost, beside single solves one after the other, on one core?
// Robertson's reaction, a sweep of its first rate, to t = 10⁴ at rtol 1e-6, atol 1e-12, Rodas5P:
// solves, and gradients of the rates.
// usage: bench_ensemble_stiff [lanes [repetitions]]; times are the least of the repetitions, which take
// turns. One method a program: in a second one g++ 12 stops inlining, and with that vectorising.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/problems/rober.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

using method = rodas5p;
using state = vec<double, 3>;

struct first_component {
  template <class Y>
  REVODE_HD auto operator()(index, const Y& y) const {
    return y[0];
  }
};

template <class Run>
void keep_least(double& least, Run&& run) {
  const std::clock_t start = std::clock();
  run();
  least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
}

void compare(index lanes, int repetitions) {
  ensemble<rober, state, state> e{.y0 = {{1, 0, 0}}, .t1 = {1e4}, .p = {}};
  for (index l = 0; l < lanes; ++l)
    e.p.push_back({0.04 * (1 + static_cast<double>(l) / static_cast<double>(lanes)), 3e7, 1e4});
  const options o{.rtol = 1e-6, .atol = 1e-12};
  ensemble_solver<method, rober, state, state, on_host, 0, false> solver(e, method{}, o);
  double alone = 1e300, together = 1e300, pulled_alone = 1e300, pulled = 1e300;
  index attempts = 0;
  for (int r = 0; r < repetitions; ++r) {
    attempts = 0;
    keep_least(alone, [&] {
      for (index l = 0; l < lanes; ++l) {
        const auto s = solve(problem_of(e, l), method{}, o);
        attempts += s.stats.accepted + s.stats.rejected;
      }
    });
    keep_least(together, [&] { solver.run(); });
    keep_least(pulled_alone, [&] {
      for (index l = 0; l < lanes; ++l)
        solve(problem_of(e, l), method{}, o,
              recursive_checkpoint{.schedule = schedule_kind::store_all})
            .pullback(state{1, 0, 0});
    });
    keep_least(pulled, [&] { solver.gradient(first_component{}); });
  }
  const double each = 1e9 / static_cast<double>(attempts);
  const auto show = [&](const char* what, double one, double many, int width) {
    std::printf("rober  %-10s %-8s %7.1f ns an attempt alone, %6.1f in %d lanes  x%.1f\n",
                method::name, what, each * one, each * many, width, one / many);
  };
  show("solve", alone, together, solver.width);
  show("gradient", pulled_alone, pulled, solver.reverse_width);
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  revode::compare(argc > 1 ? std::atol(argv[1]) : 256, argc > 2 ? std::atoi(argv[2]) : 7);
}
