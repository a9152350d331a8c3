// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "laws.hpp"

#include <algorithm>
#include <string_view>

namespace revode {
namespace {

TEST_CASE("laws, first third of the methods: replay, dot products, duals on the frozen grid") {
  check_laws_of_part<0>(basic_methods{});
}

TEST_CASE("laws: every named problem that is not stiff is among theirs") {
  const auto stem = [](std::string_view name) { return name.substr(0, name.find(':')); };
  for (const catalog_entry& entry : catalog()) {
    CAPTURE(entry.name);
    CHECK((entry.stiff || entry.events ||
           std::any_of(std::begin(short_problems), std::end(short_problems),
                       [&](const short_problem& s) { return stem(s.name) == entry.name; })));
  }
}

struct plain_lorenz {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (y[1] - y[0]);
    dy[1] = y[0] * (p[1] - y[2]) - y[1];
    dy[2] = y[0] * y[1] - p[2] * y[2];
  }
};

TEST_CASE("laws: they hold for float states in float's own precision") {
  problem q{plain_lorenz{}, vec{1.0f, 2.0f, 20.0f}, 0.0, 0.5, vec{10.0f, 28.0f, 8.0f / 3}};
  options o{.rtol = 1e-3, .atol = 1e-3};
  o.save.ts = {0.123, 0.321};

  const law_result product = dot_product_law(q, tsit5{}, o, recursive_checkpoint{.slots = 2}, 3);
  const law_result frozen = frozen_grid_law(q, tsit5{}, o, recursive_checkpoint{.slots = 2}, 1e-4);
  CHECK(replay_law(q, tsit5{}, o).holds);
  CHECK_MESSAGE(product.holds, product.worst);
  CHECK_MESSAGE(frozen.holds, frozen.worst);
}

}  // namespace
}  // namespace revode
