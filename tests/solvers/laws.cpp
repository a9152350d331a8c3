// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/solvers/all.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

/// A named problem over a short span that every method can take in some forty steps of this length.
struct short_problem {
  const char* name;
  double span, step;
};

constexpr short_problem short_problems[] = {
    {"decay", 2, 0.05},          {"harmonic", 2, 0.05},      {"rotation", 2, 0.05},
    {"lotka_volterra", 2, 0.05}, {"lorenz", 0.4, 0.01},      {"vdpol", 2, 0.05},
    {"brusselator", 2, 0.05},    {"brusselator_1d:6", 0.1, 0.0025}, {"arenstorf", 0.2, 0.005},
    {"pleiades", 0.2, 0.005},    {"lorenz96:6", 0.4, 0.01},  {"kepler:0.5", 1, 0.025},
    {"heat_1d:6", 0.02, 0.0005}, {"burgers_1d:6", 0.02, 0.0005}, {"neural_spiral", 1, 0.05},
};

/// Every method on one problem: dense save points inside steps, at a step's end and at both ends.
template <class M>
void check_laws(const M& m, const short_problem& s) {
  const erased_problem e = make_problem(s.name);
  const problem q{e.f, e.y0, e.t0, e.t0 + s.span, e.p};
  options o{.rtol = 1e-5, .atol = 1e-7, .fixed_step = s.step};
  o.save.ts = {e.t0, e.t0 + 0.311 * s.span, e.t0 + 0.317 * s.span, e.t0 + 0.93 * s.span, q.t1};
  const recursive_checkpoint adjoint{.slots = 3};
  const std::string what = std::string(M::name) + " on " + s.name;
  INFO(what);

  for (const bool adaptive : {false, true}) {
    if (adaptive && !has_estimate_v<M>) break;
    if (adaptive) o.fixed_step = 0;
    CAPTURE(adaptive);
    const law_result replayed = replay_law(q, m, o);
    CHECK_MESSAGE(replayed.holds, replayed.what);
    const law_result product = dot_product_law(q, m, o, adjoint, 7);
    CHECK_MESSAGE(product.holds, product.worst);
    const law_result frozen = frozen_grid_law(q, m, o, adjoint);
    CHECK_MESSAGE(frozen.holds, frozen.what, ": ", frozen.worst);
  }
}

TEST_CASE("every method on every named problem: replay, dot products and the frozen grid's duals") {
  for (const short_problem& s : short_problems)
    for_each_method([&](const auto& m) { check_laws(m, s); });
}

TEST_CASE("every named problem is among those of the laws") {
  for (const catalog_entry& entry : catalog()) {
    CHECK(std::any_of(std::begin(short_problems), std::end(short_problems), [&](const auto& s) {
      return std::string_view(s.name).substr(0, std::string_view(s.name).find(':')) == entry.name;
    }));
  }
}

}  // namespace
}  // namespace revode
