// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <revode/adjoint/checkpoint_request.hpp>
#include <revode/adjoint/course/differentiable_stepper.hpp>
#include <revode/adjoint/course/gradient_costs.hpp>
#include <revode/adjoint/kept/kept_gradient.hpp>
#include <revode/loop/executor.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// What to keep of a solve of these costs. Throws for what a schedule refuses, too: misuse comes
/// before any work.
inline memory_plan plan_of(const recursive_checkpoint& a, const options& o, memory_costs costs) {
  costs.kept_calls = a.field_tapes;
  if (a.slots && a.budget)
    throw std::invalid_argument("slots = " + std::to_string(*a.slots) +
                                " and budget = " + std::to_string(*a.budget) +
                                " bytes (both bound the same memory) give one of them?");
  if (a.slots && *a.slots < 1)
    throw std::invalid_argument("slots = " + std::to_string(*a.slots) +
                                " (a reverse pass needs at least the initial state) "
                                "give slots >= 1?");
  if (a.budget && a.log == step_replay::steps && costs.log_step > 0)
    throw std::invalid_argument("budget = " + std::to_string(*a.budget) +
                                " bytes with log = steps (how many there will be is not known) "
                                "leave the log to the planner?");
  if (a.events < 0)
    throw std::invalid_argument("events = " + std::to_string(a.events) +
                                " (a number of occurrences is not negative) give one >= 0?");
  if (a.field_tapes && *a.field_tapes < 0)
    throw std::invalid_argument("field_tapes = " + std::to_string(*a.field_tapes) +
                                " (a number of tapes is not negative) give one >= 0?");
  const schedule_request request{
      .slots = a.slots.value_or(recursive_checkpoint::default_slots),
      .base = a.base,
      .interval = a.interval,
      .max_steps = o.max_steps,
      .tapes_resume = costs.tapes_resume && a.log != step_replay::controller,
      .slow_slots = a.slow_slots};
  memory_plan plan =
      a.budget
          ? plan_memory(costs, *a.budget, request, a.schedule, a.log != step_replay::controller)
          : plan_slots(costs, request, a.schedule, a.log != step_replay::controller);
  if (!a.budget && a.log == step_replay::automatic && plan.schedule == schedule_kind::store_all)
    plan.log_bytes = 0;
  static_cast<void>(any_schedule(plan.schedule, plan.request));
  return plan;
}

/// What of a request is as it is for the solve alone, and what is kept: of a spread state the same on all
/// ranks, which replay together.
template <method M, class F, class Y, class P, class... Events>
void validate_gradient(const problem<F, Y, P>& q, const M& m, const options& o,
                       const recursive_checkpoint& a, const Events&... events) {
  if constexpr (is_spread_v<Y>) {
    const auto text = [](const std::optional<index>& n) { return n ? std::to_string(*n) : "none"; };
    whole<Y>::agree(
        q, o, m,
        {{"recursive_checkpoint::slots", text(a.slots)},
         {"recursive_checkpoint::budget", text(a.budget)},
         {"recursive_checkpoint::schedule", a.schedule ? std::string(name(*a.schedule)) : "none"},
         {"recursive_checkpoint::log", std::to_string(static_cast<int>(a.log))},
         {"recursive_checkpoint, what schedules take of it",
          std::to_string(a.base) + " " + std::to_string(a.interval) + " " +
              std::to_string(a.slow_slots) + " " + std::to_string(a.events) + " " +
              text(a.field_tapes)}},
        [&] { validate_request(q, m, o, events...); }, events...);
  } else {
    validate(q, m, o, events...);
  }
}

/// A solution that can be pulled back. It refers to the problem it came from, which must outlive it
/// unless it is `own`.
template <class M, class F, class Y, class P, class Events = no_events>
class differentiable_solution : public solution<Y> {
  static_assert([] {
    if constexpr (!has_parts_v<F, Y, P>)
      return field_with_vjp<derivatives<F, Y, P>::vjp_source>::there;
    return true;
  }());

