// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include <revode/any/boxed_part.hpp>
#include <revode/problems/erased_massive_field.hpp>
#include <revode/solve/controller.hpp>
#include <revode/solve/error_norm.hpp>

namespace revode::compiled {

// A method that is chosen while a program runs. What drives a method (steps, events, save points, schedules,
// reverse passes) is compiled once for all methods of the same traits, and of a method its own formulas.

/// What loops are compiled for.
struct method_traits {
  bool estimate = false;         ///< of its error
  bool resumes = false;          ///< from tapes alone, and has no memo
  std::size_t record_bytes = 0;  ///< at most, of an accepted step

  bool operator==(const method_traits&) const = default;
};
// For these there are loops.
inline constexpr method_traits without_estimate{.resumes = true};
inline constexpr method_traits resuming{.estimate = true, .resumes = true};
inline constexpr method_traits recording{.estimate = true, .record_bytes = 16};

using plain_system = system<erased_field, vector, vector>;
using massive_system = system<erased_massive_field, vector, vector>;

/// What a method remembers of an accepted step.
template <std::size_t Bytes>
struct erased_record {
  std::array<double, Bytes / sizeof(double)> of{};  // aligned as records are
};

/// A carry of an erased method, whose state is y itself; memo: null where it has none.
struct carry_parts {
  vector& state;
  boxed_part<part_kind::memo>* memo;
  boxed_part<part_kind::cache>& cache;
};
using tape_part = boxed_part<part_kind::tape>;
using scratch_part = boxed_part<part_kind::scratch>;
using seeds_part = boxed_part<part_kind::seeds>;

template <class System>
struct problem_of_system;
template <class F>
struct problem_of_system<system<F, vector, vector>> {
  using type = problem<const F&, vector, vector>;
};

/// The functions of a method (concepts.hpp) over a system.
template <class System>
class method_functions {
 public:
  using ends_type = step_ends<double>;
  using problem_type = typename problem_of_system<System>::type;
  virtual ~method_functions() = default;

  virtual void do_check(const problem_type& q) const = 0;
  virtual auto make(part_kind kind, const vector& like) const -> std::unique_ptr<held_part> = 0;
  virtual void do_begin(System& sys, double t, const vector& y, carry_parts c) const = 0;
  virtual void do_pull_begin(System& sys, double t, const vector& y, const vector& state_bar,
                             vector& y_bar, vector& p_bar, double& t_bar) const = 0;
  virtual void do_push_begin(System& sys, double t, const vector& y, const vector& y_dot,
                             const vector& p_dot, double t_dot, vector& state_dot) const = 0;
  virtual void do_refresh(System& sys, double t, carry_parts c) const = 0;
  /// The record goes to `record`, of the traits' bytes.
  virtual auto do_attempt(System& sys, const tolerance& tol, double t, double t_new,
                          carry_parts from, tape_part& tape, carry_parts next,
                          std::byte* record) const -> outcome<nothing> = 0;
  virtual double do_propose(const pid_controller& controller, controller_memory& memory,
                            const outcome<nothing>& found, const std::byte* record,
                            carry_parts from, carry_parts next) const = 0;
  virtual void do_replay(System& sys, double t, double t_new, const std::byte* record,
                         carry_parts c, tape_part& tape) const = 0;
  virtual void do_resume(System& sys, double t, double t_new, const tape_part& tape,
                         carry_parts c) const = 0;
  virtual void do_pull(System& sys, double t, double t_new, const std::byte* record,
                       const tape_part& tape, scratch_part& w, const seeds_part* seeds,
                       vector& state_bar, vector& p_bar, ends_type* ends) const = 0;
  virtual void do_push(System& sys, double t, double t_new, const std::byte* record,
                       const tape_part& tape, scratch_part& w, vector& state_dot,
                       const vector& p_dot, const ends_type& ends) const = 0;
  virtual void do_extend(System& sys, double t, double t_new, const tape_part& tape,
                         scratch_part& w) const = 0;
  virtual void do_interpolate(double t, double t_new, const tape_part& tape, const scratch_part& w,
                              double theta, vector& y) const = 0;
  virtual void do_pull_interpolate(double t, double t_new, const tape_part& tape,
                                   const scratch_part& w, double theta, const vector& y_bar,
                                   seeds_part* seeds, interpolation_bar<double>& bar) const = 0;
  virtual void do_push_extend(System& sys, double t, double t_new, const tape_part& tape,
                              scratch_part& w, const vector& state_dot, const vector& p_dot,
                              const ends_type& ends) const = 0;
  virtual void do_push_interpolate(double t, double t_new, const tape_part& tape,
                                   const scratch_part& w, double theta, double theta_dot,
                                   const ends_type& ends, const vector& state_dot,
                                   vector& out) const = 0;
};

/// What a method computes over systems of this type. Empty where it does nothing for them.
template <class System>
struct erased_functions {
  method_traits traits{};
  int estimate_falls = 0;  ///< as h^(this + 1)
  std::shared_ptr<const method_functions<System>> of{};
};

/// A method of these traits over systems of this type.
template <class System, method_traits Traits>
struct erased_method {
  const char* name;
  int order, estimate_falls;
  std::shared_ptr<const method_functions<System>> functions;
  static constexpr int dense_order = 1;  ///< there is dense output

