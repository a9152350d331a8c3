// SPDX-License-Identifier: Apache-2.0
// What does a lane cost, beside a loop of single solves, on one core? Solves and gradients of the
// Lorenz attractor (a sweep of rho) and of Lorenz96 with 16 components, tsit5, to t = 10 at 1e-8.
// usage: bench_ensemble [lanes [repetitions]]; one line a case: lanes a second, and the ratio.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/problems/lorenz96.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// Processor time of the whole program.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <class Run>
double least_time(int repetitions, Run&& run) {
  double least = 1e300;
  for (int i = 0; i < repetitions; ++i) {
    const double start = seconds();
    run();
    least = std::min(least, seconds() - start);
  }
  return least;
}

struct square_loss {
  template <class Y>
  REVODE_HD auto operator()(index, const Y& y) const {
    return 0.5 * (y[0] * y[0]);
  }
};

template <class E>
void compare(const std::string& name, const E& e, int repetitions) {
  using F = typename E::field_type;
  using Y = typename E::state_type;
  using P = typename E::parameter_type;
  const options o{.rtol = 1e-8, .atol = 1e-8};
  const index lanes = lanes_of(e);
  ensemble_solver<tsit5, F, Y, P> solver(e, tsit5{}, o);
  index steps = 0;
  double sink = 0;
  const double alone = least_time(repetitions, [&] {
    steps = 0;
    for (index l = 0; l < lanes; ++l) {
      const auto s = solve(problem_of(e, l), tsit5{}, o);
      steps += s.stats.accepted + s.stats.rejected;
      sink += s.y[0];
    }
  });
  const double together = least_time(repetitions, [&] { solver.run(); });
  const double pulled_alone = least_time(repetitions, [&] {
    for (index l = 0; l < lanes; ++l) {
      const auto q = problem_of(e, l);
      auto s = solve(q, tsit5{}, o, recursive_checkpoint{.schedule = schedule_kind::store_all});
      Y bar{};
      bar[0] = s.y[0];
      sink += s.pullback(bar).p[0];
    }
  });
  const double pulled =
      least_time(repetitions, [&] { sink += solver.gradient(square_loss{}).total_p[0]; });
  const double n = static_cast<double>(lanes), all = static_cast<double>(steps);
  std::printf(
      "%-12s solve     %9.0f lanes/s alone %9.0f lanes/s in %d lanes  x%.1f  (%.0f M attempts/s)\n",
      name.c_str(), n / alone, n / together, on_device::width, alone / together,
      1e-6 * all / together);
  std::printf("%-12s gradient  %9.0f lanes/s alone %9.0f lanes/s in %d lanes  x%.1f\n",
              name.c_str(), n / pulled_alone, n / pulled, on_device::width, pulled_alone / pulled);
  if (sink == 0.1234) std::printf("\n");
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) {
  using namespace revode;
  const int lanes = argc > 1 ? std::atoi(argv[1]) : 2048;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 5;
  ensemble<lorenz, vec<double, 3>, vec<double, 3>> sweep;
  sweep.y0 = {vec{1.0, 0.0, 0.0}};
  sweep.t1 = {10.0};
  sweep.p.clear();
  for (int l = 0; l < lanes; ++l) sweep.p.push_back({10, 20 + 10.0 * l / lanes, 8.0 / 3});
  compare("lorenz", sweep, repetitions);

  ensemble<lorenz96, vec<double, 16>, vec<double, 1>> ring;
  ring.f.n = 16;
  ring.y0 = {vec<double, 16>{8, 8, 8, 8, 8, 8, 8, 8.008, 8, 8, 8, 8, 8, 8, 8, 8}};
  ring.t1 = {10.0};
  ring.p.clear();
  for (int l = 0; l < lanes / 8; ++l) ring.p.push_back({8 + 8.0 * l / lanes});
  compare("lorenz96:16", ring, repetitions);
}