 public:
  template <class Field>
  differentiable_solution(const problem<Field, Y, P>& q, const M& m, const options& o,
                          const recursive_checkpoint& adjoint,
                          std::shared_ptr<const problem<Field, Y, P>> own = {},
                          const Events& events = {})
      : own_(own),
        costs_(costs(q, m, o, own != nullptr, events, adjoint)),
        plan_(plan_of(adjoint, o, costs_)),
        spill_(adjoint.spill),
        loop_(std::make_unique<loop>(q, m, o, plan_.log_bytes, events, plan_.field_tapes)),
        kept_(kept(q.p, o)),
        run_((prepare(adjoint), sweep(plan_.schedule, plan_.request))) {
    static_cast<solution<Y>&>(*this) = kept_ ? kept_->told() : loop_->result();
  }

  /// The derivative of a loss with these cotangents: of y(t1), and of each state in ys.
  /// May be called again (with other cotangents); from the second time on, the first sweep is
  /// replayed as well.
  /// cost    schedule's replays, and one VJP per stage and step
  /// status  of the gradient: linear_solve_failure, non_finite_field (a Jacobian), non_finite_gradient;
  ///         where it ends and how many steps are pulled by then is the same for every schedule. That
  ///         cotangents are finite is looked at every 16 steps and at the end
  /// errors  std::invalid_argument: the solve did not end as asked to, or ys or events of another
  ///         length
  gradient<Y, P> pullback(const cotangents<Y>& w) {
    check_end();
    const bool fits = alone(this->y, [&] { check(w); });
    cotangents<Y> others{};
    const bool lacks = lacks_points(w, others);
    auto [g, r] = pull(fits && !lacks ? w : others, [&] { return loop_->finish(); });
    g.reverse = r;
    return std::move(g);
  }
  template <std::convertible_to<Y> W = braced_state<Y>>
  gradient<Y, P> pullback(const W& y_bar) {
    return pullback(cotangents<Y>{.y = y_bar});
  }

  /// The gradients of several losses in one reverse pass: every replayed step serves all of them. The bits
  /// are those of as many calls of pullback, and so is each status: one that fails stops no other.
  /// cost    the schedule's replays once, and one VJP a stage, step and loss; cotangents a loss
  std::vector<gradient<Y, P>> gradients(const std::vector<cotangents<Y>>& losses) {
    static_assert(!is_spread_v<Y>,
                  "several losses of a state spread over ranks in one pass (one that fails would "
                  "stop on its rank alone) call pullback for each?");
    if (!losses.empty()) check_end();
    for (const cotangents<Y>& w : losses) check(w);
    if (losses.empty()) return {};
    auto [all, r] = pull(losses, [&] { return loop_->finish_all(); });
    for (gradient<Y, P>& g : all) {
      const index pulled = g.reverse.pulled_steps;
      g.reverse = r;
      g.reverse.pulled_steps = pulled;
    }
    return std::move(all);
  }

  /// What was decided to be kept, and what that was predicted to take; see describe.
  const memory_plan& plan() const { return plan_; }

 private:
  using loop = differentiable_stepper<M, F, Y, P, Events>;
  using executor_type = executor<loop, any_schedule>;
  using kept_type = kept_gradient<loop, executor_type, Y>;

  template <class Problem>
  static memory_costs costs(const Problem& q, const M& m, const options& o, bool own,
                            const Events& events, const recursive_checkpoint& adjoint) {
    validate_cuts<M, typename loop::system_type, Y>(m, o, !std::is_same_v<Events, no_events>);
    if constexpr (is_spread_v<Y>) {  // as the largest part would: all ranks plan the same
      const problem<const F&, Y, P> most{q.f, whole<Y>::largest(q.y0), q.t0, q.t1,
                                         largest_part(q.p)};
      return gradient_costs<loop>(most, m, o, own, events, adjoint.events);
    }
    return gradient_costs<loop>(q, m, o, own, events, adjoint.events);
  }
  static P largest_part(const P& p) {
    if constexpr (is_spread_v<P>) return whole<P>::largest(p);
    return p;
  }
  /// A budget has room for events beforehand.
  void prepare(const recursive_checkpoint& adjoint) {
    using set = typename loop::event_set_type;
    if (adjoint.budget) loop_->expect_events(set::located > 0 ? adjoint.events : 0);
  }

