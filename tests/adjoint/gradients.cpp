// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <revode/adjoint/gradients.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/tsit5.hpp>

#include "hessian_laws.hpp"

namespace revode {
namespace {

using at_hand::parameters, at_hand::state;
using hessian_laws::list;

/// Losses that look at different things: the end, save points, times of events, nothing.
template <class S>
std::vector<cotangents<state>> losses_of(const S& s) {
  std::vector<cotangents<state>> all(4);
  all[0].y = state{1, -2};
  for (std::size_t k = 0; k < s.ys.size(); ++k) {
    all[1].ys.push_back({1 + 0.5 * static_cast<double>(k), -1});
    all[2].ys.push_back({0, 1});
  }
  for (std::size_t k = 0; k < s.events.size(); ++k)
    all[2].events.push_back(1 - 0.3 * static_cast<double>(k));
  all[2].y = state{0.5, 0.25};
  return all;
}
template <class G>
void same_bits(const G& a, const G& b) {
  CHECK(a.y0 == b.y0);
  CHECK(a.p == b.p);
  CHECK(a.t0 == b.t0);
  CHECK(a.t1 == b.t1);
  CHECK(a.ts == b.ts);
  CHECK(a.stops == b.stops);
  CHECK(a.events == b.events);
  CHECK(a.times == b.times);
  CHECK(a.status == b.status);
}

template <class M>
void each_is_its_pullback(const M& m, const options& o) {
  CAPTURE(std::string(M::name));
  const auto q = hessian_laws::problem_of(at_hand::driven{});
  auto s = solve(q, m, o, list, recursive_checkpoint{.slots = 4});
  REQUIRE(s.status == status::success);
  REQUIRE(s.events.size() >= 5);
  const auto losses = losses_of(s);
  const auto all = s.gradients(losses);
  REQUIRE(all.size() == losses.size());
  index vjps = 0;
  for (std::size_t k = 0; k < losses.size(); ++k) {
    const auto alone = s.pullback(losses[k]);
    same_bits(all[k], alone);
    vjps += alone.reverse.vjp_evaluations;
  }
  CHECK(all[0].reverse.vjp_evaluations == vjps);
  same_bits(gradients(q, m, o, list, losses, {.slots = 3})[2], all[2]);
}

}  // namespace

// Dop853 and rodas4 keep what dense output needs in the scratch that the step's pull has as well.
TEST_CASE("several gradients through events of every kind: each has the bits of its pullback") {
  for (const double h : {0.26, 0.0}) {
    options o = hessian_laws::through_all(h);
    each_is_its_pullback(tsit5{}, o);
    each_is_its_pullback(dop853{}, o);
    each_is_its_pullback(rodas4{}, o);
    o.save = {.every = 3};
    each_is_its_pullback(tsit5{}, o);
  }
}

TEST_CASE("no losses, no gradients; what is of another size is told first") {
  const auto q = hessian_laws::problem_of(at_hand::driven{});
  auto s = solve(q, tsit5{}, {}, recursive_checkpoint{});
  CHECK(s.gradients({}).empty());
  std::vector<cotangents<state>> losses(2);
  losses[1].ys.push_back({1, 0});
  CHECK_THROWS_WITH_AS(
      s.gradients(losses),
      "1 cotangents for 0 save points (one belongs to each) give as many, or none?",
      std::invalid_argument);
}

}  // namespace revode
