// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <revode/ad/derivatives_of.hpp>
#include <revode/ad/faces.hpp>
#include <revode/ad/field_tape.hpp>
#include <revode/ad/second_push.hpp>
#include <revode/ad/time_shares.hpp>
#include <revode/solve/mass/held_jacobian.hpp>
#include <revode/solve/mass/mass_matrix.hpp>
#include <revode/solve/split.hpp>
#include <revode/solve/statistics.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// What a method may ask of a problem: the field, its parameters, and its derivatives, each call
/// counted. Time is double outside; the field gets it in the state's scalar type. A system stays
/// where it is: its parts, and Jacobians that are products of it, are referred to.
template <class F, class Y, class P>
class system {
 public:
  using scalar = scalar_t<Y>;
  using time_bar = time_bar_t<Y>;
  using state_type = Y;
  using parameter_type = P;
  /// The field says that it does not depend on t.
  static constexpr bool autonomous = says_autonomous<F>;
  /// The field has a mass matrix.
  static constexpr bool massive = has_mass_v<F>;
  static_assert(mass_can_be_asked<F>() && index_can_be_asked<F>());
  /// There is a vjp; without one only what moves forwards may be asked for.
  static constexpr bool pulls = derivatives<F, Y, P>::vjp_source != derivative_source::none;

  /// Calls of the field can leave a tape, which its products then read.
  static constexpr bool keeps_calls = has_tape<F, Y, P> && !has_rows<F, Y, P>;

  REVODE_HD system(const F& f, const P& parameters)
      : p(parameters),
        mass(mass_of(f)),
        f_(f),
        parts_(f, parameters, counts) {}
  system(const system&) = delete;
  system& operator=(const system&) = delete;

  /// dy = f(t, y, p)
  REVODE_HD void operator()(double t, const Y& y, Y& dy) {
    ++counts.field_evaluations;
    if constexpr (has_rows<F, Y, P>)
      evaluate_rows(f_, static_cast<scalar>(t), y, p, dy);
    else
      f_(static_cast<scalar>(t), y, p, dy);
  }

  /// The same as the call of a stage, which leaves its tape where there is a place for it.
  REVODE_HD void call(int stage, double t, const Y& y, Y& dy) requires keeps_calls {
    if (calls.fills != nullptr) {
      tape_pool::held& tape = calls.fills[stage];
      calls.pool.take(tape);
      if (tape) {
        ++counts.field_evaluations;
        return f_(static_cast<scalar>(t), y, p, dy, tape.template as<scalar>());
      }
    }
    (*this)(t, y, dy);
  }
  /// Products at a stage, whose call may have left a tape.
  template <class DP>
  REVODE_HD void jvp(int stage, double t, const Y& y, scalar t_dot, const Y& y_dot, const DP& p_dot,
                     Y& out) requires keeps_calls {
    if constexpr (requires(const scalar* tape) {
                    f_.jvp(t_dot, y, p, t_dot, y_dot, p, out, tape);
                  }) {
      if (const scalar* tape = tape_of(stage)) {
        ++counts.jvp_evaluations;
        ++counts.tape_reads;
        return derivatives_.own_jvp(f_, static_cast<scalar>(t), y, p, t_dot, y_dot, p_dot, out,
                                    tape);
      }
    }
    jvp(t, y, t_dot, y_dot, p_dot, out);
  }
  template <class GP>
  REVODE_HD void vjp(int stage, double t, const Y& y, const Y& w, time_bar* t_bar, Y& y_bar,
                     GP& p_bar) requires keeps_calls {
    if (const scalar* tape = tape_of(stage)) {
      ++counts.vjp_evaluations;
      ++counts.tape_reads;
      return derivatives_.own_vjp(f_, static_cast<scalar>(t), y, p, w, t_bar, y_bar, p_bar, tape);
    }
    vjp(t, y, w, t_bar, y_bar, p_bar);
  }
  /// So many tapes of calls at most, of states like this.
  void allow_tapes([[maybe_unused]] index most, [[maybe_unused]] const Y& y) {
    if constexpr (keeps_calls) calls.pool.allow(most, tape_bytes_of(f_, y, p));
  }
  /// Products at stages read these from now on.
  template <class Calls>
  void read([[maybe_unused]] const Calls& of_step) {
    if constexpr (requires { of_step.of; }) calls.reads = of_step.of;
  }
  /// What tapes of calls took.
  void tell_tapes([[maybe_unused]] reverse_statistics& r) const {
    if constexpr (keeps_calls) {
      r.field_tapes = calls.pool.peak();
      r.field_tape_bytes = calls.pool.bytes();
    }
  }

