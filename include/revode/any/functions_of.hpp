// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include <revode/any/entry_of.hpp>
#include <revode/any/erased_method.hpp>

namespace revode::compiled {

/// The traits of a method over a system, and whether it can be erased: it makes single steps of y, and has
/// dense output.
template <class M, class System>
struct traits_of {
  using types = method_types<M, vector>;
  static constexpr bool resumes = has_resume_v<M, System, vector>;
  /// What does not resume has room for a record.
  static constexpr method_traits value{.estimate = has_estimate_v<M>,
                                       .resumes = resumes,
                                       .record_bytes = resumes ? 0 : recording.record_bytes};
  static constexpr bool erasable =
      std::is_same_v<typename types::state, vector> && has_dense_output_v<M> &&
      !is_multistep_v<M> && std::is_trivially_copyable_v<typename types::record> &&
      (std::is_empty_v<typename types::record> ||
       sizeof(typename types::record) <= value.record_bytes) &&
      (value == resuming || value == recording || (value == without_estimate && !System::massive));
  static_assert(!erasable || !resumes || std::is_empty_v<typename types::memo>);
};

/// The cache of M, in a carry whose other parts are empty.
template <class M>
struct kept_cache {
  carry<M, vector> of;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.of.cache);
  }
  template <class Visit>
  void temporaries(Visit&& visit) const requires requires {
    of.cache.temporaries(visit);
  }
  { of.cache.temporaries(visit); }
};

/// A carry of M that has state and memo of an erased one as long as it lives; its cache is always its own.
template <class M>
class lent_carry {
 public:
  explicit lent_carry(carry_parts from)
      : from_(from),
        own_(from.cache.template as<kept_cache<M>>().of) {
    exchange();
  }
  ~lent_carry() { exchange(); }
  lent_carry(const lent_carry&) = delete;
  lent_carry& operator=(const lent_carry&) = delete;
  auto& operator*() { return own_; }

 private:
  using carry_type = carry<M, vector>;
  using memo_type = typename method_types<M, vector>::memo;
  void exchange() noexcept {
    own_.state.swap(from_.state);
    if constexpr (!std::is_empty_v<memo_type>)
      std::swap(own_.memo, from_.memo->template as<memo_type>());
  }
  carry_parts from_;
  carry_type& own_;
};

/// Those of M.
template <class M, class System>
class functions_of final : public method_functions<System> {
  using types = method_types<M, vector>;
  using record_type = typename types::record;
  using memo_type = typename types::memo;
  using tape_type = typename types::tape;
  using scratch_type = typename types::scratch;
  using seeds_type = typename types::seeds;
  using ends_type = step_ends<double>;

 public:
  explicit functions_of(const M& m) : m_(m) {}

