// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <revode/solve/stepper.hpp>

namespace revode {

/// The accepted steps of a solve: what stays still when its solution is differentiated.
template <class Record>
struct frozen_grid {
  std::vector<double> t;  ///< t_0 … t_n
  std::vector<Record> records;
  bool equidistant = false;

  index steps() const { return static_cast<index>(records.size()); }

  /// The grid with its ends moved: every time of an equidistant grid, else the outer two.
  frozen_grid moved(double t0_by, double t1_by) const {
    frozen_grid g = *this;
    const std::size_t n = records.size();
    for (std::size_t k = 1; equidistant && k < n; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(n);
      g.t[k] += (1 - share) * t0_by + share * t1_by;
    }
    g.t.front() += t0_by;
    g.t.back() += t1_by;
    return g;
  }
};

/// Runs a solve for its grid. A solve that does not reach t1 is a std::runtime_error.
template <method M, class F, class Y, class P>
auto grid_of(const problem<F, Y, P>& q, const M& m, const options& o) {
  using loop_type = stepper<M, std::remove_cvref_t<F>, Y, P>;
  loop_type loop(q, m, o);
  frozen_grid<typename loop_type::record_type> g;
  g.t.push_back(q.t0);
  while (!loop.finished()) {
    const index i = loop.position();
    loop.step(loop.work_tape());
    if (loop.position() == i) break;
    g.t.push_back(loop.time());
    g.records.push_back(loop.work_tape().record);
  }
  if (loop.status() != status::success)
    throw std::runtime_error(std::string("no grid of a solve by ") + M::name +
                             " that ended with status " + name(loop.status()));
  g.equidistant = loop.log().equal_steps() > 0;
  return g;
}

/// The solution on a grid, by replay alone, over any scalar: the states at ts (sorted in the
/// direction of integration), then the final one.
template <method M, class System, class Record>
auto replay_grid(const M& m, System& sys, const frozen_grid<Record>& grid,
                 const typename System::state_type& y0, const std::vector<double>& ts) {
  using Y = typename System::state_type;
  using types = method_types<M, Y>;
  auto c = make_carry(m, y0);
  auto tape = make_like<typename types::tape>(y0);
  auto scratch = make_like<typename types::scratch>(y0);
  std::vector<Y> ys;
  std::size_t k = 0;
  const auto keep_reached = [&](double t) {
    for (; k < ts.size() && ts[k] == t; ++k) ys.push_back(value(m, c.state));
  };
  begin(m, sys, grid.t[0], y0, c);
  keep_reached(grid.t[0]);
  const double direction = grid.t.back() < grid.t.front() ? -1 : 1;
  for (std::size_t i = 0; i < grid.records.size(); ++i) {
    const double t = grid.t[i], t_new = grid.t[i + 1];
    replay(m, sys, t, t_new, grid.records[i], c, tape);
    if constexpr (has_dense_output_v<M>) {
      if (k < ts.size() && direction * (t_new - ts[k]) > 0) extend(m, sys, t, t_new, tape, scratch);
      for (; k < ts.size() && direction * (t_new - ts[k]) > 0; ++k) {
        ys.push_back(y0);
        interpolate(m, t, t_new, tape, scratch, (ts[k] - t) / (t_new - t), ys.back());
      }
    }
    keep_reached(t_new);
  }
  ys.push_back(value(m, c.state));
  return ys;
}

}  // namespace revode
