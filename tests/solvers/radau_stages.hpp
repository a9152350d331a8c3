// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <revode/solvers/radau.hpp>

#include "implicit_fields.hpp"

namespace revode {

/// How many stages each step of a solve has; none where it does not arrive.
template <class F, class Y, class P>
std::vector<int> stages_of(const problem<F, Y, P>& q, const options& o, const radau& m = {}) {
  stepper<radau, F, Y, P> loop(q, m, o);
  std::vector<int> stages;
  while (!loop.finished()) {
    const index before = loop.position();
    loop.step(loop.work_tape());
    if (loop.position() > before) stages.push_back(loop.work_tape().record.stages);
  }
  if (loop.status() != status::success) stages.clear();
  return stages;
}
inline int changes(const std::vector<int>& stages) {
  int count = 0;
  for (std::size_t i = 1; i < stages.size(); ++i) count += stages[i] != stages[i - 1] ? 1 : 0;
  return count;
}

/// The named problem F with its own parameters, up to `t1`.
template <class F>
auto named_up_to(double t1) {
  const F f{};
  return problem{f, f.y0(), F::t0, t1, f.parameters()};
}

/// Two wells between which a driven state is flipped, at a rate p₀; it forgets where it comes from, so that
/// derivatives are no larger than rounding lets them be known.
struct flipping {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = -p[0] * (y[0] * y[0] * y[0] - y[0] - 0.6 * sin(p[1] * t));
    dy[1] = y[0] - p[1] * y[1];
  }
};
inline const problem flips{flipping{}, vec{0.5, 1.0}, 0.0, 20.0, vec{3000.0, 1.0}};

template <class F, class Y, class P>
options with_points(const problem<F, Y, P>& q, options o) {
  for (const double part : {0.213, 0.2131, 0.7}) o.save.ts.push_back(q.t0 + part * (q.t1 - q.t0));
  return o;
}

/// The same bits over slots, schedules and logs, and of replays, with at least so many changes of order.
template <class F, class Y, class P>
void check_bits_of_changes(const problem<F, Y, P>& q, const options& o, int least) {
  CHECK(changes(stages_of(q, o)) >= least);
  const recursive_checkpoint adjoint{.slots = 3};
  CHECK(replay_law_of_solve(q, radau{}, o).what == "");
  for (const index slots : {1, 1000})
    CHECK(equal_gradients_law(q, radau{}, o, adjoint, {.slots = slots}).what == "");
  for (const schedule_kind kind : {schedule_kind::store_all, schedule_kind::store_states,
                                   schedule_kind::online, schedule_kind::nested})
    CHECK(equal_gradients_law(q, radau{}, o, adjoint, {.schedule = kind}).what == "");
  for (const step_replay log : {step_replay::controller, step_replay::steps})
    CHECK(equal_gradients_law(q, radau{}, o, adjoint, {.slots = 2, .log = log}).what == "");
}

template <class F, class Y, class P>
void check_every_snapshot(const problem<F, Y, P>& q, const options& o, std::size_t stride) {
  for (const index log_bytes : {index{0}, index{8 + 40 * 24}, unbounded}) {
    stepper<radau, F, Y, P> loop(q, radau{}, o, log_bytes);
    using snapshot_type = typename decltype(loop)::snapshot_type;
    std::vector<snapshot_type> kept;
    while (!loop.finished()) {
      std::optional<snapshot_type> slot;
      loop.save(slot);
      kept.push_back(*slot);
      loop.step(loop.work_tape());
    }
    CHECK(loop.status() == status::success);
    CHECK(loop.result().stats.rejected >= 3);
    const auto end = loop.state();
    for (std::size_t k = 0; k < kept.size(); k += stride) {
      loop.load(kept[k]);
      while (!loop.finished()) loop.step(loop.work_tape());
      REQUIRE(equal_bits(loop.state(), end));
    }
  }
}

}  // namespace revode