  int falls() const { return estimate_falls; }
  auto for_dense_output(const vector& like) const {
    return scratch_part(functions->make(part_kind::scratch_of_dense, like));
  }
  template <class Part>
  auto make(const vector& like) const -> Part requires requires {
    Part::kind;
  }
  { return Part(functions->make(Part::kind, like)); }
};

}  // namespace revode::compiled

namespace revode {

template <class System, compiled::method_traits Traits>
inline constexpr bool has_estimate_v<compiled::erased_method<System, Traits>> = Traits.estimate;

/// Whoever erases a method for systems with a mass matrix says that it takes them; index is looked at by its check.
template <class F, compiled::method_traits Traits>
requires has_mass_v<F>
inline constexpr bool
    takes_mass_v<compiled::erased_method<system<F, compiled::vector, compiled::vector>, Traits>> =
        true;
template <class F, compiled::method_traits Traits>
requires has_mass_v<F>
inline constexpr bool
    takes_index_v<compiled::erased_method<system<F, compiled::vector, compiled::vector>, Traits>> =
        true;

template <class System, compiled::method_traits Traits>
struct method_types<compiled::erased_method<System, Traits>, compiled::vector>
    : default_types<compiled::vector> {
  using memo =
      std::conditional_t<Traits.resumes, nothing, compiled::boxed_part<compiled::part_kind::memo>>;
  using cache = compiled::boxed_part<compiled::part_kind::cache>;
  using tape = compiled::tape_part;
  using record = std::conditional_t<Traits.record_bytes == 0, nothing,
                                    compiled::erased_record<Traits.record_bytes>>;
  using scratch = compiled::scratch_part;
  using seeds = compiled::seeds_part;
};

}  // namespace revode

