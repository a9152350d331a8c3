// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane/lane_control.hpp>
#include <revode/batch/lane_implicit/lane_implicit.hpp>

namespace revode {

/// One attempt of every lane; true if one of them may have ended by it. The loops are inlined and
/// branch-free, so that compilers make one vector operation of each line; they are several, since
/// together they are one long chain of operations, and a processor finds other lanes to work on while
/// it waits for one of them only where the next lanes' instructions are near.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD bool attempt_all_lanes(const M& m, const F& f, const lane_rules& rules,
                                 lane_group<M, Y, P, W>& g, Tapes& tapes) {
  index evaluations = 0;
  if constexpr (steps_by_stages<M, Y, W>)
    evaluations = step_lanes<Fixed>(m, f, g, tapes);
  else if constexpr (solves_by_stages<M, Y, W>)
    step_implicit_lanes<Fixed>(m, f, g, tapes);
  else
    for_each_lane<W>([&](int l) __attribute__((always_inline)) {
      evaluations = step_lane<Fixed>(m, f, g, tapes, l);
    });
  return advance_lanes<Fixed>(m, rules, g, tapes, evaluations);
}

/// The same in a function of its own: inlined in a larger one the loops ran at half the speed (g++ 12).
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD bool attempt_lanes(const M& m, const F& f, const lane_rules& rules,
                             lane_group<M, Y, P, W>& g, Tapes& tapes) {
  return flat_apart([&] { return attempt_all_lanes<Fixed>(m, f, rules, g, tapes); });
}

/// step_lane of one lane, likewise: it hardly ever runs.
template <bool Fixed, class M, class F, class Y, class P, int W, class Tapes>
REVODE_HD index step_lane_apart(const M& m, const F& f, lane_group<M, Y, P, W>& g, Tapes& tapes,
                                int l) {
  return apart([&] { return step_lane<Fixed>(m, f, g, tapes, l); });
}

}  // namespace revode