  /// Half 0 (q') or 1 (p') of dy for a state (q, p) of two halves; the other is undefined. A field
  /// that names its parts, dq and dp(t, y, p, dy), computes that one alone. Counts as an evaluation.
  REVODE_HD void half(int which, double t, const Y& y, Y& dy) {
    if constexpr (requires(scalar s) {
                    f_.dq(s, y, p, dy);
                    f_.dp(s, y, p, dy);
                  }) {
      ++counts.field_evaluations;
      if (which == 0)
        f_.dq(static_cast<scalar>(t), y, p, dy);
      else
        f_.dp(static_cast<scalar>(t), y, p, dy);
    } else {
      (*this)(t, y, dy);
    }
  }

  /// out = (∂f/∂t) t_dot + (∂f/∂y) y_dot + (∂f/∂p) p_dot; p_dot empty where p stands still
  template <class DP>
  REVODE_HD void jvp(double t, const Y& y, scalar t_dot, const Y& y_dot, const DP& p_dot, Y& out) {
    ++counts.jvp_evaluations;
    derivatives_.jvp(f_, static_cast<scalar>(t), y, p, t_dot, y_dot, p_dot, out);
  }

  /// t_bar += wᵀ ∂f/∂t (unless null), y_bar += wᵀ ∂f/∂y, p_bar += wᵀ ∂f/∂p (unless empty)
  template <class GP>
  REVODE_HD void vjp(double t, const Y& y, const Y& w, time_bar* t_bar, Y& y_bar, GP& p_bar) {
    ++counts.vjp_evaluations;
    if constexpr (std::is_same_v<time_bar, scalar>)
      derivatives_.vjp(f_, static_cast<scalar>(t), y, p, w, t_bar, y_bar, p_bar);
    else
      vjp_in_shares(derivatives_, f_, static_cast<scalar>(t), y, p, w, t_bar, y_bar, p_bar);
  }

  /// j(i, k) = ∂fᵢ/∂yₖ
  template <class Matrix>
  REVODE_HD void jacobian(double t, const Y& y, Matrix& j) {
    ++counts.jacobian_evaluations;
#if !defined(__CUDACC__)
    jacobian_name_ = &names::jacobian;
#endif
    derivatives_.jacobian(f_, static_cast<scalar>(t), y, p, j);
  }

  /// The same on a pattern, where the field has f.sparse_jacobian(t, y, p, j): it writes j(i, k) where the
  /// pattern has an entry, into zeros, or all j.values by rows.
  template <class Matrix>
  requires(requires(const F& f, scalar t, const Y& y, const P& p, Matrix& j) {
    f.sparse_jacobian(t, y, p, j);
  }) void sparse_jacobian(double t, const Y& y, Matrix& j) {
    ++counts.jacobian_evaluations;
    jacobian_name_ = [] { return std::string_view("own"); };
    j.clear();
    f_.sparse_jacobian(static_cast<scalar>(t), y, p, j);
  }

  /// out = ∂f/∂t
  REVODE_HD void time_derivative(double t, const Y& y, Y& out) {
    derivatives_.time_derivative(f_, static_cast<scalar>(t), y, p, out);
  }

