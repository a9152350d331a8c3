// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <oracles/moving_grid.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>

#include "events_at_hand.hpp"

namespace revode::semantics {

using namespace at_hand;

/// Gradients of all inputs through stops and events of every kind, by duals on the frozen grid.
template <class M>
void by_duals(const M& m, double bound) {
  const problem q{driven{}, state{0.4, 1.0}, 0.1, 3.1, parameters{1.5, 0.2, 0.8}};
  for (const double h : {0.26, 0.0}) {
    options o{.rtol = 1e-5, .fixed_step = h, .stops = {0.7, 1.9}, .discontinuities = {2}};
    o.save = {.t0 = true, .ts = {0.5, 1.3, 2.6}, .t1 = true};
    const auto r = moving_grid_law(q, m, o, events(kick{}, dose{}, scaling{{0.3, 1.4, 1.4, 5}}),
                                   recursive_checkpoint{.slots = 5}, bound);
    CAPTURE(std::string(M::name));
    CAPTURE(h);
    CAPTURE(r.what);
    CAPTURE(r.worst);
    CHECK(r.holds);
  }
}

}  // namespace revode::semantics
