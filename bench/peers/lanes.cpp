// SPDX-License-Identifier: Apache-2.0
// revode-bench-peers-lanes LANES [REPEATS]: one round of an ensemble of Lorenz attractors (a sweep of
// rho, t = 10, tsit5 at 1e-8 and the gradient of half the square of the end state's norm), as JSON
// for run.py: seconds on lanes, of single solves and of Boost.Odeint, and the errors.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <boost/numeric/odeint.hpp>
#include <nlohmann/json.hpp>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/ensemble_solver.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/solvers/vern7.hpp>

namespace revode::peers {
namespace {

using state = vec<double, 3>;
constexpr double tolerance = 1e-8;
constexpr index most_alone = 256;  // single solves are alike: so many say what all would take
constexpr index samples = 64;      // lanes whose errors are looked at

double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Keeps the least time of a piece of work.
template <class Run>
void keep_least(double& least, Run&& run) {
  const double start = processor_seconds();
  run();
  least = std::min(least, processor_seconds() - start);
}

struct half_square {
  template <class Y>
  REVODE_HD auto operator()(index, const Y& y) const {
    return 0.5 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
  }
};

state by_odeint(const lorenz& f, const state& p) {
  namespace odeint = boost::numeric::odeint;
  using array = std::array<double, 3>;
  array y{1, 0, 0};
  odeint::integrate_adaptive(
      odeint::make_controlled<odeint::runge_kutta_dopri5<array>>(tolerance, tolerance),
      [&](const array& at, array& slope, double t) { f(t, at, p, slope); }, y, 0.0, 10.0, 1e-3);
  return {y[0], y[1], y[2]};
}

auto whole_gradient(const auto& q, auto method, double tol) {
  auto s = solve(q, method, {.rtol = tol, .atol = tol},
                 recursive_checkpoint{.schedule = schedule_kind::store_all});
  const auto g = s.pullback(s.y);
  return std::pair{s.y, std::array<double, 6>{g.y0[0], g.y0[1], g.y0[2], g.p[0], g.p[1], g.p[2]}};
}

double distance(const auto& x, const auto& r) {
  double rest = 0, size = 0;
  for (std::size_t i = 0; i < r.size(); ++i) {
    rest += (x[i] - r[i]) * (x[i] - r[i]);
    size += r[i] * r[i];
  }
  return std::sqrt(rest / size);
}
std::array<double, 3> numbers(const state& y) { return {y[0], y[1], y[2]}; }

int run(int lanes, int repeats) {
  ensemble<lorenz, state, state> e;
  e.y0 = {{1, 0, 0}};
  e.t1 = {10.0};
  e.p.clear();
  for (int l = 0; l < lanes; ++l) e.p.push_back({10, 20 + 10.0 * l / lanes, 8.0 / 3});
  const options o{.rtol = tolerance, .atol = tolerance};
  ensemble_solver<tsit5, lorenz, state, state, on_device, 0, false> solver(e, tsit5{}, o);
  const index few = std::min<index>(lanes, most_alone);
  std::vector<double> alone(static_cast<std::size_t>(few), 1e300), pulled = alone, other = alone;
  double together = 1e300, pulled_together = 1e300, sink = 0;
  ensemble_solution<state> ends;
  ensemble_gradient<state, state> gradients;
  for (int r = 0; r < repeats; ++r) {
    keep_least(together, [&] {
      solver.run();
      ends = solver.result();
    });
    keep_least(pulled_together, [&] { gradients = solver.gradient(half_square{}); });
    for (index l = 0; l < few; ++l) {
      const auto i = static_cast<std::size_t>(l);
      const auto q = problem_of(e, l * lanes / few);
      keep_least(alone[i], [&] { sink += solve(q, tsit5{}, o).y[0]; });
      keep_least(pulled[i], [&] { sink += whole_gradient(q, tsit5{}, tolerance).second[0]; });
      keep_least(other[i], [&] { sink += by_odeint(q.f, q.p)[0]; });
    }
  }
  nlohmann::json reference = nlohmann::json::array();
  double error = 0, gradient_error = 0, other_error = 0;
  for (index k = 0; k < samples; ++k) {
    const auto l = static_cast<std::size_t>(k * lanes / samples);
    const auto q = problem_of(e, static_cast<index>(l));
    const auto [y, g] = whole_gradient(q, vern7{}, 1e-13);
    reference.push_back({{"lane", l}, {"rho", q.p[1]}, {"y", numbers(y)}, {"gradient", g}});
    const auto &by_y = gradients.y0[l], &by_p = gradients.p[l];
    const std::array<double, 6> found{by_y[0], by_y[1], by_y[2], by_p[0], by_p[1], by_p[2]};
    error = std::max(error, distance(numbers(ends.y[l]), numbers(y)));
    other_error = std::max(other_error, distance(numbers(by_odeint(q.f, q.p)), numbers(y)));
    gradient_error = std::max(gradient_error, distance(found, g));
  }
  const double share = static_cast<double>(lanes) / static_cast<double>(few);
  const auto sum = [&](const std::vector<double>& times) {
    double all = 0;
    for (const double t : times) all += t;
    return share * all;
  };
  const nlohmann::json out{{"lanes", lanes},
                           {"together", solver.width},
                           {"together_back", solver.reverse_width},
                           {"seconds",
                            {{"lanes", together},
                             {"lanes_gradient", pulled_together},
                             {"alone", sum(alone)},
                             {"alone_gradient", sum(pulled)},
                             {"odeint", sum(other)}}},
                           {"error", error},
                           {"gradient_error", gradient_error},
                           {"odeint_error", other_error},
                           {"sink", sink},
                           {"reference", reference}};
  std::printf("%s\n", out.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace revode::peers

int main(int argc, char** argv) {
  const int lanes = argc > 1 ? std::atoi(argv[1]) : 2048;
  return revode::peers::run(std::max(lanes, 64), argc > 2 ? std::atoi(argv[2]) : 3);
}
