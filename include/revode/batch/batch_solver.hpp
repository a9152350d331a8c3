// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/batch/columns/differentiable_rounds.hpp>

namespace revode {

/// A batch that was solved and can be pulled back. It refers to the batch, which must outlive it.
template <class M, class F, class Y, class P>
class differentiable_batch : public batch_solution<Y> {
 public:
  differentiable_batch(const batch_problem<F, Y, P>& b, const M& m, const options& o,
                       const recursive_checkpoint& adjoint)
      : costs_(costs(b, o)),
        plan_(plan_of(adjoint, o, costs_)),
        spill_(adjoint.spill),
        loop_(std::make_unique<loop>(b, m, o)),
        run_(sweep(plan_.schedule, plan_.request)) {
    static_cast<batch_solution<Y>&>(*this) = loop_->result();
  }

  /// The derivative of a loss with these cotangents. May be called again; from the second time on, the
  /// first sweep is replayed as well.
  /// cost    the schedule's replays, with the columns of their rounds, and one column of a vjp for each
  ///         stage of every accepted step
  /// errors  std::invalid_argument: cotangents of another shape
  batch_gradient<Y, P> pullback(const batch_cotangents<Y>& w) {
    check("y", w.y, this->y);
    check("ys", w.ys, this->ys);
    const batch_statistics before = loop_->field().calls;
    if (!run_) {
      loop_->restart();
      schedule_request known = plan_.request;
      known.steps = loop_->count();
      run_.emplace(sweep(kind_for_known_count(plan_), known));
    }
    loop_->seed(w);
    auto run = std::move(*run_);  // an exception from here on leaves nothing half used
    run_.reset();
    run.reverse();
    batch_gradient<Y, P> g = loop_->finish();
    tell(run, before, g);
    return g;
  }

  /// What was decided to be kept; see describe.
  const memory_plan& plan() const { return plan_; }

 private:
  using loop = differentiable_rounds<M, F, Y, P>;
  using executor_type = executor<loop, any_schedule>;
  using steps = typename loop::steps;

  /// Upper bounds: every round as one of all samples.
  static memory_costs costs(const batch_problem<F, Y, P>& b, const options& o) {
    const auto samples = static_cast<index>(b.y0.cols());
    const index state = bytes_of(b.y0), ends = samples * index{2 * sizeof(double) + sizeof(int)};
    const index of_sample = sizeof(typename steps::scratch_type) +
                            sizeof(typename steps::seeds_type) + sizeof(typename steps::tape_type) +
                            sizeof(attempts<M, typename loop::column>) + 24 * sizeof(double);
    index points = 0;
    for (index j = 0; j < samples; ++j) points += static_cast<index>(save_times(b, o, j).size());
    points += samples * ((o.save.t0 ? 1 : 0) + (o.save.t1 ? 1 : 0));
    memory_costs all;
    all.snapshot = heap_bytes(steps::carry_blocks * state + ends);
    all.tape = heap_bytes(steps::tape_blocks * state + ends);
    all.work = 2 * all.tape + all.snapshot + samples * of_sample +
               (steps::scratch_blocks + steps::seed_blocks + 4) * state +
               2 * points * state / samples + 2 * bytes_of(b.p);
    return all;
  }

  executor_type sweep(schedule_kind kind, const schedule_request& request) {
    std::unique_ptr<file_pool> slow;
    if (!spill_.empty()) slow = std::make_unique<file_pool>(spill_);
    executor_type run(*loop_, any_schedule(kind, request), std::move(slow));
    run.forward();
    return run;
  }

  static void check(const char* what, const std::optional<Y>& w, const Y& like) {
    if (!w || (w->rows() == like.rows() && w->cols() == like.cols())) return;
    throw std::invalid_argument("cotangents of " + std::string(what) + " with " +
                                std::to_string(w->rows()) + " x " + std::to_string(w->cols()) +
                                " numbers (" + what + " has " + std::to_string(like.rows()) +
                                " x " + std::to_string(like.cols()) + ") give its shape?");
  }

