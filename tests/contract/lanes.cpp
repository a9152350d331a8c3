// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/problems/lotka_volterra.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using field = lotka_volterra;
using state = vec<double, 2>;
using parameters = vec<double, 4>;

/// W solves in lockstep, made of what a device has: attempt, the controller's factor, selects.
template <int W>
struct lane_group {
  carry<tsit5, state> now[W], trial[W];
  rk_tape<tsit5, state> tape[W];
  parameters p[W];
  double t[W], t1[W], h[W];
  controller_memory memory[W];
  int accepted[W], attempted[W];
};

/// yes ? a : b, element by element: a carry is a flat aggregate of numbers.
template <class T>
REVODE_HD T select(bool yes, const T& a, const T& b) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
  struct numbers {
    double x[sizeof(T) / sizeof(double)];
  };
  auto out = __builtin_bit_cast(numbers, b);
  const auto other = __builtin_bit_cast(numbers, a);
  for (double* x = out.x; x < out.x + sizeof(T) / sizeof(double); ++x)
    *x = yes ? other.x[x - out.x] : *x;
  return __builtin_bit_cast(T, out);
}

template <int W>
void start(lane_group<W>& g, int lane, int problem_number, double first_step) {
  const double x = 0.1 * problem_number;
  g.p[lane] = {1.5 + x, 1 - x / 3, 3, 1 + x / 5};
  g.t[lane] = 0;
  g.t1[lane] = 3 + 4 * x;
  g.h[lane] = first_step;
  g.memory[lane] = {};
  g.accepted[lane] = g.attempted[lane] = 0;
  system<field, state, parameters> sys(field{}, g.p[lane]);
  begin(tsit5{}, sys, 0.0, state{1 + x, 1}, g.now[lane]);
}

/// One attempt of every lane; a lane that has arrived attempts a step of length 0 and keeps what it
/// has.
template <int W>
void attempt_all(lane_group<W>& g, const tolerance& tol, const pid_controller& controller) {
  const field f{};
  for (int i = 0; i < W; ++i) {
    const bool active = g.t[i] != g.t1[i];
    const double t = g.t[i];
    const double t_new = g.t1[i] - t - 1.01 * g.h[i] <= 0 ? g.t1[i] : t + g.h[i];
    system<field, state, parameters> sys(f, g.p[i]);
    const auto found = attempt(tsit5{}, sys, tol, t, t_new, g.now[i], g.tape[i], g.trial[i]);
    controller_memory memory = g.memory[i];
    const double factor =
        propose_factor(controller, memory, found.error_squared, estimate_order<tsit5>() + 1);
    const bool accept = active && found.error_squared <= 1;
    g.h[i] = active ? (t_new - t) * factor : g.h[i];
    g.memory[i].previous = active ? memory.previous : g.memory[i].previous;
    g.memory[i].before = active ? memory.before : g.memory[i].before;
    g.memory[i].rejected = active ? memory.rejected : g.memory[i].rejected;
    g.now[i] = select(accept, g.trial[i], g.now[i]);
    g.t[i] = accept ? t_new : t;
    g.accepted[i] += accept;
    g.attempted[i] += active;
  }
}

template <int W>
bool all_arrived(const lane_group<W>& g) {
  bool all = true;
  for (int i = 0; i < W; ++i) all = all && g.t[i] == g.t1[i];
  return all;
}

TEST_CASE("lanes: eight solves in lockstep have the bits and step counts of eight solves alone") {
  constexpr int w = 8;
  options o{.rtol = 1e-7, .atol = 1e-9, .first_step = 0.4};
  const tolerance tol{o.rtol, o.atol};
  lane_group<w> together;
  for (int i = 0; i < w; ++i) start(together, i, i, o.first_step);
  while (!all_arrived(together)) attempt_all(together, tol, o.controller);

  for (int i = 0; i < w; ++i) {
    lane_group<1> alone;
    start(alone, 0, i, o.first_step);
    const problem q{field{}, alone.now[0].state, 0.0, alone.t1[0], alone.p[0]};
    while (!all_arrived(alone)) attempt_all(alone, tol, o.controller);
    const auto s = solve(q, tsit5{}, o);

    CHECK(together.now[i].state == alone.now[0].state);
    CHECK(together.now[i].cache.k == alone.now[0].cache.k);
    CHECK(together.accepted[i] == alone.accepted[0]);
    CHECK(together.attempted[i] == alone.attempted[0]);
    CHECK(together.now[i].state == s.y);
    CHECK(together.accepted[i] == s.stats.accepted);
    CHECK(together.attempted[i] == s.stats.accepted + s.stats.rejected);
    CHECK(s.stats.rejected > 0);
  }
}

}  // namespace
}  // namespace revode
