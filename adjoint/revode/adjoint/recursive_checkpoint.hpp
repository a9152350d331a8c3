// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/differentiable_stepper.hpp>
#include <revode/loop/executor.hpp>
#include <revode/schedule/all.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// The exact discrete adjoint in bounded memory. Which bits come out does not depend on any of
/// these choices; how much is recomputed does.
///   slots      states kept at once, the initial one counted
///   budget     the same in bytes of snapshots; give one of the two
///   schedule   binomial: optimal for the slots, after one more sweep where the steps cannot be
///              counted beforehand. online: a few per cent above that optimum, without the sweep;
///              a second pullback knows the count and is optimal. store_all: every step's stages, no recomputation.
///              store_states: every state, each step once more. nested: Diffrax's bounded loop,
///              `base` iterations a level, options.max_steps its bound
struct recursive_checkpoint {
  std::optional<index> slots{};
  std::optional<index> budget{};
  schedule_kind schedule = schedule_kind::binomial;
  index base = 16;

  static constexpr const char* name = "recursive_checkpoint";
  static constexpr bool exact = true;
  static constexpr index default_slots = 100;
};

/// Slots for a snapshot of `bytes`; throws for a budget that is none.
inline index slots_of(const recursive_checkpoint& a, index bytes) {
  if (a.slots && a.budget)
    throw std::invalid_argument("slots = " + std::to_string(*a.slots) +
                                " and budget = " + std::to_string(*a.budget) +
                                " bytes (both bound the same memory) give one of them?");
  if (a.slots && *a.slots < 1)
    throw std::invalid_argument("slots = " + std::to_string(*a.slots) +
                                " (a reverse pass needs at least the initial state) "
                                "give slots >= 1?");
  if (a.budget && *a.budget < bytes)
    throw std::invalid_argument("budget of " + std::to_string(*a.budget) +
                                " bytes (one state of this problem takes " + std::to_string(bytes) +
                                ") give at least that many?");
  if (a.budget) return *a.budget / bytes;
  return a.slots.value_or(recursive_checkpoint::default_slots);
}

/// A solution that can be pulled back. It refers to the problem it came from, which must outlive it.
template <class M, class F, class Y, class P>
class differentiable_solution : public solution<Y> {
 public:
  template <class Field>
  differentiable_solution(const problem<Field, Y, P>& q, const M& m, const options& o,
                          const recursive_checkpoint& adjoint)
      : adjoint_(adjoint),
        snapshot_bytes_(snapshot_bytes(q)),
        request_(request_of(q, o, adjoint, snapshot_bytes_)),
        loop_(std::make_unique<loop>(q, m, o)),
        run_(sweep()) {
    static_cast<solution<Y>&>(*this) = loop_->result();
  }

  /// The derivative of a loss with these cotangents: of y(t1), and of each state in ys.
  /// May be called again (with other cotangents); from the second time on, the first sweep is
  /// replayed as well.
  /// cost    schedule's replays, and one VJP per stage and step
  /// errors  std::invalid_argument: the solve did not succeed, or ys of another length
  gradient<Y, P> pullback(const cotangents<Y>& w) {
    check(w);
    const evaluation_counts before = loop_->sys().counts;
    index again = 0;
    if (!run_) {
      loop_->restart();
      run_.emplace(sweep_again());
      again = loop_->count();
    }
    loop_->seed(w);
    auto run = std::move(*run_);  // an exception from here on leaves nothing half used
    run_.reset();
    return finish(run, before, again);
  }
  gradient<Y, P> pullback(const Y& y_bar) { return pullback(cotangents<Y>{.y = y_bar}); }

 private:
  using loop = differentiable_stepper<M, F, Y, P>;
  using executor_type = executor<loop, any_schedule>;

  template <class Problem>
  static index snapshot_bytes(const Problem& q) {
    using snapshot_type = typename loop::snapshot_type;
    return footprint(snapshot_type{0, q.t0, make_like<decltype(snapshot_type::state)>(q.y0),
                                   make_like<decltype(snapshot_type::memo)>(q.y0)});
  }

