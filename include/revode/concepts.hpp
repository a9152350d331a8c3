// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <revode/config.hpp>
#include <revode/status.hpp>

namespace revode {

/// Has the field of this system a mass matrix?
template <class System>
inline constexpr bool is_massive_v = requires {
  requires System::massive;
};

inline constexpr nothing no_mass{};

/// The types of a method over user states Y, and what they are when the method does not say:
///   state    differentiable; the shape of cotangents and tangents
///   memo     decides bits, is not differentiated (step history, where J was taken)
///   cache    rebuilt from state and memo by refresh, bit for bit; never stored
///   tape     what one step keeps of its stages; pull, push and interpolate read only this
///   record   what replay must not decide: at most 16 bytes, trivial
///   scratch  temporaries of pull, push and dense output: made once, no meaning between calls;
///            scratch::for_dense_output(y), where it is there, makes what dense output alone needs
///   seeds    cotangents that dense output gives to y_n and to the stages of a step
/// Each is an aggregate of fixed size, or has a constructor from a state of the right shape.
template <class Y>
struct default_types {
  using state = Y;
  using memo = nothing;
  using cache = nothing;
  using tape = nothing;
  using record = nothing;
  using scratch = nothing;
  using seeds = nothing;
  static constexpr bool asks_jacobian = false;  ///< the whole field's, as a matrix
  static constexpr bool asks_parts = false;     ///< of the field (split.hpp)
  /// Stages whose calls leave a tape, where the field has one (ad/field_tape.hpp).
  static constexpr int kept_calls = 0;
};

/// A method overrides them in a member `template <class Y> struct types : default_types<Y>`; a
/// family of methods that are data (explicit Runge–Kutta) specialises this instead.
template <class M, class Y>
struct method_types : M::template types<Y> {};

/// The mass matrix of a system's field, or nothing.
template <class System>
REVODE_HD const auto& mass_of(const System& sys) {
  if constexpr (is_massive_v<System>)
    return sys.mass;
  else
    return no_mass;
}

/// What must survive a step.
template <class M, class Y>
struct carry {
  typename method_types<M, Y>::state state;
  [[no_unique_address]] typename method_types<M, Y>::memo memo;
  [[no_unique_address]] typename method_types<M, Y>::cache cache;
};

/// What a method says of itself with members embedded_order, dense_order and multistep. The ends of
/// a multistep method move along the solution: dL/dt0 = −ȳ₀ᵀf(t0, y0), dL/dt1 = λᵀf(t1, y1).
template <class M>
inline constexpr bool has_estimate_v = requires {
  requires M::embedded_order >
  0;
};
template <class M>
inline constexpr bool has_dense_output_v = requires {
  requires M::dense_order >
  0;
};
template <class M>
inline constexpr bool is_multistep_v = requires {
  requires M::multistep;
};

/// The method's formula contains the Jacobian: an attempt may end in a status, and the method brings its own
/// controller. A family says so of its methods.
template <class M>
inline constexpr bool is_linearly_implicit_v = false;

/// The method takes fields with a mass matrix, M y' = f: at full order where M is singular, too. A family
/// says so of its methods.
template <class M>
inline constexpr bool takes_mass_v = false;

/// Also where elements of y are of index 2 or 3.
template <class M>
inline constexpr bool takes_index_v = false;

/// The method decides by numbers of all elements where it decides, and so takes states of which only a
/// part is here (state/whole.hpp). A family says so of its methods.
template <class M>
inline constexpr bool takes_spread_v = false;

/// The method was given no linear algebra, which explicit ones have no use for.
template <class M>
inline constexpr bool has_no_algebra = !requires(const M& m) {
  m.algebra;
};

/// What the controller decides the next attempt by: its length, and err² of the last two accepted
/// steps (that of the last with a minus sign after a rejection).
struct controller_state {
  double h = 0;
  double previous = 1;
  double before = 1;
};

/// A carry at rest: x_n, the loop's carry before step n. "One state" of a budget is one of these.
/// Replays by the controller start from `control`; those by a log do not read it.
template <class M, class Y>
struct snapshot {
  index step = 0;
  double t = 0;
  typename method_types<M, Y>::state state;
  [[no_unique_address]] typename method_types<M, Y>::memo memo;
  [[no_unique_address]] std::conditional_t<has_estimate_v<M>, controller_state, nothing> control{};

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.step);
    visit(self.t);
    visit(self.state);
    visit(self.memo);
    visit(self.control);
  }
};

