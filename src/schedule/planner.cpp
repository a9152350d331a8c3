// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <revode/schedule/planner.hpp>

namespace revode {
namespace {

/// Bytes of the numbers that a mixed schedule keeps of up to n steps, in one place. A row for each
/// repetition of n steps in two units, an entry for each unit that makes as many.
struct mixed_number_bytes {
  index always = 0, a_unit = 0;

  explicit mixed_number_bytes(index n) {
    constexpr index many = 64;
    if (n <= 1) return;
    always = 96 * repetitions(n, 2);
    for (index s = 2; s <= many; ++s) always += 16 * repetitions(n, s);
    a_unit = 16 * repetitions(n, many);
  }
  index bytes(index units) const { return always + units * a_unit; }
};

/// A stored tape in units of one snapshot.
constexpr index tape_units_of(const memory_costs& c) {
  return std::max<index>((c.tape + c.snapshot - 1) / std::max<index>(c.snapshot, 1), 1);
}

/// With no more steps than the loop may make.
memory_costs within_bound(memory_costs c, const schedule_request& r) {
  if (c.steps != unbounded && r.max_steps > 0) c.steps = std::min(c.steps, r.max_steps);
  return c;
}

/// The plan with its counts, where they can be told beforehand: those of a mixed schedule follow from
/// its actions, one by one.
memory_plan predicted(const memory_costs& c, memory_plan plan) {
  constexpr index most_actions = index{1} << 18;
  const index n = c.steps;
  if (n == unbounded) return plan;
  if (plan.schedule == schedule_kind::store_all) {
    plan.replays = plan.peak_states = 0;
    plan.peak_tapes = n;
  } else if (plan.schedule == schedule_kind::binomial) {
    plan.replays = extra_steps(n, plan.request.slots);
    plan.peak_states = std::max<index>(std::min(plan.request.slots, n - 1), 0);
    plan.peak_tapes = 0;
  } else if (plan.schedule == schedule_kind::mixed && n <= most_actions) {
    const dry_run_counts run = dry_run(any_schedule(plan.schedule, plan.request), n);
    plan.replays = run.replays;
    plan.peak_states = run.peak_states;
    plan.peak_tapes = run.peak_tapes;
  }
  return plan;
}

/// What to keep within a budget in bytes.
class planner {
 public:
  /// With room for so many tapes of calls of the field.
  planner(const memory_costs& c, index budget, const schedule_request& r,
          std::optional<schedule_kind> kind, bool log, index calls = 0)
      : c_(within_bound(c, r)),
        budget_(budget),
        free_(budget - c.work - calls * c.call),
        calls_(calls),
        request_(r),
        kind_(kind),
        log_(log),
        numbers_(std::min({c.steps, r.max_steps, saturated})) {
    request_.tape_units = tape_units_of(c);
    request_.steps = c_.steps;
  }

  /// Best first: every tape, where the count is known (nothing is run again); tapes and snapshots,
  /// while that pays; snapshots. With a count not known beforehand up to a quarter of what is free
  /// is for the log, which ends where that is full.
  memory_plan best() const {
    if (kind_) return bounded(*kind_);
    const memory_plan snapshots =
        bounded(known() ? schedule_kind::binomial : schedule_kind::online);
    if (known() && c_.steps > 0 && tape_bytes(c_, c_.steps) <= free_) return all_tapes();
    if (kept_bytes(schedule_kind::mixed, request_.tape_units + 1) > free_) return snapshots;
    const memory_plan both = bounded(schedule_kind::mixed);
    if (known()) return replays_of(both) < *snapshots.replays ? both : snapshots;
    // A ring of tapes spares more than a few more snapshots do, unless units are that much dearer.
    return 4 * both.request.slots >= 3 * snapshots.request.slots ? both : snapshots;
  }

