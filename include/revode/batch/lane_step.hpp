// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/concepts.hpp>
#include <revode/solve/options.hpp>

namespace revode {

/// attempt, found by argument-dependent lookup, without the call that a single solve puts around a
/// small step: a call left in the loop over lanes costs it its vectorisation.
template <class M, class System, class Y>
REVODE_HD auto attempt_in_lane(const M& m, System& sys, const tolerance& tol, double t,
                               double t_new, const carry<M, Y>& from,
                               typename method_types<M, Y>::tape& tape, carry<M, Y>& next) {
  using record = typename method_types<M, Y>::record;
  if constexpr (requires { try_step<M>(sys, tol, t, t_new, from, tape, next); })
    return outcome<record>{try_step<M>(sys, tol, t, t_new, from, tape, next)};
  else
    return attempt(m, sys, tol, t, t_new, from, tape, next);
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
                  pull_step<M, false>(sys, t, t_new, tape, scratch, no_seeds, state_bar, p_bar,
                                      no_ends);
                })
    pull_step<M, false>(sys, t, t_new, tape, scratch, no_seeds, state_bar, p_bar, no_ends);
  else
    pull(m, sys, t, t_new, typename types::record{}, tape, scratch, no_seeds, state_bar, p_bar,
         no_ends);
}

}  // namespace revode
