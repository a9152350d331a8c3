// SPDX-License-Identifier: Apache-2.0
// What does a lane of a stiff ensemble cost, beside single solves one after the other, on one core?
// Rodas5P at rtol 1e-6: Robertson's reaction, a sweep of its first rate, to t = 10⁴ at atol 1e-12,
// solves and gradients of the rates; hires, a sweep of its first protein, to its end at atol 1e-10,
// solves.
// usage: bench_ensemble_stiff [lanes [repetitions]]; times are the least of the repetitions, which take
// turns. One method a program: in a second one g++ 12 stops inlining, and with that vectorising.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/problems/hires.hpp>
#include <revode/problems/rober.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

using method = rodas5p;

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

/// How many seconds each of these takes at least: solves one by one and on lanes; gradients likewise.
struct seconds {
  double alone = 1e300, together = 1e300;
};

void show(const char* problem, const char* what, const seconds& least, index attempts, int width) {
  const double each = 1e9 / static_cast<double>(attempts);
  std::printf("%-6s %-10s %-8s %7.1f ns an attempt alone, %6.1f in %d lanes  x%.1f\n", problem,
              method::name, what, each * least.alone, each * least.together, width,
              least.alone / least.together);
}

template <bool Gradients, class F, class Y, class P>
void compare(const ensemble<F, Y, P>& e, const options& o, int repetitions) {
  ensemble_solver<method, F, Y, P, on_host, 0, false> solver(e, method{}, o);
  const index lanes = lanes_of(e);
  seconds solves, gradients;
  index attempts = 0;
  for (int r = 0; r < repetitions; ++r) {
    attempts = 0;
    keep_least(solves.alone, [&] {
      for (index l = 0; l < lanes; ++l) {
        const auto s = solve(problem_of(e, l), method{}, o);
        attempts += s.stats.accepted + s.stats.rejected;
      }
    });
    keep_least(solves.together, [&] { solver.run(); });
    if constexpr (Gradients) {
      keep_least(gradients.alone, [&] {
        for (index l = 0; l < lanes; ++l)
          solve(problem_of(e, l), method{}, o,
                recursive_checkpoint{.schedule = schedule_kind::store_all})
              .pullback(Y{1});
      });
      keep_least(gradients.together, [&] { solver.gradient(first_component{}); });
    }
  }
  show(F::name, "solve", solves, attempts, solver.width);
  if (Gradients) show(F::name, "gradient", gradients, attempts, solver.reverse_width);
}

/// Lane l of n: 1 + l/n
double factor_of(index l, index lanes) {
  return 1 + static_cast<double>(l) / static_cast<double>(lanes);
}

void compare_rober(index lanes, int repetitions) {
  ensemble<rober, vec<double, 3>, vec<double, 3>> e{.y0 = {{1, 0, 0}}, .t1 = {1e4}, .p = {}};
  for (index l = 0; l < lanes; ++l) e.p.push_back({0.04 * factor_of(l, lanes), 3e7, 1e4});
  compare<true>(e, {.rtol = 1e-6, .atol = 1e-12}, repetitions);
}

void compare_hires(index lanes, int repetitions) {
  const hires f;
  ensemble<hires, vec<double, 8>, vec<double, 10>> e{.t1 = {f.t1}, .p = {f.parameters()}};
  for (index l = 0; l < lanes; ++l) {
    e.y0.push_back(f.y0());
    e.y0.back()[0] *= factor_of(l, lanes);
  }
  compare<false>(e, {.rtol = 1e-6, .atol = 1e-10}, repetitions);
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  const revode::index lanes = argc > 1 ? std::atol(argv[1]) : 256;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 7;
  revode::compare_rober(lanes, repetitions);
  revode::compare_hires(lanes, repetitions);
}
