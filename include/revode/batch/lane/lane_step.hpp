// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <revode/batch/lane/lane_system.hpp>
#include <revode/concepts.hpp>
#include <revode/solve/lane_trouble.hpp>
#include <revode/solve/options.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// A method that solves linear systems with its step's matrix (Rosenbrock methods): an attempt may end
/// in a status, and the method brings its own controller.
template <class M>
inline constexpr bool is_linearly_implicit_v = requires {
  M::rosenbrock;
};

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

/// attempt, found by argument-dependent lookup, without the call that a single solve puts around a
/// small step: a call left in the loop over lanes costs it its vectorisation, and in a large program
/// compilers leave some that gnu::flatten should have inlined.
template <class M, class System, class Y>
REVODE_HD auto attempt_in_lane(const M& m, System& sys, const tolerance& tol, double t,
                               double t_new, const carry<M, Y>& from,
                               typename method_types<M, Y>::tape& tape, carry<M, Y>& next) {
  using record = typename method_types<M, Y>::record;
  if constexpr (requires { try_step<M>(sys, tol, t, t_new, from, tape, next); }) {
    return outcome<record>{try_step<M>(sys, tol, t, t_new, from, tape, next)};
  } else if constexpr (requires(typename method_types<M, Y>::work & w) {
                         requires std::is_empty_v<decltype(tape.work)>;
                         try_rosenbrock_step<M>(m, sys, tol, t, t_new, from, tape, w, next);
                       }) {
    typename method_types<M, Y>::work w;
    return try_rosenbrock_step<M>(m, sys, tol, t, t_new, from, tape, w, next);
  } else {
    return attempt(m, sys, tol, t, t_new, from, tape, next);
  }
}

/// No attempt of the method ends in a status of its own.
template <class M, class System, class Y>
inline constexpr bool attempts_surely = requires(System& sys, const tolerance& tol,
                                                 const carry<M, Y>& from,
                                                 typename method_types<M, Y>::tape& tape,
                                                 carry<M, Y>& next) {
  try_step<M>(sys, tol, 0.0, 0.0, from, tape, next);
};

/// pull, likewise: the exact transpose of a step whose ends and dense output nobody asks about.
template <class M, class System, class Tape, class State, class P>
REVODE_HD void pull_in_lane(const M& m, System& sys, double t, double t_new, const Tape& tape,
                            State& state_bar, P& p_bar) {
  using types = method_types<M, typename System::state_type>;
  typename types::scratch scratch;
  const typename types::seeds* no_seeds = nullptr;
  step_ends<typename System::scalar>* no_ends = nullptr;
  if constexpr (requires {
                  pull_step<M, 0>(sys, t, t_new, tape, scratch, no_seeds, state_bar, p_bar,
                                  no_ends);
                })
    pull_step<M, 0>(sys, t, t_new, tape, scratch, no_seeds, state_bar, p_bar, no_ends);
  else if constexpr (requires {
                       pull_rosenbrock_step<M, false>(m, sys, t, t_new, tape, scratch, no_seeds,
                                                      state_bar, p_bar, no_ends);
                     })
    pull_rosenbrock_step<M, false>(m, sys, t, t_new, tape, scratch, no_seeds, state_bar, p_bar,
                                   no_ends);
  else
    pull(m, sys, t, t_new, typename types::record{}, tape, scratch, no_seeds, state_bar, p_bar,
         no_ends);
}

}  // namespace revode