/// What an attempt found: the square of the scaled error (≤ 1 is acceptable; 0 when the method has
/// no estimate), whether it could be computed at all, and the record for its replay.
template <class Record>
struct outcome {
  double error_squared = 0;
  status what = status::success;
  [[no_unique_address]] Record record{};
};

/// Derivatives with respect to a step's two end times, or the motion of those times.
template <class T>
struct step_ends {
  T t{0}, t_new{0};
};

/// Cotangents of θ and of the step length that dense output itself depends on (not its stages).
template <class T>
struct interpolation_bar {
  T theta{0}, h{0};
};

/// An object of type Part shaped like y. Aggregates are fixed in size and start as zeros (whether
/// one can be made from its first member is a matter of the compiler).
template <class Part, class Y>
REVODE_HD Part make_like(const Y& y) {
  if constexpr (std::same_as<Part, Y> ||
                (std::constructible_from<Part, const Y&> && !std::is_aggregate_v<Part>)) {
    return Part(y);
  } else {
    return Part{};
  }
}

/// The same of a method m: one whose parts depend on more than its type makes them itself.
template <class Part, class M, class Y>
REVODE_HD Part make_part([[maybe_unused]] const M& m, const Y& y) {
  if constexpr (requires { m.template make<Part>(y); })
    return m.template make<Part>(y);
  else
    return make_like<Part>(y);
}

/// A step at rest: its ends, the record for its replay and the method's tape. Whoever pulls, pushes
/// or resumes a step needs nothing else. Tapes of its calls of the field spare them a part of the work.
template <class M, class Y, class Calls = no_calls>
struct step_tape {
  using stages_type = typename method_types<M, Y>::tape;
  [[no_unique_address]] stages_type stages;
  double t, t_new;
  [[no_unique_address]] typename method_types<M, Y>::record record;
  [[no_unique_address]] Calls calls{};

  step_tape() = default;
  step_tape(const M& m, const Y& like)
      : stages(make_part<stages_type>(m, like)),
        t(0),
        t_new(0),
        record{} {}
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.t);
    visit(self.t_new);
    visit(self.record);
    visit(self.stages);
  }
};

template <class M, class Y>
REVODE_HD carry<M, Y> make_carry(const M& m, const Y& y) {
  using types = method_types<M, Y>;
  return {make_part<typename types::state>(m, y), make_part<typename types::memo>(m, y),
          make_part<typename types::cache>(m, y)};
}
template <class M, class Y>
REVODE_HD carry<M, Y> make_carry(const Y& y) {
  return make_carry(M{}, y);
}

// --- The functions of a method, found by argument-dependent lookup on its tag -------------------
// (sys is a `system`, tol a `tolerance`; t and t_new are double; w is the method's scratch)
//   attempt(m, sys, tol, t, t_new, carry, tape, next) -> outcome<record>
//       one trial step; fills tape and next, leaves carry's state and memo alone
//   replay(m, sys, t, t_new, record, carry, tape)
//       the same step again, in place, same bits; no norm, no test, no controller
//   pull(m, sys, t, t_new, record, tape, w, seeds*, state_bar, p_bar, ends*)
//       state_bar: cotangent of the new state in, of the old state out; adds to p_bar, ends.
//       Like push it calls report(sys, why) where a linear system is not solved
//   resume(m, sys, t, t_new, tape, carry)        optional: carry ← the carry after this step, from
//       its tape alone, without a call of the field, bit for bit
//   push(m, sys, t, t_new, record, tape, w, state_dot, p_dot, ends)
//       state_dot: tangent of the old state in, of the new state out
//   extend(m, sys, t, t_new, tape, w)            the stages that only dense output needs
//   interpolate(m, t, t_new, tape, w, theta, y)                       y(t + θ (t_new − t))
//   interpolate_rate(m, t, t_new, tape, w, theta, out)   dy/dθ, of methods that take spread states
//   pull_interpolate(m, t, t_new, tape, w, theta, y_bar, seeds*, bar)  adds; bar: θ and h alone
//   push_interpolate(m, t, t_new, tape, w, theta, theta_dot, ends, state_dot, y_dot)
//       w as push and push_extend left it; state_dot: tangent of the old state
// `next` comes as some earlier attempt left it: its cache is the one of its state and memo.
// A method without dense output (no member dense_order) takes no listed save points and needs none
// of the functions from extend on; its seeds are `nothing`.
// The ones below have defaults, right for a one-step method whose state is y itself.