  /// Adds ∇ of uᵀ((∂f/∂t) t_dot + (∂f/∂y) k) with respect to t (unless null), y and p;
  /// u, t_dot and k are constants. A field that is not generic in its scalar may bring its own.
  REVODE_HD void second(double t, const Y& y, const Y& u, scalar t_dot, const Y& k, time_bar* t_bar,
                        Y& y_bar, P& p_bar) {
    const auto at = static_cast<scalar>(t);
    if constexpr (requires { f_.second(at, y, p, u, t_dot, k, t_bar, y_bar, p_bar); })
      f_.second(at, y, p, u, t_dot, k, t_bar, y_bar, p_bar);
    else if constexpr (requires(scalar * gt) {
                         f_.second(at, y, p, u, t_dot, k, gt, y_bar, p_bar);
                       })
      add_number<scalar>(t_bar,
                         [&](scalar* gt) { f_.second(at, y, p, u, t_dot, k, gt, y_bar, p_bar); });
    else
      derivatives_.second(f_, at, y, p, u, t_dot, k, t_bar, y_bar, p_bar);
  }

  /// out += the derivative of (∂f/∂t) k_t + (∂f/∂y) k along (t_dot, y_dot, p_dot), k_t and k held, by one call.
  REVODE_HD void push_second(double t, const Y& y, scalar k_t, const Y& k, scalar t_dot,
                             const Y& y_dot, const P& p_dot,
                             Y& out) requires(second_push<F, Y, P>::possible) {
    second_push_.add(f_, static_cast<scalar>(t), y, p, k_t, k, t_dot, y_dot, p_dot, out);
  }

  /// The parts of a split field.
  REVODE_HD auto& implicit_part() requires split_field<F, Y, P> { return parts_.of_implicit; }
  REVODE_HD auto& explicit_part() requires split_field<F, Y, P> { return parts_.of_explicit; }

  /// Names of where they came from; the Jacobian's is empty until there was one.
  std::string_view vjp_source() const { return names::vjp(); }
  /// What recordings of rows or of arrays take, so far.
  index recording_bytes() const { return derivatives_.recording_bytes(); }
  std::string_view jacobian_source() const {
    return jacobian_name_ != nullptr ? jacobian_name_() : std::string_view();
  }

  const P& p;
  evaluation_counts counts{};
  [[no_unique_address]] std::conditional_t<massive, mass_matrix, nothing> mass;
  [[no_unique_address]] std::conditional_t<massive, jacobian_holder<Y>, no_holder> held{};
  [[no_unique_address]] std::conditional_t<keeps_calls, call_keeper, no_calls> calls{};

 private:
  REVODE_HD const scalar* tape_of(int stage) const requires keeps_calls {
    if (calls.reads == nullptr || !calls.reads[stage]) return nullptr;
    return calls.reads[stage].template as<scalar>();
  }
  using names = derivative_names<F, Y, P>;
  REVODE_HD static decltype(mass) mass_of([[maybe_unused]] const F& f) {
    if constexpr (massive)
      return mass_matrix(f);
    else
      return {};
  }

  const F& f_;
  std::string_view (*jacobian_name_)() = nullptr;
  [[no_unique_address]] derivatives<F, Y, P> derivatives_{};
  [[no_unique_address]] second_push<F, Y, P> second_push_{};
  [[no_unique_address]] system_parts<F, Y, P> parts_;
};

/// A face that systems of F have: the whole, and the parts of a split field.
template <class Face, class F, class Y, class P>
concept system_face = std::same_as<Face, whole_face> ||
    (split_field<F, Y, P> &&
     (std::same_as<Face, implicit_face> || std::same_as<Face, explicit_face>));

template <class Face, class System>
REVODE_HD auto& face_of_system(Face, System& sys) {
  if constexpr (std::same_as<Face, implicit_face>)
    return sys.implicit_part();
  else if constexpr (std::same_as<Face, explicit_face>)
    return sys.explicit_part();
  else
    return sys;
}

}  // namespace revode
