// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "allocations.hpp"

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/problems/heat_1d.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rkc.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

constexpr int n = 2000;
const options coarse{.rtol = 1e-3, .atol = 1e-3};
const options inside{.rtol = 1e-3, .atol = 1e-3, .save = {.ts = {0.3e-5, 0.4e-5}}};

/// The heat equation, whose stiff part is all of it.
struct split_heat : heat_1d {
  void implicit_part(const auto& t, const auto& y, const auto& p, auto& dy) const {
    (*this)(t, y, p, dy);
  }
  void explicit_part(const auto&, const auto& y, const auto&, auto& dy) const {
    fill(dy, 0 * y[0]);
  }
};

template <class F>
auto short_heat(F f) {
  f.n = n;
  return problem{f, f.y0(), 0.0, 1e-5, f.parameters()};
}
auto short_heat() { return short_heat(heat_1d{}); }

/// Occurs once, and is looked for in every step.
struct half_way {
  static constexpr bool passes = true;
  auto condition(const auto& t, const auto&, const auto&) const { return t - 0.5e-5; }
  void jump(const auto&, const auto& y, const auto&, auto& y_new) const { y_new[0] = 0.5 * y[0]; }
};

template <class Solve>
double bytes_per_unknown(const Solve& run) {
  const auto before = allocations_now().live_bytes;
  watch_peak();
  CHECK(run() == status::success);
  return static_cast<double>(allocations_now().peak_bytes - before) / n;
}

/// Most bytes an unknown of a solve by itself, with two save points inside steps, and with an event.
/// What these add: the points, the stages that dense output has of its own, a state to look for events.
template <class M, class F = heat_1d>
void check_bytes(const M& m, double alone, double saved, double located, F f = {}) {
  CAPTURE(M::name);
  const auto q = short_heat(f);
  constexpr double rest = 0.5;  // what does not grow with n
  CHECK(bytes_per_unknown([&] { return solve(q, m, coarse).status; }) <= alone + rest);
  CHECK(bytes_per_unknown([&] { return solve(q, m, inside).status; }) <= saved + rest);
  std::size_t occurred = 0;
  const double with_event = bytes_per_unknown([&] {
    const auto s = solve(q, m, coarse, events(half_way{}));
    occurred = s.events.size();
    return s.status;
  });
  CHECK(occurred == 1);
  CHECK(with_event <= located + rest);
}

TEST_CASE("a solve takes of its scratch what dense output needs, and without that nothing") {
  const banded tridiagonal{1, 1};
  check_bytes(rock4{}, 184, 184, 192);
  check_bytes(rkc{}, 184, 184, 192);
  check_bytes(tsit5{}, 136, 136, 144);
  check_bytes(dop853{}, 160, 192, 208);
  check_bytes(with_algebra<rodas5p, banded>{{}, tridiagonal}, 264, 280, 296);
  check_bytes(with_algebra<esdirk547, banded>{{}, tridiagonal}, 392, 408, 440);
  check_bytes(with_algebra<radau_iia5, banded>{{}, tridiagonal}, 496, 512, 616);
  check_bytes(with_algebra<bdf5, banded>{{}, tridiagonal}, 408, 424, 456);
  check_bytes(with_algebra<imex<kencarp4>, banded>{{}, tridiagonal}, 456, 472, 504, split_heat{});
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
