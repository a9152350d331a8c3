// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <revode/ad/derivatives.hpp>

namespace revode {

/// Where the derivatives of a field come from, by name: what its type says and, of what the optimiser is
/// asked, what it answered (optimiser_answer).
template <class F, class Y, class P>
class derivative_names {
  using T = scalar_t<Y>;
  using D = derivatives<F, Y, P>;
  using push_scalar = dual<T, 1>;

 public:
  static std::string_view vjp() {
    if constexpr (D::vjp_source == derivative_source::own)
      return "own";
    else if constexpr (D::vjp_source == derivative_source::rows)
      return "recording by rows";
    else if constexpr (D::by_arrays)
      return "recording of arrays";
    else if constexpr (D::vjp_source == derivative_source::duals)
      return register_sweep<F, Y, P>::told.name("recording in registers", "duals",
                                                "recording in registers or duals, not asked yet");
    else if constexpr (D::vjp_source == derivative_source::none)
      return "none";
    else if constexpr (D::straight)
      return straight_sweep<F, Y, P>::told.name(
          "recording in registers", "recording",
          "recording, in registers or in memory, not asked yet");
    else
      return "recording";
  }
  static std::string_view jvp() {
    return D::jvp_source == derivative_source::own     ? "own"
           : D::jvp_source == derivative_source::rows  ? "duals by rows"
           : D::jvp_source == derivative_source::duals ? "duals"
                                                       : "none";
  }
  static std::string_view jacobian() {
    if constexpr (D::own_jacobian)
      return "own";
    else if constexpr (!call_accepts<F, Y, P, typename D::chunk_scalar>)
      return D::jvp_source == derivative_source::own   ? "columns by own jvp"
             : D::vjp_source == derivative_source::own ? "rows by own vjp"
                                                       : "none";
    else if constexpr (D::trackable)
      return tracked_sweep<F, Y, P>::told.name("tracked duals", "duals",
                                               "duals, tracked or dense, not asked yet");
    else
      return "duals";
  }
  static std::string_view second() {
    if constexpr (has_vjp<F, Y, P, push_scalar>)
      return "own vjp over duals";
    else if constexpr (row_derivatives<F, Y, P>::pulls_moving)
      return "recording over duals by rows";
    else if constexpr (D::small)
      return call_accepts<F, Y, P, dual<push_scalar, D::sweep_width>> ? "nested duals" : "none";
    else if constexpr (D::by_arrays)
      return "recording of arrays over duals";
    else if constexpr (!call_accepts<F, Y, P, variable<push_scalar>>)
      return "none";
    else if constexpr (D::straight)
      return straight_sweep<F, Y, P>::told_of_second.name(
          "recording in registers", "recording over duals",
          "recording, in registers or over duals, not asked yet");
    else
      return "recording over duals";
  }

  /// Asks what was not asked yet.
  static void ask(const F& f, T t, const Y& y, const P& p) {
    if constexpr (D::vjp_source == derivative_source::duals) {
      register_sweep<F, Y, P>::fits(f, t, y, p);
    } else if constexpr (D::straight) {
      Y bar = zero_like(y);
      P p_bar = zero_like(p);
      T* const no_time = nullptr;
      if constexpr (D::vjp_source == derivative_source::recording)
        straight_sweep<F, Y, P>::vjp(f, t, y, p, y, no_time, bar, p_bar);
      if constexpr (!has_vjp<F, Y, P, push_scalar>)
        straight_sweep<F, Y, P>::second(f, t, y, p, y, T(0), y, no_time, bar, p_bar);
    }
    if constexpr (D::trackable && !D::own_jacobian &&
                  call_accepts<F, Y, P, typename D::chunk_scalar>)
      tracked_sweep<F, Y, P>::knows(f, t, y, p);
  }
};

/// One line, as "vjp: recording in registers, jvp: duals, Jacobian: tracked duals, second: nested duals".
/// Evaluates f at (t, y, p) up to four times where the optimiser was not asked yet.
template <class F, class Y, class P>
std::string derivatives_of(const F& f, double t, const Y& y, const P& p) {
  using names = derivative_names<F, Y, P>;
  names::ask(f, static_cast<scalar_t<Y>>(t), y, p);
  std::string line;
  for (const std::string_view part :
       {std::string_view("vjp: "), names::vjp(), std::string_view(", jvp: "), names::jvp(),
        std::string_view(", Jacobian: "), names::jacobian(), std::string_view(", second: "),
        names::second()})
    line += part;
  return line;
}

}  // namespace revode
