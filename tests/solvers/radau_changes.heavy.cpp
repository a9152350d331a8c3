// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <revode/problems/orego.hpp>
#include <revode/problems/ring_modulator.hpp>
#include <revode/problems/transamp.hpp>
#include <revode/problems/vdpol_stiff.hpp>

#include "radau_stages.hpp"

namespace revode {
namespace {

template <class M, class F, class Y, class P>
double worst_of_law(const problem<F, Y, P>& q, const options& o, bool frozen) {
  const recursive_checkpoint adjoint{.slots = 3};
  return frozen ? frozen_grid_law(q, M{}, o, adjoint).worst
                : dot_product_law(q, M{}, o, adjoint, 1).worst;
}

/// Where derivatives grow without bounds they are as exact as by the fixed orders: within ten times the
/// worst of them.
template <class F, class Y, class P>
void check_beside_fixed(const problem<F, Y, P>& q, const options& without, int least) {
  const options o = with_points(q, without);
  check_bits_of_changes(q, o, least);
  for (const bool frozen : {false, true}) {
    CAPTURE(frozen);
    const double worst =
        std::max({worst_of_law<radau_iia5>(q, o, frozen), worst_of_law<radau_iia9>(q, o, frozen),
                  worst_of_law<radau_iia13>(q, o, frozen)});
    CHECK(worst_of_law<radau>(q, o, frozen) < 10 * worst);
  }
}

TEST_CASE("radau: limit cycles and eleven decades are differentiated as by the fixed orders") {
  check_beside_fixed(named_up_to<orego>(360), {.rtol = 1e-6, .atol = 1e-12}, 5);
  check_beside_fixed(named_up_to<vdpol_stiff>(2), {.rtol = 1e-6, .atol = 1e-6}, 4);
  check_bits_of_changes(named_up_to<vdpol_fast>(2000), {.rtol = 1e-6, .atol = 1e-6}, 6);
  const problem q{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 1e11, robertson_rates};
  check_beside_fixed(q, {.rtol = 1e-10, .atol = 1e-16}, 2);
}

TEST_CASE("radau: a circuit of fifteen elements, from every snapshot and over budgets") {
  const auto q = named_up_to<ring_modulator>(1e-4);
  const options o = with_points(q, {.rtol = 1e-7, .atol = 1e-7});
  check_bits_of_changes(q, o, 2);
  CHECK(worst_of_law<radau>(q, o, false) < 1e-12);
  check_every_snapshot(q, {.rtol = 1e-7, .atol = 1e-7}, 97);
}

TEST_CASE("radau: the transistor amplifier, M of rank 5 of 8") {
  const auto q = named_up_to<transamp>(0.02);
  for (const double rtol : {1e-6, 1e-9}) {
    const options o = with_points(q, {.rtol = rtol, .atol = rtol});
    CHECK(replay_law_of_solve(q, radau{}, o).what == "");
    CHECK(worst_of_law<radau>(q, o, false) < 1e-12);
    const recursive_checkpoint adjoint{.slots = 3};
    CHECK(equal_gradients_law(q, radau{}, o, adjoint, {.slots = 1000}).what == "");
    const auto s = solve(q, radau{}, o),
               fine = solve(q, radau_iia5{}, {.rtol = 1e-11, .atol = 1e-11});
    for (int i = 0; i < 8; ++i)
      CHECK(std::abs(s.y[i] - fine.y[i]) < 10 * rtol * (1 + std::abs(s.y[i])));
  }
}

}  // namespace
}  // namespace revode