  /// Also throws for what a schedule refuses: misuse comes before any work.
  template <class Problem>
  static schedule_request request_of(const Problem& q, const options& o,
                                     const recursive_checkpoint& adjoint, index bytes) {
    const index equal = o.fixed_step > 0 ? fixed_step_count(q.t0, q.t1, o.fixed_step) : 0;
    const schedule_request request{.slots = slots_of(adjoint, bytes),
                                   .base = adjoint.base,
                                   .max_steps = o.max_steps,
                                   .steps = equal > 0 ? equal : unbounded};
    static_cast<void>(any_schedule(adjoint.schedule, request));
    return request;
  }

  executor_type sweep() { return sweep(adjoint_.schedule, request_); }

  /// A further first sweep, of a count that is known by now.
  executor_type sweep_again() {
    if (adjoint_.schedule != schedule_kind::online) return sweep();
    schedule_request known = request_;
    known.steps = loop_->count();
    return sweep(schedule_kind::binomial, known);
  }

  /// The first sweep; a field that throws in it leaves nothing half done.
  executor_type sweep(schedule_kind kind, const schedule_request& request) {
    executor_type run(*loop_, any_schedule(kind, request));
    run.forward();
    return run;
  }

  void check(const cotangents<Y>& w) const {
    if (this->status != revode::status::success)
      throw std::invalid_argument(std::string("no gradient of a solve that ended with status ") +
                                  revode::name(this->status) + " (" + explain(this->status) +
                                  ") look at solution::status first?");
    if (!w.ys.empty() && w.ys.size() != this->ys.size())
      throw std::invalid_argument(std::to_string(w.ys.size()) + " cotangents for " +
                                  std::to_string(this->ys.size()) +
                                  " save points (one belongs to each) give as many, or none?");
    const auto same = [this](const Y& y) { return length(y) == length(this->y); };
    bool fits = !w.y || same(*w.y);
    for (const Y& y : w.ys) fits = fits && same(y);
    if (!fits)
      throw std::invalid_argument("a cotangent whose size is not " +
                                  std::to_string(length(this->y)) +
                                  " (it has the shape of the state) resize it?");
  }

  gradient<Y, P> finish(executor_type& run, const evaluation_counts& before, index again) {
    run.reverse();
    gradient<Y, P> g = loop_->finish();
    const reverse_counts counts = run.counts();
    const evaluation_counts& after = loop_->sys().counts;
    reverse_statistics& r = g.reverse;
    r.slots = request_.slots;
    r.peak_states = run.snapshots().peak();
    r.peak_tapes = run.tapes().peak();
    r.snapshot_bytes = r.peak_states * snapshot_bytes_;
    r.tape_bytes = run.tapes().bytes(loop_->work_tape());
    r.log_bytes = loop_->log().bytes();
    r.work_bytes = loop_->work_bytes();
    r.peak_bytes = r.snapshot_bytes + r.tape_bytes + r.log_bytes + r.work_bytes;
    r.snapshots_written = run.snapshots().written();
    r.restores = counts.restores;
    r.replayed_steps = counts.replayed + again;
    r.pulled_steps = counts.pulled;
    r.field_evaluations = after.field_evaluations - before.field_evaluations;
    r.vjp_evaluations = after.vjp_evaluations - before.vjp_evaluations;
    return g;
  }

  recursive_checkpoint adjoint_;
  index snapshot_bytes_;
  schedule_request request_;
  std::unique_ptr<loop> loop_;
  std::optional<executor_type> run_;
};

/// Integrates q and keeps what its gradient needs:
///   auto s = solve(q, tsit5{}, {}, recursive_checkpoint{.slots = 20});
///   auto g = s.pullback(y_bar);        // g.y0, g.p, g.t0, g.t1, g.ts, g.reverse
/// The gradient is exact for the steps taken: the derivative of the computed solution with its grid
/// held still (t0 and t1 move the grid's ends), to rounding, and the same bits for every slot
/// count and schedule.
template <method M, class F, class Y, class P>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o,
           const recursive_checkpoint& adjoint) {
  validate(q, m, o);
  return differentiable_solution<M, std::remove_cvref_t<F>, Y, P>(q, m, o, adjoint);
}

}  // namespace revode
