// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <oracles/moving_replay.hpp>
#include <revode/testing/references.hpp>

namespace revode {

/// The largest difference of a replay's values from those of a solution; infinite where it has others.
template <class DY, class Y>
double replay_distance(const moving_solution<DY>& replayed, const solution<Y>& s) {
  if (replayed.ys.size() != s.ys.size() || replayed.events.size() != s.events.size())
    return HUGE_VAL;
  double off = 0;
  const auto compare = [&](const DY& a, const Y& b) {
    for (int i = 0, n = length(b); i < n; ++i)
      off = larger(off, std::abs(a.data()[i].value - b.data()[i]));
  };
  compare(replayed.y, s.y);
  for (std::size_t k = 0; k < s.ys.size(); ++k) compare(replayed.ys[k], s.ys[k]);
  for (std::size_t k = 0; k < s.events.size(); ++k)
    off = larger(off, std::abs(replayed.events[k].value - s.events[k].t));
  return off;
}

/// The loss's derivative along the tangents of a replay.
template <class Y, class DY>
double weighted_tangent(const cotangents<Y>& w, const moving_solution<DY>& moved) {
  const auto product = [](const Y& a, const DY& b) {
    double sum = 0;
    for (int i = 0, n = length(a); i < n; ++i) sum += a.data()[i] * b.data()[i].d[0];
    return sum;
  };
  double sum = product(*w.y, moved.y);
  for (std::size_t k = 0; k < w.ys.size(); ++k) sum += product(w.ys[k], moved.ys[k]);
  for (std::size_t k = 0; k < w.events.size(); ++k) sum += w.events[k] * moved.events[k].d[0];
  return sum;
}

/// Blocks of two gradients side by side.
class gradient_blocks {
 public:
  explicit gradient_blocks(double bound) : bound_(bound) {}
  void pair(double given, double expected) {
    given_.push_back(given);
    expected_.push_back(expected);
    all_ += expected * expected;
  }
  /// Ends a block: its difference by its own norm, or by that of all so far.
  void end(const char* what, bool by_all) {
    double difference = 0, norm = by_all ? all_ : 0;
    for (std::size_t k = 0; k < given_.size(); ++k) {
      difference += (given_[k] - expected_[k]) * (given_[k] - expected_[k]);
      if (!by_all) norm += expected_[k] * expected_[k];
    }
    const double relative = difference == 0 ? 0.0 : std::sqrt(difference / norm);
    if (!(relative <= bound_)) result.holds = false;
    if (!(relative <= result.worst)) {
      result.worst = relative;
      result.what = what;
    }
    given_.clear();
    expected_.clear();
  }
  law_result result;

 private:
  double bound_, all_ = 0;
  std::vector<double> given_, expected_;
};

/// The adjoint's gradient of a random loss of y, the save points and the times of events is the one
/// of dual numbers carried through the replay of the same grid, on which only those times move that
/// move by themselves (see moving_replay):
///   ‖difference‖ ≤ bound ‖gradient‖ for y0 and for p; for the times (t0, t1, ts, stops and
///   discontinuities, lists of events) with the norm of the whole gradient
/// and both have the same solution. With events: solve(q, m, o, events, adjoint).
/// cost    one replay of the solve, over dual<double, 1>, for every input
template <method M, class F, class Y, class P, class... E, class Adjoint>
law_result moving_grid_law(const problem<F, Y, P>& q, const M& m, const options& o,
                           const event_list<E...>& events, const Adjoint& adjoint,
                           double bound = 1e-12) {
  auto s = solve(q, m, o, events, adjoint);
  random_numbers random(4);
  cotangents<Y> w = random_cotangents<Y>(s, random);
  for (std::size_t k = 0; k < s.events.size(); ++k) w.events.push_back(random());
  const auto g = s.pullback(w);
  moving_replay replay(q, m, o, events);
  auto in = replay.constant();
  const double off = replay_distance(replay(in), static_cast<const solution<Y>&>(s));
  if (!(off <= 1e-9)) return {false, off, "the replayed solution"};

  gradient_blocks blocks(bound);
  const auto compare = [&](const auto& pulled, auto& inputs) {
    for (int i = 0, n = length(inputs); i < n; ++i) {
      inputs.data()[i].d[0] = 1;
      blocks.pair(pulled.data()[i], weighted_tangent(w, replay(in)));
      inputs.data()[i].d[0] = 0;
    }
  };
  const auto compare_one = [&](double pulled, auto& input) {
    input.d[0] = 1;
    blocks.pair(pulled, weighted_tangent(w, replay(in)));
    input.d[0] = 0;
  };
  compare(g.y0, in.y0);
  blocks.end("gradient of y0", false);
  compare(g.p, in.p);
  blocks.end("gradient of p", false);
  compare_one(g.t0, in.t0);
  compare_one(g.t1, in.t1);
  blocks.end("gradient of t0 and t1", true);
  compare(g.ts, in.ts);
  blocks.end("gradient of ts", true);
  compare(g.stops, in.stops);
  blocks.end("gradient of stops", true);
  for (std::size_t e = 0; e < g.times.size(); ++e) compare(g.times[e], in.times[e]);
  blocks.end("gradient of the times of events", true);
  return blocks.result;
}

}  // namespace revode