  /// A further first sweep, of a count that is known by now.
  executor_type sweep_again() {
    schedule_request known = plan_.request;
    known.steps = loop_->count();
    return sweep(kind_for_known_count(plan_), known);
  }

  /// The first sweep; a field that throws in it leaves nothing half done.
  [[gnu::noinline]] executor_type sweep(schedule_kind kind, const schedule_request& request) {
    std::unique_ptr<file_pool> slow;
    if (!spill_.empty()) alone(loop_->y0(), [&] { slow = std::make_unique<file_pool>(spill_); });
    executor_type run(*loop_, any_schedule(kind, request), std::move(slow));
    const bool keeps = kept_ && kept_->keeps_sweep();
    if (keeps && !kept_->begin_sweep(run)) return run;
    run.forward();
    if (keeps) kept_->end_sweep();
    return run;
  }
  /// Where the solve is kept, if that was asked for.
  [[gnu::cold]] std::unique_ptr<kept_type> kept(const P& p, const options& o) {
    if (!o.restart) return nullptr;
    const run_print print = print_of(*loop_, p, o, told_of(plan_));
    return std::make_unique<kept_type>(*o.restart, begin_solve(*o.restart, print), *loop_);
  }

  void check_end() const {
    if (!is_complete(this->status))
      throw std::invalid_argument(std::string("no gradient of a solve that ended with status ") +
                                  revode::name(this->status) + " (" + explain(this->status) +
                                  ") look at solution::status first?");
  }
  /// Does this rank say nothing of save points, and another something? Then the same with zeros: save points
  /// are pulled back by all ranks, or by none.
  bool lacks_points(const cotangents<Y>& w, cotangents<Y>& with_zeros) const {
    if constexpr (is_spread_v<Y>) {
      if (this->ys.empty() || !whole<Y>::any(this->y, !w.ys.empty()) || !w.ys.empty()) return false;
      with_zeros = w;
      with_zeros.ys = this->ys;
      for (Y& y : with_zeros.ys) fill(y, scalar_t<Y>(0));
      return true;
    }
    return false;
  }
  void check(const cotangents<Y>& w) const {
    if (!w.ys.empty() && w.ys.size() != this->ys.size())
      throw std::invalid_argument(std::to_string(w.ys.size()) + " cotangents for " +
                                  std::to_string(this->ys.size()) +
                                  " save points (one belongs to each) give as many, or none?");
    if (!w.events.empty() && w.events.size() != this->events.size())
      throw std::invalid_argument(std::to_string(w.events.size()) + " cotangents for " +
                                  std::to_string(this->events.size()) +
                                  " events (one belongs to each) give as many, or none?");
    const auto same = [this](const Y& y) {
      if constexpr (is_spread_v<Y>) return whole<Y>::alike(y, this->y);
      return length(y) == length(this->y);
    };
    bool fits = !w.y || same(*w.y);
    for (const Y& y : w.ys) fits = fits && same(y);
    if (!fits)
      throw std::invalid_argument("a cotangent whose size is not " +
                                  std::to_string(length(this->y)) +
                                  " (it has the shape of the state) resize it?");
  }

  /// What comes out of a reverse pass, and what the pass took.
  template <class Gradients>
  struct pulled {
    Gradients gradients;
    reverse_statistics took;
  };
  /// A reverse pass of these cotangents, of which `finish` says what comes out.
  template <class Cotangents, class Finish>
  auto pull(const Cotangents& w, Finish&& finish) {
    evaluation_counts before = loop_->sys().counts;
    index rejected = loop_->rejected_again();
    index again = 0;
    if (!run_) {
      loop_->restart();
      run_.emplace(sweep_again());
      again = loop_->count();
    }
    bool keeps = false, left = true;
    if constexpr (std::is_same_v<Cotangents, cotangents<Y>>) keeps = kept_ && kept_->keeps_next();
    if (!keeps) loop_->seed(w);
    auto run = std::move(*run_);  // an exception from here on leaves nothing half used
    run_.reset();
    if constexpr (std::is_same_v<Cotangents, cotangents<Y>>)
      if (keeps) left = kept_->begin_reverse(run, w, before, rejected);
    if (left) run.reverse();
    if (keeps) kept_->end_reverse(before, rejected);
    pulled<decltype(finish())> p{finish(), {}};
    p.took = told(run, before);
    p.took.replayed_steps += again;
    p.took.rejected_again = loop_->rejected_again() - rejected;
    return p;
  }