/// carry ← the start (t, y), or with a mass matrix the consistent state there (consistent_start.hpp).
/// pull_begin takes the cotangent of that state back to y, p and t.
template <class M, class System, class Y, class Carry>
REVODE_HD void begin(const M& m, System& sys, double t, const Y& y, Carry& c) {
  c.state = y;
  if constexpr (is_massive_v<System>) make_consistent(sys, t, c.state);
  refresh(m, sys, t, c);
}
template <class M, class System, class State, class Y, class P, class T>
REVODE_HD void pull_begin(const M&, [[maybe_unused]] System& sys, [[maybe_unused]] double t,
                          [[maybe_unused]] const Y& y, const State& state_bar, Y& y_bar,
                          [[maybe_unused]] P& p_bar, [[maybe_unused]] T& t_bar) {
  if constexpr (is_massive_v<System>) {
    pull_consistent(sys, t, y, state_bar, y_bar, p_bar, t_bar);
  } else {
    auto* out = y_bar.data();
    const auto* in = state_bar.data();
    for (int i = 0; i < static_cast<int>(y_bar.size()); ++i) out[i] = out[i] + in[i];
  }
}
template <class M, class System, class Y, class P, class T, class State>
REVODE_HD void push_begin(const M&, [[maybe_unused]] System& sys, [[maybe_unused]] double t,
                          [[maybe_unused]] const Y& y, const Y& y_dot,
                          [[maybe_unused]] const P& p_dot, [[maybe_unused]] const T& t_dot,
                          State& state_dot) {
  if constexpr (is_massive_v<System>)
    push_consistent(sys, t, y, y_dot, p_dot, t_dot, state_dot);
  else
    state_dot = y_dot;
}

/// Rebuilds the cache after a restore, a jump or a stop.
template <class M, class System, class Carry>
REVODE_HD void refresh(const M&, System&, double, Carry&) {}

/// The user's y in a state, and the way back for its cotangent.
template <class M, class State>
REVODE_HD const State& value(const M&, const State& state) {
  return state;
}
template <class M, class Y, class State>
REVODE_HD void pull_value(const M&, const Y& y_bar, State& state_bar) {
  auto* out = state_bar.data();
  const auto* in = y_bar.data();
  for (int i = 0; i < static_cast<int>(y_bar.size()); ++i) out[i] = out[i] + in[i];
}
template <class M, class State>
REVODE_HD const State& push_value(const M&, const State& state_dot) {
  return state_dot;
}

/// The stages that only dense output needs, and their tangents: none.
template <class M, class System, class Tape, class Scratch>
REVODE_HD void extend(const M&, System&, double, double, const Tape&, Scratch&) {}
template <class M, class System, class Tape, class Scratch, class State, class P, class Ends>
REVODE_HD void push_extend(const M&, System&, double, double, const Tape&, Scratch&, const State&,
                           const P&, const Ends&) {}

/// The estimate falls as h^(order + 1).
template <class M>
REVODE_HD constexpr int estimate_order() {
  if constexpr (requires { M::estimate_order; })
    return M::estimate_order;
  else if constexpr (has_estimate_v<M>)
    return M::embedded_order;
  else
    return M::order;
}
template <class M>
REVODE_HD constexpr int estimate_order_of([[maybe_unused]] const M& m) {
  if constexpr (requires { m.falls(); })
    return m.falls();
  else
    return estimate_order<M>();
}

/// The factor on the length of the step just tried. A method of variable order brings its own and
/// may decide that, too: in `from` for another trial, in `next` after an accepted one (whose replay
/// has it from the record and from `next`'s memo).
template <class M, class Controller, class Memory, class Outcome, class Carry>
REVODE_HD double propose(const M& m, const Controller& controller, Memory& memory,
                         const Outcome& found, Carry&, Carry&) {
  return propose_factor(controller, memory, found.error_squared, estimate_order_of(m) + 1);
}

/// Can a loop go on behind a step whose tape is there, without running it?
template <class M, class System, class Y>
inline constexpr bool has_resume_v = requires(const M& m, System& sys,
                                              const typename step_tape<M, Y>::stages_type& tape,
                                              carry<M, Y>& c) {
  resume(m, sys, 0.0, 1.0, tape, c);
};
template <class M, class System, class Tape, class Carry>
REVODE_HD void resume_carry(const M& m, System& sys, double t, double t_new, const Tape& tape,
                            Carry& c) {
  resume(m, sys, t, t_new, tape, c);
}

template <class M>
concept method = requires {
  { M::name } -> std::convertible_to<const char*>;
  { M::order } -> std::convertible_to<int>;
};

}  // namespace revode
