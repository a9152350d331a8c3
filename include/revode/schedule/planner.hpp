// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <revode/schedule/all.hpp>
#include <revode/schedule/heap_bytes.hpp>

namespace revode {

/// What the parts of a gradient take, in bytes, and what is known about the loop beforehand.
struct memory_costs {
  index work = 0;           ///< there in any case: working carries and tape, cotangents, scratch
  index snapshot = 0;       ///< a snapshot, the arrays that it keeps outside itself included
  index tape = 0;           ///< a stored tape
  index log_step = 0;       ///< the log of a step; 0: it is a formula
  index log_most = 0;       ///< the log of as many steps as there can be
  index steps = unbounded;  ///< the count, where it is known beforehand
  index call = 0;           ///< a tape of a call of the field
  index calls = 0;  ///< a step makes so many that leave one; 0: the field, or the method, has none
  std::optional<index> kept_calls{};  ///< keep so many, not as many as pay
  bool tapes_resume = false;          ///< the carry after a step can be rebuilt from its tape
  index results = 0;  ///< of work: what a plain solve has as well, its save points and cuts
};

/// What to keep, and what that will take and cost. Counts are those of the first reverse pass; they
/// are there where the number of steps is known beforehand, for a mixed schedule up to 2^18 of them.
struct memory_plan {
  schedule_kind schedule = schedule_kind::binomial;
  schedule_request request{};
  index log_bytes = 0;    ///< the most that the log may take; 0: the controller replays
  index field_tapes = 0;  ///< tapes of calls of the field, at the most
  bool formula = false;   ///< the steps are a formula and need no log
  index work_bytes = 0;
  index bytes = unbounded;  ///< what is allocated at the most; unbounded: no budget was given
  std::optional<index> replays{};  ///< step evaluations after the first sweep
  std::optional<index> peak_states{};
  std::optional<index> peak_tapes{};
};

/// Bytes of n stored tapes: blocks of 4,096, in a table.
index tape_bytes(const memory_costs& c, index n);

/// What a schedule does for n steps: step evaluations after the first sweep, and the most that is
/// kept at once.
struct dry_run_counts {
  index replays = 0, peak_states = 0, peak_tapes = 0;
};

/// Obeys a schedule with integers. One of tapes without units records them all at once, as one.
/// cost    that of the schedule's actions; a bit a tape slot
dry_run_counts dry_run(any_schedule plan, index n);

/// What is kept without a budget: so many slots, and a log of every step or none.
memory_plan plan_slots(const memory_costs& c, const schedule_request& r,
                       std::optional<schedule_kind> kind, bool log);

/// What is kept within a budget: schedule and slots and, where calls of the field leave tapes, how many of
/// those: one spares a pull a call of three, a snapshot spares replays of one call a stage. Of a given
/// schedule only how many slots it gets is decided. The number of steps is no more than
/// request.max_steps, where that is above 0.
/// cost    bounded, whatever the number of steps
/// errors  std::invalid_argument: a budget below the least that will do, which the text names; one
///         for a schedule whose memory follows the number of steps
memory_plan plan_memory(const memory_costs& c, index budget, const schedule_request& r,
                        std::optional<schedule_kind> kind = {}, bool log = true);

/// The schedule for a further reverse pass, when the count is known: no online placement is needed
/// any more. A mixed one would take memory for its decisions, which a budget that did not know the
/// count does not have.
schedule_kind kind_for_known_count(const memory_plan& p);

/// "binomial, 12 slots; steps by a formula; at most 4096 bytes, 1760 of them to work in; 1583 steps
/// again"
std::string describe(const memory_plan& p);

}  // namespace revode
