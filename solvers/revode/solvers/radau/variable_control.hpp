// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solvers/radau/radau_step.hpp>
#include <revode/solvers/radau/variable_types.hpp>

namespace revode {

/// When a step has more stages than the last, or fewer.
struct stages_rule {
  static constexpr double up = 0.002, down = 0.8, least_ratio = 0.8, most_ratio = 1.2;
  static constexpr int wait = 10;
};

/// How many stages the next attempt has, behind one that found this. With θ, by how much corrections
/// fell, and Θ = min(10, max(θ, Θ/2)):
///   two more   if Θ ≤ 0.002 by more than one iteration, and the next step is 0.8 to 1.2 times as long as
///              the last, unless one of the last ten attempts had another number
///   two fewer  if Θ ≥ 0.8, or iterations failed so that the step is halved at least
/// What is not finite decides nothing: how far it reaches is not yet known.
/// ratio   of the next attempt's length to that of the last accepted step
/// source  the code RADAU of Hairer & Wanner. That renews factors it could keep in order to look whether
///         more stages pay; here these are kept until they do.
inline void decide_stages(const radau& m, const outcome<newton_record<1>>& found, double theta,
                          double ratio, radau_decisions& d) {
  const bool failed =
      found.what == status::newton_failure || found.what == status::linear_solve_failure;
  if (found.what != status::success && !failed) return;
  if (d.age < 1000) ++d.age;
  d.theta = std::fmin(10.0, std::fmax(theta, d.theta / 2));
  const bool steady = stages_rule::least_ratio < ratio && ratio < stages_rule::most_ratio;
  int stages = d.stages;
  if (found.record.iterations[0] > 1 && d.theta <= stages_rule::up && steady &&
      d.age > stages_rule::wait)
    stages += 2;
  if (d.theta >= stages_rule::down || (failed && found.record.rate <= 0.5f)) stages = d.stages - 2;
  if (stages > m.most) stages = m.most;
  if (stages < m.least) stages = m.least;
  if (stages == d.stages) return;
  d.stages = stages;
  d.age = 1;
  d.keep_factors = false;
  d.accepted_error = 1e100;  // that of another estimate: it predicts nothing
}

template <variable_radau_method M, class Controller, class Memory, class Y>
double propose(const M& m, const Controller& c, Memory& memory,
               const outcome<variable_radau_record>& found, carry<M, Y>& from, carry<M, Y>& next) {
  const outcome<newton_record<1>> own{found.error_squared, found.what, found.record.of_step()};
  return with_stages(found.record.stages, [&](auto s) {
    const double factor = propose_radau<s()>(c, memory, own, from.memo, next.memo);
    const double theta = next.cache.template of<s()>().theta;
    if (found.error_squared <= 1) {
      decide_stages(m, own, theta, factor, next.memo.next);
    } else {
      const double last = from.memo.next.accepted_h;
      const double ratio = last != 0 ? factor * next.memo.h_factors / last : 0.0;
      decide_stages(m, own, theta, ratio, from.memo.next);
    }
    return factor;
  });
}

}  // namespace revode