  auto make(part_kind kind, const vector& like) const -> std::unique_ptr<held_part> override {
    const matrix_shape shape = shape_of(algebra_of(m_), like.size());
    const auto held = [&shape]<class Part>(Part part) -> std::unique_ptr<held_part> {
      return std::make_unique<held_part_of<Part>>(std::move(part), shape);
    };
    switch (kind) {
      case part_kind::memo: return held(make_part<memo_type>(m_, like));
      case part_kind::cache: {
        kept_cache<M> c{make_carry(m_, like)};
        c.of.state = vector();
        c.of.memo = memo_type();
        return held(std::move(c));
      }
      case part_kind::tape: return held(make_part<tape_type>(m_, like));
      case part_kind::scratch: return held(make_part<scratch_type>(m_, like));
      case part_kind::scratch_of_dense:
        if constexpr (requires { scratch_type::for_dense_output(like); })
          return held(scratch_type::for_dense_output(like));
        return held(make_part<scratch_type>(m_, like));
      default: return held(make_part<seeds_type>(m_, like));
    }
  }
  void do_check(const typename method_functions<System>::problem_type& q) const override {
    check_problem(m_, q);
    if constexpr (System::massive && !takes_index_v<M>)
      if (System(q.f, q.p).mass.has_higher_index()) mass_matrix::refuse_method(M::name);
  }
  void do_begin(System& sys, double t, const vector& y, carry_parts c) const override {
    begin(m_, sys, t, y, *lent_carry<M>(c));
  }
  void do_pull_begin(System& sys, double t, const vector& y, const vector& state_bar, vector& y_bar,
                     vector& p_bar, double& t_bar) const override {
    pull_begin(m_, sys, t, y, state_bar, y_bar, p_bar, t_bar);
  }
  void do_push_begin(System& sys, double t, const vector& y, const vector& y_dot,
                     const vector& p_dot, double t_dot, vector& state_dot) const override {
    push_begin(m_, sys, t, y, y_dot, p_dot, t_dot, state_dot);
  }
  void do_refresh(System& sys, double t, carry_parts c) const override {
    refresh(m_, sys, t, *lent_carry<M>(c));
  }
  auto do_attempt(System& sys, const tolerance& tol, double t, double t_new, carry_parts from,
                  tape_part& tape, carry_parts next, std::byte* record) const
      -> outcome<nothing> override {
    lent_carry<M> lent_from(from), lent_next(next);
    const auto found = attempt(m_, sys, tol, t, t_new, std::as_const(*lent_from),
                               tape.as<tape_type>(), *lent_next);
    if constexpr (!std::is_empty_v<record_type>)
      std::memcpy(record, &found.record, sizeof(record_type));
    return {found.error_squared, found.what};
  }
  double do_propose(const pid_controller& controller, controller_memory& memory,
                    const outcome<nothing>& found, const std::byte* record, carry_parts from,
                    carry_parts next) const override {
    const outcome<record_type> of{found.error_squared, found.what, recorded(record)};
    lent_carry<M> lent_from(from), lent_next(next);
    return propose(m_, controller, memory, of, *lent_from, *lent_next);
  }
  void do_replay(System& sys, double t, double t_new, const std::byte* record, carry_parts c,
                 tape_part& tape) const override {
    replay(m_, sys, t, t_new, recorded(record), *lent_carry<M>(c), tape.as<tape_type>());
  }
  void do_resume([[maybe_unused]] System& sys, [[maybe_unused]] double t,
                 [[maybe_unused]] double t_new, [[maybe_unused]] const tape_part& tape,
                 [[maybe_unused]] carry_parts c) const override {
    if constexpr (has_resume_v<M, System, vector>)
      resume(m_, sys, t, t_new, tape.as<tape_type>(), *lent_carry<M>(c));
  }
  void do_pull(System& sys, double t, double t_new, const std::byte* record, const tape_part& tape,
               scratch_part& w, const seeds_part* seeds, vector& state_bar, vector& p_bar,
               ends_type* ends) const override {
    pull(m_, sys, t, t_new, recorded(record), tape.as<tape_type>(), w.as<scratch_type>(),
         seeds != nullptr ? &seeds->as<seeds_type>() : nullptr, state_bar, p_bar, ends);
  }
  void do_push(System& sys, double t, double t_new, const std::byte* record, const tape_part& tape,
               scratch_part& w, vector& state_dot, const vector& p_dot,
               const ends_type& ends) const override {
    push(m_, sys, t, t_new, recorded(record), tape.as<tape_type>(), w.as<scratch_type>(), state_dot,
         p_dot, ends);
  }
  void do_extend(System& sys, double t, double t_new, const tape_part& tape,
                 scratch_part& w) const override {
    extend(m_, sys, t, t_new, tape.as<tape_type>(), w.as<scratch_type>());
  }
  void do_interpolate(double t, double t_new, const tape_part& tape, const scratch_part& w,
                      double theta, vector& y) const override {
    interpolate(m_, t, t_new, tape.as<tape_type>(), w.as<scratch_type>(), theta, y);
  }
  void do_pull_interpolate(double t, double t_new, const tape_part& tape, const scratch_part& w,
                           double theta, const vector& y_bar, seeds_part* seeds,
                           interpolation_bar<double>& bar) const override {
    pull_interpolate(m_, t, t_new, tape.as<tape_type>(), w.as<scratch_type>(), theta, y_bar,
                     seeds != nullptr ? &seeds->as<seeds_type>() : nullptr, bar);
  }
  void do_push_extend(System& sys, double t, double t_new, const tape_part& tape, scratch_part& w,
                      const vector& state_dot, const vector& p_dot,
                      const ends_type& ends) const override {
    push_extend(m_, sys, t, t_new, tape.as<tape_type>(), w.as<scratch_type>(), state_dot, p_dot,
                ends);
  }
  void do_push_interpolate(double t, double t_new, const tape_part& tape, const scratch_part& w,
                           double theta, double theta_dot, const ends_type& ends,
                           const vector& state_dot, vector& out) const override {
    push_interpolate(m_, t, t_new, tape.as<tape_type>(), w.as<scratch_type>(), theta, theta_dot,
                     ends, state_dot, out);
  }

 private:
  static record_type recorded([[maybe_unused]] const std::byte* bytes) {
    record_type record{};
    if constexpr (!std::is_empty_v<record_type>) std::memcpy(&record, bytes, sizeof(record_type));
    return record;
  }
  [[no_unique_address]] M m_;
};

/// What M computes over systems of this type.
template <class System, class M>
auto erased(const M& m) -> erased_functions<System> {
  static_assert(traits_of<M, System>::erasable);
  return {traits_of<M, System>::value, estimate_order<M>(),
          std::make_shared<functions_of<M, System>>(m)};
}

/// A method as it is listed, and what it computes: for the loops of revode::any, or with its own, where it keeps
/// more than y from step to step.
struct described_method {
  method_entry entry;
  erased_functions<plain_system> plain{};
  erased_functions<massive_system> massive{};
};
template <class M>
auto described() -> described_method {
  if constexpr (traits_of<M, plain_system>::erasable) {
    described_method m{listed<M>()};
    m.plain = erased<plain_system>(M{});
    if constexpr (takes_mass_v<M>) m.massive = erased<massive_system>(M{});
    return m;
  } else {
    return {entry_of<M>()};
  }
}

}  // namespace revode::compiled