  memory_plan bounded(schedule_kind kind) const {
    if (!takes_slots(kind))
      throw std::invalid_argument("budget of " + std::to_string(budget_) + " bytes for schedule " +
                                  std::string(name(kind)) +
                                  " (its memory follows the number of steps, not a budget) leave "
                                  "the schedule out, or choose binomial or online?");
    const index least = kept_bytes(kind, 1);
    if (free_ < least) refuse(least);
    memory_plan plan{.schedule = kind,
                     .request = request_,
                     .field_tapes = calls_,
                     .formula = c_.log_step == 0,
                     .work_bytes = to_work_in()};
    if (kind == schedule_kind::mixed && known()) return taped(plan);
    if (log_ && c_.log_step > 0)
      plan.log_bytes = log_within(std::min({free_ / 4, free_ - least, heap_of_log(c_.log_most)}));
    const index log = plan.log_bytes > 0 ? heap_of_log(plan.log_bytes) : 0;
    plan.request.slots = most_within(
        free_ - log, [&](index s) { return kept_bytes(kind, s); }, kind != schedule_kind::mixed);
    plan.bytes = to_work_in() + log + kept_bytes(kind, plan.request.slots);
    return predicted(c_, plan);
  }

  bool known() const { return c_.steps != unbounded; }
  /// Is there room for `slots` snapshots or units?
  bool holds(schedule_kind kind, index slots = 1) const { return kept_bytes(kind, slots) <= free_; }
  /// What is left of it beside every tape of the steps.
  index beside_tapes() const { return free_ - tape_bytes(c_, c_.steps); }
  index free() const { return free_; }

  /// Calls of the field that the reverse pass takes for a plan of a known count, a vjp as three; a step that
  /// is not run again just before its pull has its tapes only where all steps have.
  index calls_of(const memory_plan& plan) const {
    const index n = c_.steps;
    const bool all = plan.schedule == schedule_kind::store_all;
    const index again = all ? 0 : std::min(replays_of(plan), index{1} << 56);
    const index read =
        all ? std::min(calls_, n * c_.calls) : std::min(again + 1, n) * std::min(calls_, c_.calls);
    return (again + 3 * n) * c_.calls - read;
  }

 private:
  index to_work_in() const { return c_.work + calls_ * c_.call; }

  /// Of a mixed plan; where they were not counted, those of the sums that its splits follow.
  index replays_of(const memory_plan& both) const {
    if (both.replays) return *both.replays;
    mixed_numbers numbers(request_.tape_units);
    return numbers.sweep_steps(c_.steps, both.request.slots) - c_.steps;
  }

  /// Bytes of the stores and of the schedule itself, for s snapshots or units. An entry of a table
  /// of 8 bytes takes 24 while the table doubles. Per slot there is one of 16 in the store, and in
  /// the schedule three integers; online placement keeps some eight more, a mixed schedule nine and,
  /// for each tape, as much again, and its numbers twice.
  index kept_bytes(schedule_kind kind, index s) const {
    const index own = c_.snapshot + 48, pages = s > 1024 ? 16 * 4096 : 128;
    switch (kind) {
      case schedule_kind::binomial: return s * (own + 24) + pages;
      case schedule_kind::mixed:
        if (known()) return taped_bytes(s, {});
        return s * (own + 184) + s / request_.tape_units * 144 + 2 * numbers_.bytes(s) +
               2 * c_.snapshot + pages;
      default: return s * (own + (s > 1024 ? 136 : 88)) + pages;
    }
  }

  /// The same for a mixed schedule that knows the count: in the store one of 16, one of 8 and a
  /// cell's 16, in the schedule four integers that do not double, and for each tape half as much;
  /// its decisions, or its numbers. A snapshot and a copy of it stand before the cells.
  index taped_bytes(index s, const mixed_decisions& decisions) const {
    return s * (c_.snapshot + 120) + s / request_.tape_units * 56 + 2 * c_.snapshot +
           decisions.bytes() + (decisions.size() == 0 ? numbers_.bytes(s) : 0) +
           (s > 1024 ? 16 * 4096 : 128);
  }

