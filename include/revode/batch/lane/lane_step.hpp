// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <revode/batch/lane/lane_system.hpp>
#include <revode/concepts.hpp>
#include <revode/solve/lane_trouble.hpp>
#include <revode/solve/options.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// Lanes take methods whose steps are the same operations for each of them, with nothing to remember
/// from step to step but numbers of the state; and matrices that stay in registers: none of another
/// algebra, such as with_algebra<rodas5p, banded>.
template <class M, class Y>
inline constexpr bool lanes_take_v = [] {
  using types = method_types<M, Y>;
  constexpr bool has_algebra = requires(const M& m) { m.algebra; };
  return std::is_same_v<typename types::state, Y> && std::is_empty_v<typename types::memo> &&
         std::is_empty_v<typename types::record> && !is_multistep_v<M> && !has_algebra;
}();
inline constexpr int most_in_lane_matrix = 8;  ///< rows
template <class M, class Y>
inline constexpr bool fits_lanes_v =
    !is_linearly_implicit_v<M> || static_size_v<Y> <= most_in_lane_matrix;

/// The system that the steps of W lanes side by side see.
template <class M, class F, class Y, class P, int W>
using step_system = std::conditional_t<is_linearly_implicit_v<M> && (W > 1),
                                       lane_system<F, Y, P, lane_vjp::directions>, system<F, Y, P>>;

/// Does the method say by its error why an attempt failed? See lane_trouble.hpp.
template <class M, class F, class Y, class P, int W>
inline constexpr bool trouble_in_error_v = goes_on_v<step_system<M, F, Y, P, W>>;

/// attempt; where the method says how, without the call that a single solve puts around a small step: a call
/// left in the loop over lanes costs it its vectorisation, and in a large program compilers leave some
/// that gnu::flatten should have inlined.
template <class M, class System, class Y>
REVODE_HD auto attempt_in_lane(const M& m, System& sys, const tolerance& tol, double t,
                               double t_new, const carry<M, Y>& from,
                               typename method_types<M, Y>::tape& tape, carry<M, Y>& next) {
  using record = typename method_types<M, Y>::record;
  if constexpr (requires { attempt_flat(m, sys, tol, t, t_new, from, tape, next); })
    return outcome<record>{attempt_flat(m, sys, tol, t, t_new, from, tape, next)};
  else
    return attempt(m, sys, tol, t, t_new, from, tape, next);
}

/// No attempt of the method ends in a status of its own: it returns an error alone.
template <class M, class System, class Y>
inline constexpr bool attempts_surely = requires(const M& m, System& sys, const tolerance& tol,
                                                 const carry<M, Y>& from,
                                                 typename method_types<M, Y>::tape& tape,
                                                 carry<M, Y>& next) {
  { attempt_flat(m, sys, tol, 0.0, 0.0, from, tape, next) } -> std::same_as<double>;
};

/// pull, likewise: the exact transpose of a step whose ends and dense output nobody asks about.
template <class M, class System, class Tape, class State, class P>
REVODE_HD void pull_in_lane(const M& m, System& sys, double t, double t_new, const Tape& tape,
                            State& state_bar, P& p_bar) {
  if constexpr (requires { pull_flat(m, sys, t, t_new, tape, state_bar, p_bar); }) {
    pull_flat(m, sys, t, t_new, tape, state_bar, p_bar);
  } else {
    using types = method_types<M, typename System::state_type>;
    typename types::scratch scratch;
    const typename types::seeds* no_seeds = nullptr;
    step_ends<typename System::scalar>* no_ends = nullptr;
    pull(m, sys, t, t_new, typename types::record{}, tape, scratch, no_seeds, state_bar, p_bar,
         no_ends);
  }
}

}  // namespace revode