  reverse_statistics told(const executor_type& run, const evaluation_counts& before) {
    const reverse_counts counts = run.counts();
    reverse_statistics r;
    r.schedule = revode::name(plan_.schedule);
    r.slots = plan_.request.slots;
    r.peak_states = run.snapshots().peak();
    r.peak_tapes = run.tapes().peak();
    r.snapshot_bytes = r.peak_states * loop_->snapshot_bytes();
    r.tape_bytes = run.tapes().bytes(loop_->work_tape());
    r.log_bytes = loop_->log().bytes() + loop_->stretches().bytes();
    r.work_bytes = costs_.work - costs_.results - loop_->matrices_to_come();
    loop_->sys().tell_tapes(r);
    r.peak_bytes =
        r.snapshot_bytes + r.tape_bytes + r.log_bytes + r.work_bytes + r.field_tape_bytes;
    r.snapshots_written = run.snapshots().written();
    r.restores = counts.restores;
    r.replayed_steps = counts.replayed;
    r.pulled_steps = counts.pulled;
    take_counts(r, before, loop_->sys().counts);
    if constexpr (requires { loop_->sys().vjp_source(); }) r.vjp_source = loop_->sys().vjp_source();
    if constexpr (requires { loop_->sys().recording_bytes(); })
      r.recording_bytes = loop_->sys().recording_bytes();
    return r;
  }

  std::shared_ptr<const void> own_;
  memory_costs costs_;
  memory_plan plan_;
  std::string spill_;
  std::unique_ptr<loop> loop_;
  std::unique_ptr<kept_type> kept_;
  std::optional<executor_type> run_;
};

/// Integrates q and keeps what its gradient needs:
///   auto s = solve(q, tsit5{}, {}, recursive_checkpoint{.slots = 20});
///   auto g = s.pullback(y_bar);        // g.y0, g.p, g.t0, g.t1, g.ts, g.reverse
/// The gradient is exact for the steps taken: the derivative of the computed solution with its grid
/// held still (t0 and t1 move the grid's ends), to rounding, and the same bits for every slot
/// count and schedule. A named problem is referred to and must outlive the result; a temporary is
/// moved in.
template <method M, class F, class Y, class P>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o,
           const recursive_checkpoint& adjoint) {
  validate_gradient(q, m, o, adjoint);
  return differentiable_solution<M, std::remove_cvref_t<F>, Y, P>(q, m, o, adjoint);
}
template <method M, class F, class Y, class P>
auto solve(problem<F, Y, P>&& q, const M& m, const options& o,
           const recursive_checkpoint& adjoint) {
  validate_gradient(q, m, o, adjoint);
  const auto own = std::make_shared<const problem<F, Y, P>>(std::move(q));
  return differentiable_solution<M, std::remove_cvref_t<F>, Y, P>(*own, m, o, adjoint, own);
}

/// The same with events: g.events, g.stops and, through cotangents::events, losses of their times.
/// A budget foresees stops, timed events and `events` occurrences of located ones.
template <method M, class F, class Y, class P, class... E>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
           const recursive_checkpoint& adjoint) {
  validate_gradient(q, m, o, adjoint, events);
  return differentiable_solution<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>(
      q, m, o, adjoint, std::shared_ptr<const problem<F, Y, P>>{}, events);
}
template <method M, class F, class Y, class P, class... E>
auto solve(problem<F, Y, P>&& q, const M& m, const options& o, const event_list<E...>& events,
           const recursive_checkpoint& adjoint) {
  validate_gradient(q, m, o, adjoint, events);
  const auto own = std::make_shared<const problem<F, Y, P>>(std::move(q));
  return differentiable_solution<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>(
      *own, m, o, adjoint, own, events);
}

}  // namespace revode
