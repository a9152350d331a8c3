// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

namespace revode {

/// A stiff, driven, nonlinear pair; p[0] is its stiffness.
struct stiff_pair {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    dy[0] = -p[0] * (y[0] - cos(p[1] * t)) + y[1] * y[1];
    dy[1] = y[0] * y[1] * cos(t) - p[1] * y[1];
  }
};

/// Robertson's reactions, with sums that cancel to the last bit.
/// source  Hairer & Wanner, Solving ODEs II, 2nd ed. (1996), IV.1, (1.4)
struct robertson {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const auto net = p[1] * y[1] * y[2] - p[0] * y[0], fast = p[2] * y[1] * y[1];
    dy[0] = net;
    dy[1] = -net - fast;
    dy[2] = fast;
  }
};
inline const vec robertson_rates{0.04, 1e4, 3e7};

/// Every law of derivatives and replays, adaptive and with fixed steps, with save points in one step
/// and over several budgets.
template <class M, class Y, class P>
void check_implicit_laws(const M& m, const Y& y0, const P& p) {
  const problem q{stiff_pair{}, y0, 0.0, 1.5, p};
  for (const double fixed : {0.0, 0.02}) {
    CAPTURE(M::name);
    CAPTURE(fixed);
    options o{.rtol = 1e-4, .atol = 1e-6, .fixed_step = fixed};
    o.save.ts = {0.213, 0.2131, 1.413};
    const recursive_checkpoint adjoint{.slots = 3};

    CHECK(replay_law(q, m, o).what == "");
    CHECK(dot_product_law(q, m, o, adjoint, 1).worst < 1e-12);
    CHECK(frozen_grid_law(q, m, o, adjoint).worst < 1e-10);
    CHECK(equal_gradients_law(q, m, o, adjoint, {.slots = 1}).what == "");
    CHECK(equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all}).what == "");
  }
}

}  // namespace revode
