// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/ensemble_solution.hpp>

namespace revode {

/// Is lane l of s the single solve, in every bit and count?
template <class Y>
bool same_as_alone(const ensemble_solution<Y>& s, index l, const solution<Y>& alone) {
  const auto at = static_cast<std::size_t>(l);
  bool all = s.status[at] == alone.status && s.t[at] == alone.t && s.y[at] == alone.y &&
             s.stats[at].accepted == alone.stats.accepted &&
             s.stats[at].rejected == alone.stats.rejected &&
             s.stats[at].field_evaluations == alone.stats.field_evaluations &&
             s.events[at].size() == alone.events.size() &&
             s.ys.size(l) == static_cast<index>(alone.ys.size());
  for (std::size_t k = 0; all && k < alone.events.size(); ++k)
    all = s.events[at][k].t == alone.events[k].t &&
          s.events[at][k].which == alone.events[k].which &&
          s.events[at][k].step == alone.events[k].step;
  for (std::size_t k = 0; all && k < alone.ys.size(); ++k)
    all = s.ys.at(l, static_cast<index>(k)) == alone.ys[k] &&
          s.ys.times[k * static_cast<std::size_t>(s.ys.stride) + at] == alone.ts[k];
  return all;
}

}  // namespace revode
