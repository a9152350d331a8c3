// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/odeint.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

namespace library = boost::numeric::odeint;
using state = std::vector<double>;

struct driven_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = p[0] * (y[1] - y[0]) + cos(t);
    dy[1] = y[0] * (p[1] - y[2]) - t * y[1];
    dy[2] = y[0] * y[1] - p[2] * y[2];
  }
};

template <class M>
void check_laws(const M& m, const options& o) {
  CAPTURE(M::name);
  const problem q{driven_field{}, state{1.0, 0.5, 0.2}, 0.1, 1.3, vec{10.0, 28.0, 8.0 / 3}};
  const recursive_checkpoint adjoint{.slots = 3};
  CHECK(replay_law(q, m, o).holds);
  CHECK(dot_product_law(q, m, o, adjoint, 1).holds);
  CHECK(frozen_grid_law(q, m, o, adjoint, 1e-12).holds);
  CHECK(finite_difference_check(q, m, o, adjoint).holds);
  for (const auto kind : {schedule_kind::store_all, schedule_kind::store_states,
                          schedule_kind::nested, schedule_kind::wang_moin, schedule_kind::mixed})
    CHECK(equal_gradients_law(q, m, o, adjoint, {.slots = 6, .schedule = kind}).holds);
  CHECK(equal_gradients_law(q, m, o, adjoint, {.slots = 4, .log = step_replay::controller}).holds);
}

const options fixed{.fixed_step = 0.01}, adaptive{.rtol = 1e-8, .atol = 1e-8};

}  // namespace
}  // namespace revode
