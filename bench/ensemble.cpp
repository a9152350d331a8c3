// SPDX-License-Identifier: Apache-2.0
// What does a lane cost, beside a loop of single solves, on one core? Solves and gradients of the
// Lorenz attractor (a sweep of rho) and of Lorenz96 with 16 components, tsit5, to t = 10 at 1e-8.
// usage: bench_ensemble [lanes [repetitions]]; one line a case: lanes a second, the ratio, and what an
// attempt of one lane takes alone and among others.
#include <algorithm>
#include <chrono>
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

/// Processor time of the whole program; where lanes run on a device, of the clock on the wall.
double seconds() {
  if (on_device::catches) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

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
  const index lanes = lanes_of(e), few = std::min<index>(lanes, 2048);  // alone
  const double share = static_cast<double>(few) / static_cast<double>(lanes);
  ensemble_solver<tsit5, F, Y, P, on_device, lane_width(on_device::width, static_size_v<Y>), false>
      solver(e, tsit5{}, o);
  index steps = 0;
  double sink = 0;
  const double alone = least_time(repetitions, [&] {
    steps = 0;
    for (index l = 0; l < few; ++l) {
      const auto s = solve(problem_of(e, l * lanes / few), tsit5{}, o);
      steps += s.stats.accepted + s.stats.rejected;
      sink += s.y[0];
    }
  });
  const double together = least_time(repetitions, [&] { solver.run(); });
  const double pulled_alone = least_time(repetitions, [&] {
    for (index l = 0; l < few; ++l) {
      const auto q = problem_of(e, l * lanes / few);
      auto s = solve(q, tsit5{}, o, recursive_checkpoint{.schedule = schedule_kind::store_all});
      Y bar{};
      bar[0] = s.y[0];
      sink += s.pullback(bar).p[0];
    }
  });
  const double pulled =
      least_time(repetitions, [&] { sink += solver.gradient(square_loss{}).total_p[0]; });
  const double n = static_cast<double>(lanes), one = static_cast<double>(few);
  // attempts of all lanes, on average those of the lanes also solved alone
  const double attempts = static_cast<double>(steps) / share;
  std::printf(
      "%-12s solve     %9.0f lanes/s alone %9.0f lanes/s in %d lanes  x%.1f  (%.1f and %.2f ns an "
      "attempt)\n",
      name.c_str(), one / alone, n / together, solver.width, alone / (share * together),
      1e9 * alone / static_cast<double>(steps), 1e9 * together / attempts);
  std::printf(
      "%-12s gradient  %9.0f lanes/s alone %9.0f lanes/s in %d lanes  x%.1f  (%.1f and %.2f ns)\n",
      name.c_str(), one / pulled_alone, n / pulled, solver.width, pulled_alone / (share * pulled),
      1e9 * pulled_alone / static_cast<double>(steps), 1e9 * pulled / attempts);
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
