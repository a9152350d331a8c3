// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "allocations.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/heat_1d.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rkc.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

constexpr int n = 2000;
const options coarse{.rtol = 1e-3, .atol = 1e-3};

auto short_heat() {
  const heat_1d f{n};
  return problem{f, f.y0(), 0.0, 1e-5, f.parameters()};
}

template <class M>
double forward_bytes_per_unknown(const M& m) {
  const auto q = short_heat();
  const auto before = allocations_now().live_bytes;
  watch_peak();
  CHECK(solve(q, m, coarse).status == status::success);
  return static_cast<double>(allocations_now().peak_bytes - before) / n;
}

TEST_CASE("a solve without gradient, events or points inside steps takes no scratch") {
  CHECK(forward_bytes_per_unknown(rock4{}) <= 200);
  CHECK(forward_bytes_per_unknown(rkc{}) <= 200);
  CHECK(forward_bytes_per_unknown(tsit5{}) <= 140);
  CHECK(forward_bytes_per_unknown(dop853{}) <= 170);
}

TEST_CASE_TEMPLATE("the scratch of the first pull is in the budget", M, rock4, tsit5, dop853) {
  const auto q = short_heat();
  index least = 0;
  try {
    solve(q, M{}, coarse, recursive_checkpoint{.budget = 0});
  } catch (const std::invalid_argument& misuse) {
    const std::string text = misuse.what(), at = "at least ";
    least = std::stol(text.substr(text.find(at) + at.size()));
  }
  CHECK(least > 0);
  const auto before = allocations_now().live_bytes;
  watch_peak();
  solve(q, M{}, coarse, recursive_checkpoint{.budget = least}).pullback(q.y0);
  CHECK(allocations_now().peak_bytes - before <= least);
}

}  // namespace
}  // namespace revode
