// SPDX-License-Identifier: Apache-2.0
// prints: Newton: x = 1\.259921 after [4-9] steps, dx/da = 0\.209987
// prints: filter: 4\.8 evaluations a step, at most 20 carries of 10000
// prints: oscillators: 1000 steps of 3 rounds, 10 carries, d\(energy\)/d\(coupling\) = -?[0-9.]+
#include <cassert>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <vector>

#include <revode/loop/inner_loops.hpp>
#include <revode/revode.hpp>

using namespace revode;

// A carry may be a tree: of numbers, vectors, integers (kept, never differentiated). A struct names
// its parts; as a template over its scalar it also holds what the body is recorded with.
template <class T>
struct oscillators {
  vec<T, 3> angle, speed;
  long step = 0;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.angle, self.speed, self.step);
  }
};

int main() {
  // While x³ ≠ a: a Newton step. The loop stops when it has converged and costs what it ran.
  const auto not_yet = [](const auto& x, const auto& a) {
    return std::abs(x[0] * x[0] * x[0] - a[0]) > 1e-12;
  };
  const auto newton = [](const auto& x, const auto& a, auto& next) {
    next[0] = x[0] - (x[0] - a[0] / (x[0] * x[0])) / 3.0;
  };
  auto root = bounded_while_loop(not_yet, newton, vec{1.0}, vec{2.0}, {.max_steps = 1000});
  const double slope = root.pullback(vec{1.0}).params[0];
  std::printf("Newton: x = %.6f after %ld steps, dx/da = %.6f\n", root.carry()[0], root.steps(),
              slope);
  assert(std::abs(slope - std::cbrt(2.0) / 6) < 1e-9);

  // A recurrence over 10,000 inputs: c ← tanh(p c + x), output c; gradients of p and of each x.
  const auto filter = [](const auto& c, const auto& x, const auto& p, auto& next, auto& out) {
    using std::tanh;
    next = tanh(p * c + x);
    out = next;
  };
  std::vector<double> xs, ones(10'000, 1.0);
  for (int i = 0; i < 10'000; ++i) xs.push_back(0.5 * std::sin(0.01 * i));
  auto run = scan(filter, 0.0, xs, 0.8, 0.0, {.slots = 20});
  const auto g = run.pullback(0.0, ones);
  std::printf("filter: %.1f evaluations a step, at most %ld carries of %zu\n",
              static_cast<double>(run.counts().steps) / 1e4, run.peak_states(), xs.size());

  // The same in all the memory it wants: the same bits.
  auto all = scan(filter, 0.0, xs, 0.8, 0.0, {.schedule = schedule_kind::store_all});
  const auto expected = all.pullback(0.0, ones);
  assert(g.params == expected.params && g.xs == expected.xs);

  // A loop in a loop. Each of 1000 steps solves y = speed + h f(y) in three rounds: the inner loop is
  // one operation of the recorded step, and runs again when that is pulled.
  const auto round = [](const auto& y, const auto& problem, auto& next) {
    using std::sin;
    const auto& [from, coupling] = problem;
    for (int i = 0; i < 3; ++i) {
      const auto pull = sin(from.angle[(i + 1) % 3] - from.angle[i]);
      std::get<0>(next)[i] = from.speed[i] + 0.01 * (coupling * pull - 0.1 * std::get<0>(y)[i]);
    }
    std::get<1>(next) = std::get<1>(y) + 1;
  };
  const auto thrice = [](const auto& y, const auto&) { return std::get<1>(y) < 3; };
  const auto solve_step = remat_while(thrice, round, {.slots = 2});
  const auto step = [&](const auto& c, const auto& coupling, auto& next) {
    const auto from = std::tuple(c.speed, 0L);
    auto to = from;
    solve_step(from, std::tuple(c, coupling), to);
    next.speed = std::get<0>(to);
    for (int i = 0; i < 3; ++i) next.angle[i] = c.angle[i] + 0.01 * next.speed[i];
    next.step = c.step + 1;
  };
  const auto unfinished = [](const auto& c, const auto&) { return c.step < 1000; };
  const oscillators<double> start{{0.1, 1.0, -0.7}, {0.3, -0.2, 0.0}};
  const auto energy = [&](double coupling, double* by_coupling) {
    auto swing = bounded_while_loop(unfinished, step, start, coupling, {.slots = 10});
    const vec<double, 3> v = swing.carry().speed;
    oscillators<double> bar{};
    bar.speed = v;
    if (by_coupling != nullptr) *by_coupling = swing.pullback(bar).params;
    return dot(v, v) / 2;
  };
  double by_coupling = 0;
  energy(0.5, &by_coupling);
  std::printf("oscillators: 1000 steps of 3 rounds, 10 carries, d(energy)/d(coupling) = %.6f\n",
              by_coupling);
  const double difference = (energy(0.5001, nullptr) - energy(0.4999, nullptr)) / 2e-4;
  assert(std::abs(by_coupling - difference) < 1e-6);
}