  void tell(const executor_type& run, const batch_statistics& before, batch_gradient<Y, P>& g) {
    const reverse_counts counts = run.counts();
    reverse_statistics& r = g.reverse;
    r.schedule = revode::name(plan_.schedule);
    r.slots = plan_.request.slots;
    r.peak_states = run.snapshots().peak();
    r.peak_tapes = run.tapes().peak();
    r.snapshots_written = run.snapshots().written();
    r.restores = counts.restores;
    r.replayed_steps = counts.replayed;
    r.pulled_steps = counts.pulled;
    r.field_evaluations = loop_->field().calls.field_calls - before.field_calls;
    r.snapshot_bytes = r.peak_states * costs_.snapshot;
    r.tape_bytes = run.tapes().bytes(loop_->work_tape());
    r.log_bytes = loop_->log().bytes();
    r.work_bytes = costs_.work;
    r.peak_bytes = r.snapshot_bytes + r.tape_bytes + r.log_bytes + r.work_bytes;
    g.replayed_columns = loop_->field().calls.columns - before.columns;
  }

  memory_costs costs_;
  memory_plan plan_;
  std::string spill_;
  std::unique_ptr<loop> loop_;
  std::optional<executor_type> run_;
};

/// Integrates every sample of a batch, each with its own steps; a field call is for all of them.
///   auto s = solve(b, tsit5{}, {.rtol = 1e-6, .atol = 1e-6});     // s.status[j], s.y, s.ys, …
/// cost    a sample's columns are its own stages, accepted and rejected: those of its solve alone
/// bits    of a field that computes each column by itself, those of the sample solved alone; of products
///         of matrices, those to rounding, since their bits depend on how many columns there are
/// errors  std::invalid_argument for misuse; an exception of the field passes through
/// status  of each sample its own; the others go on
template <method M, class F, class Y, class P>
batch_solution<Y> solve(const batch_problem<F, Y, P>& b, const M& m, const options& o = {}) {
  validate(b, m, o);
  if constexpr (takes_batches_v<M, scalar_t<Y>>) {
    batch_rounds<M, F, Y, P> loop(b, m, o, false);
    while (!loop.finished()) loop.step(loop.work_tape());
    return loop.result();
  }
  return {};  // refused
}

/// The field has a product with cotangents of samples at times of their own.
template <class F, class T, class P>
concept pulls_samples = requires(const F& f, sample_times<T> t, sample_columns<T> y, const P& p,
                                 P& gp) {
  f.vjp(t, y, p, y, t, y, gp);
};

/// The same, keeping what its gradient needs:
///   auto s = solve(b, tsit5{}, o, recursive_checkpoint{.slots = 20});
///   auto g = s.pullback({.y = w});                                 // g.y0, g.p
/// The gradient is exact for the steps taken, and the same bits for every slot count and schedule. A budget
/// is that of rounds of all samples; the log of attempts, 8 bytes each, comes on top.
template <method M, class F, class Y, class P>
auto solve(const batch_problem<F, Y, P>& b, const M& m, const options& o,
           const recursive_checkpoint& adjoint) {
  validate(b, m, o);
  if (adjoint.log == step_replay::controller)
    throw std::invalid_argument(
        "log = controller for a batch_problem (its rounds are repeated by their log, 8 bytes an "
        "attempt) leave it out?");
  static_assert(pulls_samples<F, scalar_t<Y>, P>,
                "a gradient of a batch_problem by a field without f.vjp(t, y, p, w, gt, gy, gp) "
                "(where samples have times of their own nothing is recorded) give it one, with "
                "t and gt as sample_times?");
  static_assert(takes_batches_v<M, scalar_t<Y>>,
                "a gradient of a batch_problem by a method that does not take one (samples step "
                "together by explicit Runge-Kutta methods with an error estimate) choose a method "
                "such as tsit5?");
  if constexpr (takes_batches_v<M, scalar_t<Y>>)
    return differentiable_batch<M, F, Y, P>(b, m, o, adjoint);
}
template <method M, class F, class Y, class P>
auto solve(batch_problem<F, Y, P>&&, const M&, const options&,
           const recursive_checkpoint&) = delete;  // the result refers to it: give it a name?

}  // namespace revode
