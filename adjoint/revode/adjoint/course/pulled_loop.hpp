// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <revode/adjoint/course/pull_course.hpp>
#include <revode/loop/executor.hpp>
#include <revode/schedule/all.hpp>

namespace revode {

/// A loop that retraces a known course, and the cotangents of one loss along it.
template <class M, class Y, class P, class Loop>
class pulled_loop : public Loop {
 public:
  template <class... Arguments>
  explicit pulled_loop(const Y& y0, const P& p, Arguments&&... arguments)
      : Loop(y0, p, std::forward<Arguments>(arguments)...),
        pull_(*this, this->state(), y0, p) {}

  void seed(const cotangents<Y>& w) { pull_.seed(w); }
  void pull_step(index i, const typename Loop::tape_type& tape) { pull_.pull_step(i, tape); }
  bool pulled_in_vain(index i) { return pull_.pulled_in_vain(i); }
  gradient<Y, P> finish() { return pull_.finish(); }
  index work_bytes() const requires requires(const Loop& l) { l.work_bytes(); }
  { return Loop::work_bytes() + pull_.bytes(); }

 private:
  pull_course<M, Y, P, Loop> pull_;
};

/// The first sweep of such a loop; `weigh(loop)` gives the cotangents, then the reverse pass. What comes
/// out has the status that was reported, whatever its numbers.
template <class Loop, class Weigh>
auto run_and_pull(Loop& loop, index slots, Weigh&& weigh) {
  executor<Loop, any_schedule> run(
      loop,
      any_schedule(schedule_kind::binomial, {.slots = slots, .steps = loop.course().count()}));
  run.forward();
  const auto weights = weigh(loop);
  loop.seed(weights);
  run.reverse();
  auto g = loop.finish();
  const reverse_counts counts = run.counts();
  reverse_statistics& r = g.reverse;
  r.schedule = name(schedule_kind::binomial);
  r.slots = slots;
  r.peak_states = run.snapshots().peak();
  r.replayed_steps = counts.replayed;
  r.pulled_steps = counts.pulled;
  r.field_evaluations = loop.sys().counts.field_evaluations;
  r.vjp_evaluations = loop.sys().counts.vjp_evaluations;
  return g;
}

}  // namespace revode
