// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include <revode/concepts.hpp>
#include <revode/problem.hpp>
#include <revode/solve/course/cuts.hpp>
#include <revode/solve/course/step_log.hpp>
#include <revode/solve/mass/consistent_start.hpp>
#include <revode/solve/system.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// A method on its way over the steps of a solve: where it is, its carry there and the one beside it, for
/// the step that is being tried. It makes steps, repeats and restores them; where they end is not its concern.
template <class M, class F, class Y, class P>
class march {
 public:
  using types = method_types<M, Y>;
  static_assert([] {
    if constexpr (types::asks_jacobian && !has_parts_v<F, Y, P>)
      return field_with_jacobian<derivatives<F, Y, P>::has_jacobian>::there;
    return true;
  }());
  static_assert(
      !is_spread_v<Y> || takes_spread_v<M>,
      "a method that takes no state spread over ranks (its decisions, or its linear "
      "systems, are of all elements) take an explicit one, tsit5 or rock4, or kencarp4 by "
      "products alone, with_algebra<kencarp4, gmres<>>?");
  static_assert(
      !has_mass_v<F> || takes_mass_v<M>,
      "a field with a mass matrix for a method that takes none (M y' = f needs systems with M, "
      "never products alone, and an order that holds for algebraic equations) take rodas5p?");
  static_assert(
      !has_mass_v<F> || !says_higher_index_v<F> || takes_index_v<M>,
      "a field with an index() above 1 for a method that weighs all elements alike (its "
      "estimates and Newton's iteration would see what steps do to them) take radau_iia5, "
      "or differentiate the algebraic equations by t?");
  using carry_type = carry<M, Y>;
  /// Steps have the tapes of their calls with them.
  static constexpr bool keeps_calls = system<F, Y, P>::keeps_calls && types::kept_calls > 0;
  using calls_type = std::conditional_t<keeps_calls, kept_calls<types::kept_calls>, no_calls>;
  using tape_type = step_tape<M, Y, calls_type>;
  using scratch_type = typename types::scratch;
  using snapshot_type = snapshot<M, Y>;
  using log_type = step_log<typename types::record>;
  using control_type = decltype(snapshot_type::control);

  /// tapes: of calls of the field, so many at most
  march(const F& f, const P& p, const M& m, const Y& y, double t_start, index tapes)
      : sys(f, p),
        method(m),
        y0(y),
        t(t_start),
        carries_{make_carry(m, y), make_carry(m, y)},
        scratch_(first_scratch(m, y)) {
    sys.allow_tapes(tapes, y);
    if constexpr (has_mass_v<F>) hold_jacobians(algebra_of(m), sys);
    if constexpr (has_index_v<F> && !takes_index_v<M>)
      if (sys.mass.has_higher_index()) mass_matrix::refuse_method(m.name);
  }
  march(const march&) = delete;
  march& operator=(const march&) = delete;

  carry_type& now() { return carries_[current_]; }
  const carry_type& now() const { return carries_[current_]; }
  /// That of the step just tried; once it is taken, that before it.
  carry_type& beside() { return carries_[1 - current_]; }
  struct both_carries {
    const carry_type &now, &beside;
  };
  both_carries carries() const { return {now(), carries_[1 - current_]}; }
  const Y& y() const { return value(method, now().state); }
  const Y& y_tried() { return value(method, beside().state); }

  /// Unless it is flat, made when it is first asked for: a solve never does.
  scratch_type& scratch() const {
    if constexpr (flat_scratch) {
      return scratch_;
    } else {
      if (!whole_scratch_) {
        scratch_.emplace(make_part<scratch_type>(method, y0));
        whole_scratch_ = true;
      }
      return *scratch_;
    }
  }
  /// The same where dense output alone is wanted, for save points inside steps and for events: of what
  /// pulls and pushes use only that.
  scratch_type& scratch_of_dense() const {
    if constexpr (!flat_scratch && requires { method.for_dense_output(y0); }) {
      if (!scratch_) scratch_.emplace(method.for_dense_output(y0));
      return *scratch_;
    } else if constexpr (!flat_scratch && requires { scratch_type::for_dense_output(y0); }) {
      if (!scratch_) scratch_.emplace(scratch_type::for_dense_output(y0));
      return *scratch_;
    } else {
      return scratch();
    }
  }
  /// Dense output of the step on a tape: `extended` first.
  void extended(const tape_type& tape) {
    extend(method, sys, tape.t, tape.t_new, tape.stages, scratch_of_dense());
  }
  void inside(const tape_type& tape, double theta, Y& y) const {
    interpolate(method, tape.t, tape.t_new, tape.stages, scratch_of_dense(), theta, y);
  }

  /// The method begins at t from y.
  void begin_at(double at, const Y& y) {
    fill_first();
    begin(method, sys, at, y, now());
  }
  /// Tries a step to t_new.
  REVODE_FORCE(gnu::always_inline)
  auto try_step(const tolerance& tol, double t_new, tape_type& tape) {
    fill(tape.calls);
    return attempt(method, sys, tol, t, t_new, now(), tape.stages, beside());
  }
  /// Why the method could not begin, if it could not.
  status trouble_of_start() {
    if constexpr (has_mass_v<F>) return std::exchange(sys.counts.trouble, status::success);
    return status::success;
  }
  /// The step tried, to t_new, becomes the last one.
  void take(double t_new, const calls_type& calls) {
    keep_last(calls);
    current_ = 1 - current_;
    t_before_ = t;
    t = t_new;
    ++position;
  }