  /// Tapes and snapshots for a known count: by the decisions of the optimum, if what they take is
  /// not better spent on units.
  memory_plan taped(memory_plan plan) const {
    const auto with = [&](std::shared_ptr<const mixed_decisions> decisions, index units) {
      plan.request.slots = units;
      plan.bytes = to_work_in() + taped_bytes(units, *decisions);
      plan.request.decisions = std::move(decisions);
      return predicted(c_, plan);
    };
    auto none = std::make_shared<const mixed_decisions>();
    const index units = most_within(free_, [&](index s) { return taped_bytes(s, *none); });
    const memory_plan plain = with(std::move(none), units);
    if (!mixed::has_table(c_.steps, units, request_.tape_units)) return plain;
    auto [decisions, fewer] = optimal(units);
    if (!decisions) return plain;
    const memory_plan best = with(std::move(decisions), fewer);
    return *best.replays < *plain.replays ? best : plain;
  }

  /// The decisions for as many units as fit beside them; null: their table, or they, do not fit.
  std::pair<std::shared_ptr<const mixed_decisions>, index> optimal(index units) const {
    const index n = c_.steps, last_row = 2048;
    const mixed_optimum optimum(n, units, mixed::costs(request_.tape_units, request_.tapes_resume),
                                free_ - last_row);
    for (units = optimum.units(); units > 0;) {
      auto decisions = std::make_shared<const mixed_decisions>(optimum, n, units);
      const auto bytes = [&](index s) { return taped_bytes(s, *decisions); };
      if (bytes(units) <= free_) return {std::move(decisions), units};
      units = std::min(units - 1, most_within(free_, bytes));
    }
    return {};
  }

  memory_plan all_tapes() const {
    return predicted(c_, {.schedule = schedule_kind::store_all,
                          .request = request_,
                          .field_tapes = calls_,
                          .formula = c_.log_step == 0,
                          .work_bytes = to_work_in(),
                          .bytes = to_work_in() + tape_bytes(c_, c_.steps)});
  }

  /// A log has blocks of 4 KiB or more, and a table of them.
  static index heap_of_log(index bytes) { return bytes + bytes / 64 + 48; }
  static index log_within(index bytes) { return std::max<index>(bytes - 48, 0) / 65 * 64; }

  /// The most slots that fit, of those that are of use; at least one does.
  template <class Bytes>
  index most_within(index bytes, Bytes&& bytes_of, bool snapshots = false) const {
    index fits = 1, most = std::max<index>(bytes / (c_.snapshot + 48), 1);
    if (known() && snapshots) most = std::min(most, std::max<index>(c_.steps, 1));
    while (fits < most) {
      const index middle = fits + (most - fits + 1) / 2;
      if (bytes_of(middle) <= bytes)
        fits = middle;
      else
        most = middle - 1;
    }
    return fits;
  }

  [[noreturn]] void refuse(index least) const {
    throw std::invalid_argument(
        "budget of " + std::to_string(budget_) + " bytes (this gradient needs at least " +
        std::to_string(to_work_in() + least) + ": " + std::to_string(c_.work) + " to work in" +
        (calls_ == 0 ? " and "
                     : ", " + std::to_string(calls_ * c_.call) + " for " + std::to_string(calls_) +
                           (calls_ == 1 ? " tape" : " tapes") + " of calls of the field and ") +
        std::to_string(least) + " for one snapshot) give at least that many" +
        (calls_ == 0 ? "?" : ", or fewer field_tapes?"));
  }