namespace revode::compiled {

/// The parts of a carry. What only reads one lends its parts to the method and has them back as they were.
template <class Carry>
carry_parts parts_of(const Carry& c) {
  auto& own = const_cast<Carry&>(c);
  if constexpr (std::is_empty_v<decltype(own.memo)>)
    return {own.state, nullptr, own.cache};
  else
    return {own.state, &own.memo, own.cache};
}
template <class Record>
const std::byte* bytes_of_record(const Record& record) {
  if constexpr (std::is_empty_v<Record>)
    return nullptr;
  else
    return reinterpret_cast<const std::byte*>(record.of.data());
}
template <class Record>
std::byte* bytes_of_record(Record& record) {
  return const_cast<std::byte*>(bytes_of_record(std::as_const(record)));
}

template <class System, method_traits T, class F>
void check_problem(const erased_method<System, T>& m, const problem<F, vector, vector>& q) {
  m.functions->do_check({q.f, q.y0, q.t0, q.t1, q.p});
}
template <class System, method_traits T, class Carry>
void begin(const erased_method<System, T>& m, System& sys, double t, const vector& y, Carry& c) {
  m.functions->do_begin(sys, t, y, parts_of(c));
}
template <class System, method_traits T>
void pull_begin(const erased_method<System, T>& m, System& sys, double t, const vector& y,
                const vector& state_bar, vector& y_bar, vector& p_bar, double& t_bar) {
  m.functions->do_pull_begin(sys, t, y, state_bar, y_bar, p_bar, t_bar);
}
template <class System, method_traits T>
void push_begin(const erased_method<System, T>& m, System& sys, double t, const vector& y,
                const vector& y_dot, const vector& p_dot, const double& t_dot, vector& state_dot) {
  m.functions->do_push_begin(sys, t, y, y_dot, p_dot, t_dot, state_dot);
}
template <class System, method_traits T, class Carry>
void refresh(const erased_method<System, T>& m, System& sys, double t, Carry& c) {
  m.functions->do_refresh(sys, t, parts_of(c));
}
template <class System, method_traits T, class Carry>
auto attempt(const erased_method<System, T>& m, System& sys, const tolerance& tol, double t,
             double t_new, const Carry& from, tape_part& tape, Carry& next) {
  outcome<typename method_types<erased_method<System, T>, vector>::record> found;
  const outcome<nothing> of = m.functions->do_attempt(
      sys, tol, t, t_new, parts_of(from), tape, parts_of(next), bytes_of_record(found.record));
  found.error_squared = of.error_squared;
  found.what = of.what;
  return found;
}
template <class System, method_traits T, class Outcome, class Carry>
double propose(const erased_method<System, T>& m, const pid_controller& controller,
               controller_memory& memory, const Outcome& found, Carry& from, Carry& next) {
  return m.functions->do_propose(controller, memory, {found.error_squared, found.what},
                                 bytes_of_record(found.record), parts_of(from), parts_of(next));
}
template <class System, method_traits T, class Record, class Carry>
void replay(const erased_method<System, T>& m, System& sys, double t, double t_new,
            const Record& record, Carry& c, tape_part& tape) {
  m.functions->do_replay(sys, t, t_new, bytes_of_record(record), parts_of(c), tape);
}
template <class System, method_traits T, class Carry>
requires(T.resumes) void resume(const erased_method<System, T>& m, System& sys, double t,
                                double t_new, const tape_part& tape, Carry& c) {
  m.functions->do_resume(sys, t, t_new, tape, parts_of(c));
}
template <class System, method_traits T, class Record>
void pull(const erased_method<System, T>& m, System& sys, double t, double t_new,
          const Record& record, const tape_part& tape, scratch_part& w, const seeds_part* seeds,
          vector& state_bar, vector& p_bar, step_ends<double>* ends) {
  m.functions->do_pull(sys, t, t_new, bytes_of_record(record), tape, w, seeds, state_bar, p_bar,
                       ends);
}
template <class System, method_traits T, class Record>
void push(const erased_method<System, T>& m, System& sys, double t, double t_new,
          const Record& record, const tape_part& tape, scratch_part& w, vector& state_dot,
          const vector& p_dot, const step_ends<double>& ends) {
  m.functions->do_push(sys, t, t_new, bytes_of_record(record), tape, w, state_dot, p_dot, ends);
}
template <class System, method_traits T>
void extend(const erased_method<System, T>& m, System& sys, double t, double t_new,
            const tape_part& tape, scratch_part& w) {
  m.functions->do_extend(sys, t, t_new, tape, w);
}
template <class System, method_traits T>
void interpolate(const erased_method<System, T>& m, double t, double t_new, const tape_part& tape,
                 const scratch_part& w, double theta, vector& y) {
  m.functions->do_interpolate(t, t_new, tape, w, theta, y);
}
template <class System, method_traits T>
void pull_interpolate(const erased_method<System, T>& m, double t, double t_new,
                      const tape_part& tape, const scratch_part& w, double theta,
                      const vector& y_bar, seeds_part* seeds, interpolation_bar<double>& bar) {
  m.functions->do_pull_interpolate(t, t_new, tape, w, theta, y_bar, seeds, bar);
}
template <class System, method_traits T>
void push_extend(const erased_method<System, T>& m, System& sys, double t, double t_new,
                 const tape_part& tape, scratch_part& w, const vector& state_dot,
                 const vector& p_dot, const step_ends<double>& ends) {
  m.functions->do_push_extend(sys, t, t_new, tape, w, state_dot, p_dot, ends);
}
template <class System, method_traits T>
void push_interpolate(const erased_method<System, T>& m, double t, double t_new,
                      const tape_part& tape, const scratch_part& w, double theta, double theta_dot,
                      const step_ends<double>& ends, const vector& state_dot, vector& out) {
  m.functions->do_push_interpolate(t, t_new, tape, w, theta, theta_dot, ends, state_dot, out);
}

}  // namespace revode::compiled
