// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <revode/config.hpp>
#include <revode/schedule/kind.hpp>
#include <revode/solve/course/step_replay.hpp>

namespace revode {

/// The exact discrete adjoint in bounded memory. Which bits come out does not depend on any of
/// these choices; how much is recomputed does.
///   slots      states kept at once, the initial one counted (default 100)
///   budget     all that the gradient may allocate, in bytes, from the start of the solve to the end
///              of the pullback: working carries and tapes, cotangents, snapshots, stored tapes, log,
///              the solution and the gradient themselves. Not counted: this object, what the field
///              (or the recording of its derivative) allocates. Give one of the two
///   schedule   unset: binomial where the number of steps is known beforehand (equal steps),
///              online otherwise; with a budget, what fits best (schedule/planner.hpp)
///     binomial     optimal for the slots, after one more sweep where the count is not known
///     online       a few per cent above that optimum, without that sweep; so do online_seeded and
///                  wang_moin. A second pullback knows the count, and is binomial's
///     store_all    every step's stages, no recomputation, no log
///     store_states every state, each step once more
///     nested       Diffrax's bounded loop, `base` iterations a level, options.max_steps its bound
///     the others   see their headers
///   log        how replays know the steps: from a log, or by the controller, which repeats the
///              rejected attempts as well (they are counted, never differentiated)
///   interval   periodic: steps between snapshots, 0: chosen
///   events     with a budget: how many occurrences of located events it has room for (stops and timed
///              events are known beforehand). Further ones are found and differentiated all the same,
///              and their log, of which reverse_statistics::log_bytes tells, comes on top
///   field_tapes  how many calls of the field leave a tape at once, where the field can (has_tape: a
///              network's activations), which spares its vjp the forward pass. Unset: those of the step at
///              hand and of the steps whose tapes the schedule keeps; with a budget what fits and pays.
///              Of explicit Runge–Kutta methods; the others keep none
///   slow_slots two_tier: how many of the slots lie in the slow pool
///   spill      folder of the slow pool's file; empty: the slow pool is memory
struct recursive_checkpoint {
  std::optional<index> slots{};
  std::optional<index> budget{};
  std::optional<schedule_kind> schedule{};
  step_replay log = step_replay::automatic;
  index base = 16;
  index interval = 0;
  std::optional<index> field_tapes{};
  index slow_slots = 0;
  std::string spill{};
  index events = 32;

  static constexpr const char* name = "recursive_checkpoint";
  static constexpr bool exact = true;
  static constexpr index default_slots = 100;
};

}  // namespace revode
