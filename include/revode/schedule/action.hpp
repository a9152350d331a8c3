// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include <revode/config.hpp>

namespace revode {

/// What a schedule may ask of the driver of a loop x_{i+1} = step_i(x_i). Integers only: a schedule
/// never sees a carry, so its decisions depend on step counts and slot counts, never on data.
///
///   advance   run steps from..to-1 and keep no tape but the last one's, in the work tape
///   record    run them; the tape of step i goes to tape slot (slot + i - from) mod tape_slots(), in
///             place of what that held, or to the work tape when slot == work (the last one's stays)
///   snapshot  the working carry is x_from: store it in an empty snapshot slot. In the first sweep
///             it may also be x_{from+1} while step `from` is in the work tape
///   restore   load x_from from its snapshot slot, which keeps its content
///   drop      empty a snapshot slot
///   move      x_from goes from its snapshot slot to the empty one numbered `to`
///   resume    the working carry becomes x_from, rebuilt without a step from the tape of step
///             from-1 in a tape slot, which keeps it
///   discard   empty a tape slot, and free its memory
///   pull      the adjoint of step `from`, from its tape slot (then empty) or from the work tape
///   done      every step has been pulled and every slot is empty
enum class op : std::uint8_t {
  advance,
  record,
  snapshot,
  restore,
  drop,
  move,
  resume,
  discard,
  pull,
  done
};

/// "Until the loop ends": a step count or a slot count that is not known yet.
inline constexpr index unbounded = std::numeric_limits<index>::max();

/// The one tape that every loop has anyway; never counted as a slot.
inline constexpr index work = -1;

/// One action. Only advance, record and move use `to`; all but advance and done use `slot`.
struct action {
  op what = op::done;
  index from = 0;
  index to = 0;
  index slot = work;
  friend constexpr bool operator==(const action&, const action&) = default;
};

/// A source of actions: the driver executes what next() returns until it returns done.
///
/// The first sweep runs the loop for real. When it has ended after n steps the driver calls
/// finalize(n), exactly once, and goes on calling next(). It may do so as soon as step n-1 has run,
/// or when an advance or record found nothing left to run: both of these just end at n when their
/// `to` lies beyond it.
/// The tape of the last step of the first sweep is then where the action that ran it left it: in
/// its tape slot, or in the work tape (an advance, too), so that `pull {n-1, work}` is legal.
/// Pulls visit n-1, ..., 0, once each, and every slot is empty at done.
/// snapshot_slots() and tape_slots() bound the slot numbers used, or are `unbounded`.
template <class S>
concept schedule = requires(S s, const S c, index n) {
  { s.next() } -> std::same_as<action>;
  s.finalize(n);
  { c.snapshot_slots() } -> std::same_as<index>;
  { c.tape_slots() } -> std::same_as<index>;
};

/// What a schedule may promise besides, in members of these names: after each action
///   live snapshots + tape_units() · live tapes <= units()
template <class S>
constexpr index units(const S& plan) {
  if constexpr (requires { plan.units(); })
    return plan.units();
  else
    return unbounded;
}
template <class S>
constexpr index tape_units(const S& plan) {
  if constexpr (requires { plan.tape_units(); })
    return plan.tape_units();
  else
    return 0;
}

/// Snapshot slots 0..slow_slots()-1 may lie in slower memory; they are the ones used least.
template <class S>
constexpr index slow_slots(const S& plan) {
  if constexpr (requires { plan.slow_slots(); })
    return plan.slow_slots();
  else
    return 0;
}

inline const char* name(op what) {
  switch (what) {
    case op::advance: return "advance";
    case op::record: return "record";
    case op::snapshot: return "snapshot";
    case op::restore: return "restore";
    case op::drop: return "drop";
    case op::move: return "move";
    case op::resume: return "resume";
    case op::discard: return "discard";
    case op::pull: return "pull";
    case op::done: return "done";
  }
  return "?";
}

/// "record 3..5 in slot 0", "drop slot 1", for messages and listings.
inline std::string describe(const action& a) {
  const std::string text = name(a.what);
  const std::string slot = a.slot == work ? "work" : "slot " + std::to_string(a.slot);
  const std::string from = " " + std::to_string(a.from);
  switch (a.what) {
    case op::advance:
    case op::record: {
      const std::string to = a.to == unbounded ? "end" : std::to_string(a.to);
      return text + from + ".." + to + (a.what == op::record ? " in " + slot : "");
    }
    case op::snapshot: return text + from + " to " + slot;
    case op::move: return text + from + " from " + slot + " to slot " + std::to_string(a.to);
    case op::restore:
    case op::resume:
    case op::pull: return text + from + " from " + slot;
    case op::drop:
    case op::discard: return text + " " + slot;
    case op::done: break;
  }
  return text;
}

}  // namespace revode