  void save(std::optional<snapshot_type>& slot, const control_type& control) const {
    save(slot, position, t, now(), control);
  }
  /// The carry before the step just taken: the other one, until the next trial.
  void save_previous(std::optional<snapshot_type>& slot, const control_type& control) const {
    save(slot, position - 1, t_before_, carries_[1 - current_], control);
  }
  void load(const snapshot_type& s) {
    position = s.step;
    t = s.t;
    now().state = s.state;
    now().memo = s.memo;
  }
  void refresh_cache() {
    fill_first();
    refresh(method, sys, t, now());
  }
  /// To the end of step i, whose tape this is, without a call of the field.
  void resume(index i, const tape_type& tape) {
    position = i + 1;
    t = tape.t_new;
    keep_last(tape.calls);
    resume_carry(method, sys, tape.t, t, tape.stages, now());
  }

  /// Repeats the steps up to number `to`, in one stretch, as the log knows them.
  void replay_logged(const log_type& log, const cut_list& cuts, index to, tape_type& tape) {
    // Beside an iteration, which leaves a record, a call is nothing, and its code is long.
    if constexpr (std::is_trivially_copyable_v<carry_type> &&
                  std::is_same_v<typename types::record, nothing>)
      replay_in_registers(log, cuts, to, tape);
    else
      replay_from(log, cuts, to, tape, now());
  }

  system<F, Y, P> sys;
  const M method;
  const Y y0;
  double t;
  index position = 0;

 private:
  friend struct kept_parts;
  /// The calls of the step that is made next leave their tapes there.
  void fill([[maybe_unused]] calls_type& calls) {
    if constexpr (keeps_calls) {
      if constexpr (types::last_call_is_first) calls.of[0] = sys.calls.first;
      sys.calls.fills = calls.of;
    }
  }
  /// The next call is that of the first stage of the step from here.
  void fill_first() {
    if constexpr (keeps_calls) sys.calls.fills = &sys.calls.first;
  }
  /// The last call of the step with these has become the first of the next.
  void keep_last([[maybe_unused]] const calls_type& calls) {
    if constexpr (keeps_calls)
      if constexpr (types::last_call_is_first) sys.calls.first = calls.of[calls_type::count - 1];
  }

  static constexpr bool flat_scratch = std::is_trivially_copyable_v<scratch_type>;
  using lazy_scratch = std::conditional_t<flat_scratch, scratch_type, std::optional<scratch_type>>;
  static lazy_scratch first_scratch([[maybe_unused]] const M& m, [[maybe_unused]] const Y& like) {
    if constexpr (flat_scratch)
      return make_part<scratch_type>(m, like);
    else
      return {};
  }

  static void save(std::optional<snapshot_type>& slot, index step, double t, const carry_type& c,
                   const control_type& control) {
    if (!slot) {
      slot.emplace(snapshot_type{step, t, c.state, c.memo, control});
    } else {  // member by member: a slot that is used again allocates nothing
      slot->step = step;
      slot->t = t;
      slot->state = c.state;
      slot->memo = c.memo;
      slot->control = control;
    }
  }

#if !defined(__CUDACC__)
  [[gnu::flatten, gnu::aligned(64)]]  // small states then stay in registers from step to step
#endif
  void
  replay_in_registers(const log_type& log, const cut_list& cuts, index to, tape_type& tape) {
    carry_type c = now();
    replay_from(log, cuts, to, tape, c);
    now() = c;
  }

  void replay_from(const log_type& log, const cut_list& cuts, index to, tape_type& tape,
                   carry_type& c) {
    const index extra = cuts.extra();
    double from = t, t_new = t;
    const auto again = [&](index i, double end, auto& stages) __attribute__((always_inline)) {
      from = t_new;
      t_new = end;
      fill(tape.calls);
      replay(method, sys, from, t_new, log.record(i), c, stages);
      keep_last(tape.calls);
    };
    if constexpr (std::is_trivially_copyable_v<tape_type>) {
      decltype(tape.stages) unread;  // only the last step's tape is: the others never reach memory
      for (index i = position; i + 1 < to; ++i) again(i, log.end(i, t_new, extra), unread);
    } else {
      for (index i = position; i + 1 < to; ++i) again(i, log.end(i, t_new, extra), tape.stages);
    }
    const bool cut = to == cuts.cut_after();
    again(to - 1, cut ? cuts.next_cut().end : log.end(to - 1, t_new, extra), tape.stages);
    tape.t = from;
    tape.t_new = t = t_new;
    tape.record = log.record(to - 1);
    position = to;
  }

  carry_type carries_[2];
  [[no_unique_address]] mutable lazy_scratch scratch_;
  mutable bool whole_scratch_ = false;
  double t_before_ = 0;
  int current_ = 0;
};

}  // namespace revode
