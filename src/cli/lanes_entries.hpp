// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <cli/lanes.hpp>
#include <revode/batch/ensemble_solver.hpp>

namespace revode::cli {

/// Σ yᵢ or Σ yᵢ² of the final state, or one component of it.
struct end_loss {
  bool squared;
  int component;

  template <class Y>
  REVODE_HD double operator()(index, const Y& y, const lane_points<Y>&, Y& y_bar,
                              lane_point_bars<Y>&) const {
    double sum = 0;
    for (int i = 0; i < length(y); ++i) {
      if (component >= 0 && i != component) continue;
      const double x = y.data()[i];
      sum += squared ? x * x : x;
      y_bar.data()[i] = squared ? 2 * x : 1;
    }
    return sum;
  }
};

template <class Rows>
std::vector<double> flat(const Rows& rows) {
  std::vector<double> numbers;
  numbers.reserve(rows.size() * rows.front().size());
  for (const auto& row : rows)
    for (int i = 0; i < length(row); ++i) numbers.push_back(row.data()[i]);
  return numbers;
}

template <class F, class Y, class P>
ensemble<F, Y, P> ensemble_of(const lanes_request& r) {
  constexpr index n = static_size_v<Y>, np = static_size_v<P>;
  require_memory<on_host>(r.lanes, 8 * (r.gradient ? 6 * n + 5 * np + 30 : 4 * n + 2 * np + 25),
                          "parameters and results");
  ensemble<F, Y, P> e{.y0 = std::vector<Y>(r.own_y0 ? static_cast<std::size_t>(r.lanes) : 1),
                      .t0 = {r.t0},
                      .t1 = {r.t1},
                      .p = std::vector<P>(static_cast<std::size_t>(r.lanes))};
  for (std::size_t l = 0; l < e.p.size(); ++l)
    r.fill(static_cast<index>(l), e.y0[r.own_y0 ? l : 0].data(), e.p[l].data());
  return e;
}

/// Runs `work` and returns its seconds.
template <class Solver>
double watched(const lanes_request& r, const char* what, const Solver& solver,
               const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  const double lanes = static_cast<double>(r.lanes);
  r.watch(
      what, [&] { return static_cast<double>(solver.begun()) / lanes; }, work);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline lane_memory memory_of(const lanes_request& r) {
  lane_memory memory{.slots = r.slots};
  if (r.budget > 0) memory.budget = r.budget;
  if (r.log == step_replay::controller) memory.plan = lane_memory_plan::controller;
  if (r.log == step_replay::steps || (r.log == step_replay::automatic && r.slots > 0))
    memory.plan = lane_memory_plan::log;
  return memory;
}

template <class Gradient>
void take(const Gradient& g, lanes_result& found) {
  found.ended = g.status;
  found.loss = g.loss;
  found.y0_bar = flat(g.y0);
  found.p_bar = flat(g.p);
  found.plan = g.reverse.plan == lane_memory_plan::states ? "states"
               : g.reverse.plan == lane_memory_plan::log  ? "log"
                                                          : "controller";
  found.slots = g.reverse.slots;
  found.resident_lanes = g.reverse.resident_lanes;
  found.bytes = g.reverse.bytes;
  found.pulled_rounds = g.reverse.pulled_rounds;
  found.replayed_rounds = g.reverse.replayed_rounds;
}

template <class M, class F, int N, bool Gradient>
lanes_result run_lanes(const lanes_request& r) {
  using Y = vec<double, N>;
  using P = decltype(F{}.parameters());
  ensemble_solver<M, F, Y, P, on_device, 0, false> solver(ensemble_of<F, Y, P>(r), M{}, r.settings);
  lanes_result found;
  found.width = solver.width;
  found.seconds = watched(r, "solve  ", solver, [&] {
    solver.run();
    const auto s = solver.result();
    found.ended = s.status;
    found.t = s.t;
    found.y = flat(s.y);
    for (const lane_statistics& of : s.stats) {
      found.accepted.push_back(of.accepted);
      found.rejected.push_back(of.rejected);
      found.evaluations.push_back(of.field_evaluations);
    }
  });
  if constexpr (Gradient)
    if (r.gradient)
      found.reverse_seconds = watched(r, "reverse", solver, [&] {
        take(solver.gradient(end_loss{r.squared, r.component}, memory_of(r)), found);
      });
  return found;
}

template <class F, int N, class M>
lane_program solve_and_gradient() {
  return {F::name, N, M::name, true, &run_lanes<M, F, N, true>};
}
template <class F, int N, class M>
lane_program solve_alone() {
  return {F::name, N, M::name, false, &run_lanes<M, F, N, false>};
}

}  // namespace revode::cli
