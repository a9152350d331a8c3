// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/rosenbrock23.hpp>

#include "over_ranks.hpp"

namespace revode {
namespace {

/// Van der Pol's oscillator, x'' = μ(1 − x²)x' − x, p = (μ).
struct oscillator {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * (1 - y[0] * y[0]) * y[1] - y[0];
  }
};

TEST_CASE("mpi_ensemble: lanes of an implicit method, whose lengths differ much") {
  using p = vec<double, 1>;
  ensemble<oscillator, state, p> e{.y0 = {{2, 0}}, .t1 = {3}, .p = {}};
  for (index l = 0; l < 90; ++l) e.p.push_back({std::pow(10.0, static_cast<double>(l % 30) / 10)});
  const options o{.rtol = 1e-4, .atol = 1e-6};
  ensemble_solver<rosenbrock23, oscillator, state, p, place> alone(e, rosenbrock23{}, o);
  const auto g = alone.gradient(distance_loss{});
  CHECK(g.failed() == 0);
  for (const auto how : {distribution::dealt, distribution::counter}) {
    mpi_ensemble all(communicator(), e, rosenbrock23{}, o, {.chunk = 16, .distribution = how},
                     place{});
    CHECK(same(all.gradient(distance_loss{}), g));
    CHECK(same(all.result(), alone.result()));
  }
}

}  // namespace
}  // namespace revode