  memory_costs c_;
  index budget_, free_, calls_;
  schedule_request request_;
  std::optional<schedule_kind> kind_;
  bool log_;
  mixed_number_bytes numbers_;
};

/// How many tapes of calls of the field are worth their memory, and what else is kept.
class call_planner {
 public:
  call_planner(const memory_costs& c, index budget, const schedule_request& r,
               std::optional<schedule_kind> kind, bool log)
      : with_([=](index calls) { return planner(c, budget, r, kind, log, calls); }),
        c_(c),
        kind_(kind) {}

  memory_plan best() const {
    if (c_.calls == 0) return with_(0).best();
    if (c_.kept_calls) return with_(std::min(*c_.kept_calls, saturated / c_.call)).best();
    const planner none = with_(0);
    const memory_plan plain = none.best();
    if (!none.known() || (kind_ && *kind_ != schedule_kind::binomial)) return of_half(none, plain);
    return of_known(none, plain);
  }

 private:
  /// Every step's tapes and what calls fit beside them, or a few calls of the step at hand.
  memory_plan of_known(const planner& none, memory_plan best) const {
    index least = none.calls_of(best);
    const auto consider = [&](index calls, bool tapes) {
      const planner p = with_(calls);
      if (!tapes && !p.holds(schedule_kind::binomial)) return;
      const memory_plan plan = tapes ? p.best() : p.bounded(schedule_kind::binomial);
      const index takes = p.calls_of(plan);
      if (takes < least) best = plan;
      least = std::min(least, takes);
    };
    const bool tapes = best.schedule == schedule_kind::store_all;
    if (tapes) consider(std::min(none.beside_tapes() / c_.call, *best.peak_tapes * c_.calls), true);
    for (index calls = 1; calls <= c_.calls; ++calls) consider(calls, false);
    return best;
  }

  /// Of a count that is not known, up to half of what is free, where kept tapes can have calls of theirs; else
  /// those of the step at hand, where that leaves some snapshots.
  memory_plan of_half(const planner& none, const memory_plan& plain) const {
    constexpr index some = 8;
    const index half = none.free() / 2 / c_.call;
    if (half >= c_.calls) {
      const planner p = with_(half);
      if (p.holds(plain.schedule))
        if (const memory_plan plan = p.best(); plan.schedule == schedule_kind::mixed) return plan;
    }
    const planner p = with_(c_.calls);
    return p.holds(plain.schedule, some) ? p.best() : plain;
  }

  std::function<planner(index)> with_;
  memory_costs c_;
  std::optional<schedule_kind> kind_;
};

}  // namespace

index tape_bytes(const memory_costs& c, index n) {
  const index blocks = n / 4096;
  return blocks * heap_bytes(4096 * c.tape) + heap_bytes(n % 4096 * c.tape) + 48 * (blocks + 1);
}

/// Those of every step whose tape a schedule may keep, and of the step at hand.
static index calls_beside(const memory_costs& c, schedule_kind kind, const schedule_request& r) {
  const index tapes = std::min(any_schedule(kind, r).tape_slots(), c.steps);
  return tapes >= unbounded / c.calls ? unbounded : (tapes + 1) * c.calls;
}

memory_plan plan_slots(const memory_costs& all, const schedule_request& given,
                       std::optional<schedule_kind> kind, bool log) {
  const memory_costs c = within_bound(all, given);
  schedule_request r = given;
  r.steps = c.steps;
  r.tape_units = tape_units_of(c);
  const schedule_kind chosen =
      kind.value_or(c.steps != unbounded ? schedule_kind::binomial : schedule_kind::online);
  return predicted(
      c, {.schedule = chosen,
          .request = r,
          .log_bytes = log ? unbounded : 0,
          .field_tapes = c.calls == 0 ? 0 : c.kept_calls.value_or(calls_beside(c, chosen, r)),
          .formula = c.log_step == 0,
          .work_bytes = c.work});
}

memory_plan plan_memory(const memory_costs& c, index budget, const schedule_request& r,
                        std::optional<schedule_kind> kind, bool log) {
  return call_planner(c, budget, r, kind, log).best();
}

}  // namespace revode
