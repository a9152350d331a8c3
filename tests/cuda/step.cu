// SPDX-License-Identifier: Apache-2.0
// Everything of a step that a kernel calls compiles for the device: an adaptive solve of one lane a
// thread, then the pull and push of its last step.
#include <revode/problems/lorenz.hpp>
#include <revode/solve/controller.hpp>
#include <revode/solve/system.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/tsit5.hpp>

namespace {

using state = revode::vec<double, 3>;
using field = revode::lorenz;

template <class M>
__global__ void solve_lanes(double t1, revode::tolerance tol, const state* p, state* y,
                            state* y_bar, state* p_bar, int lanes) {
  using namespace revode;
  const int lane = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (lane >= lanes) return;
  const M m{};
  const field f{};
  revode::system<field, state, state> sys(f, p[lane]);
  typename method_types<M, state>::tape tape;
  typename method_types<M, state>::scratch scratch;
  carry<M, state> now = make_carry<M>(y[lane]), next = now;
  begin(m, sys, 0.0, y[lane], now);
  controller_memory memory;
  double t = 0, h = 1e-3, t_before = 0;
  while (t < t1) {
    const double t_new = t + h < t1 ? t + h : t1;
    const auto found = attempt(m, sys, tol, t, t_new, now, tape, next);
    h = (t_new - t) * propose_factor({}, memory, found.error_squared, M::embedded_order + 1);
    if (found.error_squared > 1) continue;
    now = next;
    t_before = t;
    t = t_new;
  }
  extend(m, sys, t_before, t, tape, scratch);
  interpolate(m, t_before, t, tape, scratch, 0.5, y[lane]);
  step_ends<double> ends;
  pull(m, sys, t_before, t, nothing{}, tape, scratch, nullptr, y_bar[lane], p_bar[lane], &ends);
  push(m, sys, t_before, t, nothing{}, tape, scratch, y[lane], p[lane], ends);
  replay(m, sys, t_before, t, nothing{}, now, tape);
}

}  // namespace

void solve_on_device(const state* p, state* y, state* y_bar, state* p_bar, int lanes) {
  const int blocks = (lanes + 127) / 128;
  solve_lanes<revode::tsit5><<<blocks, 128>>>(10.0, {1e-8, 1e-8}, p, y, y_bar, p_bar, lanes);
  solve_lanes<revode::dop853><<<blocks, 128>>>(10.0, {1e-8, 1e-8}, p, y, y_bar, p_bar, lanes);
}
