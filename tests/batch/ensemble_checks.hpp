// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <revode/batch/ensemble_solver.hpp>
#include <revode/solvers/all.hpp>

#include "lanes.hpp"

namespace revode {
using state = vec<double, 3>;

template <class E, class S, class M>
void check_against_single_solves(const E& e, const M& m, const options& o, const S& s) {
  REQUIRE(s.lanes() == lanes_of(e));
  index wrong = 0;
  for (index l = 0; l < s.lanes(); ++l) {
    const auto alone = solve(problem_of(e, l), m, options_of(e, o, l));
    const auto at = static_cast<std::size_t>(l);
    bool same = s.status[at] == alone.status && s.t[at] == alone.t && s.y[at] == alone.y &&
                s.stats[at].accepted == alone.stats.accepted &&
                s.stats[at].rejected == alone.stats.rejected &&
                s.stats[at].field_evaluations == alone.stats.field_evaluations &&
                s.ys.size(l) == static_cast<index>(alone.ys.size());
    for (index k = 0; same && k < s.ys.size(l); ++k)
      same = s.ys.at(l, k) == alone.ys[static_cast<std::size_t>(k)];
    if (!same) {
      ++wrong;
      CHECK_MESSAGE(wrong > 3, "lane ", l, ": ", name(s.status[at]), " ", name(alone.status), " ",
                    s.stats[at].accepted, " ", alone.stats.accepted, " ", s.stats[at].rejected, " ",
                    alone.stats.rejected, " ", s.stats[at].field_evaluations, " ",
                    alone.stats.field_evaluations, " points ", s.ys.size(l), " ", alone.ys.size());
    }
  }
  CHECK(wrong == 0);
}

template <int W, class E, class M>
auto solve_by(const E& e, const M& m, const options& o) {
  ensemble_solver<M, typename E::field_type, typename E::state_type, typename E::parameter_type,
                  place, W>
      solver(e, m, o);
  solver.run();
  return solver.result();
}

}  // namespace revode
