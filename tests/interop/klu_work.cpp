// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/interop/klu.hpp>

#include <cmath>
#include <memory>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/linalg/sparse/sparsity_of.hpp>
#include <revode/problems/brusselator_2d.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

using states = std::vector<double>;
using sparse_bdf = with_algebra<bdf5, klu>;

/// The grid before its jump, or y' = A (y − c) with a fast rotation: A = (−1 w; −w −1) for each pair. One type,
/// so that all of this is compiled once.
struct grid_or_rotations {
  int width;  ///< 0: rotations
  double speed = 0;

  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    if (width > 0) return brusselator_2d{width}(t, y, p, dy);
    using std::cos;
    for (std::size_t i = 0; i < static_cast<std::size_t>(y.size()); i += 2) {
      const auto slow = p[0] * cos(t);
      const auto a = y[i] - slow, b = y[i + 1] - slow;
      dy[i] = speed * b - a;
      dy[i + 1] = -speed * a - b;
    }
  }
};

auto grid_of(int width) {
  const brusselator_2d f{width};
  return problem{grid_or_rotations{width}, f.y0(), 0.0, 1.0, f.parameters()};
}
template <class M = bdf5>
with_algebra<M, klu> on_pattern_of(const auto& q) {
  return {{}, {std::make_shared<const sparsity>(sparsity_of(q)), true}};
}

TEST_CASE("BDF with KLU: factors that cost many solves serve for longer, at the same digits") {
  const auto q = grid_of(33);
  const sparse_bdf m = on_pattern_of(q);
  const auto s = solve(q, m, {.rtol = 1e-6, .atol = 1e-6}),
             fine = solve(q, m, {.rtol = 1e-9, .atol = 1e-9});
  REQUIRE(s.status == status::success);
  CHECK(klu_order_of(*m.algebra.pattern)->price() >= 16);
  CHECK(s.stats.factorizations <= 16);  // 24 by CVODE's rules, in 170 steps
  CHECK(s.stats.accepted <= 200);
  CHECK(s.stats.newton_iterations <= 2 * (s.stats.accepted + s.stats.rejected));
  for (std::size_t i = 0; i < s.y.size(); ++i)
    REQUIRE(std::abs(s.y[i] - fine.y[i]) < 1e-4 * (1 + std::abs(fine.y[i])));
}

TEST_CASE("ESDIRK with KLU: dear factors serve steps of other lengths, also in replays") {
  const auto q = grid_of(33);
  const auto m = on_pattern_of<esdirk547>(q);
  const options o{.rtol = 1e-6, .atol = 1e-6};
  const auto s = solve(q, m, o), fine = solve(q, m, {.rtol = 1e-8, .atol = 1e-8});
  REQUIRE(s.status == status::success);
  CHECK(2 * s.stats.factorizations <=
        s.stats.accepted);  // nearly one a step where it has to be the step's
  CHECK(s.stats.jacobian_evaluations <= s.stats.factorizations);
  for (std::size_t i = 0; i < s.y.size(); ++i)
    REQUIRE(std::abs(s.y[i] - fine.y[i]) < 1e-4 * (1 + std::abs(fine.y[i])));
  CHECK(replay_law(grid_of(17), on_pattern_of<esdirk547>(grid_of(17)), o).what == "");
}

TEST_CASE("BDF with KLU: one analysis, and the places of one solve, for a fit and its gradients") {
  auto q = grid_of(6);
  const sparse_bdf m = on_pattern_of(q);
  const options o{.rtol = 1e-4, .atol = 1e-4};
  const auto order = klu_order_of(*m.algebra.pattern);
  index factorizations = 0;
  for (int fit = 0; fit < 10; ++fit) {
    q.p[0] = 3.4 + 0.01 * fit;
    const auto s = solve(q, m, o);
    REQUIRE(s.status == status::success);
    factorizations += s.stats.factorizations;
  }
  CHECK(order == klu_order_of(*m.algebra.pattern));
  CHECK(order->counts().first == 2);
  CHECK(order->counts().again == factorizations);
  for (int fit = 0; fit < 3; ++fit) {
    auto s = solve(q, m, o, recursive_checkpoint{.slots = 3});
    REQUIRE(s.pullback(q.y0).status == status::success);
  }
  CHECK(order->counts().first <= 4);  // replays and the pull hold theirs beside each other
  CHECK(order->counts().by_size == 0);
}

TEST_CASE("BDF with KLU: replays and gradients of every budget have the bits of the solve") {
  const auto q = grid_of(17);
  const sparse_bdf m = on_pattern_of(q);
  const options o{.rtol = 1e-5, .atol = 1e-5};
  CHECK(klu_order_of(*m.algebra.pattern)->price() >= 16);
  CHECK(replay_law(q, m, o).what == "");
  CHECK(equal_gradients_law(q, m, o, recursive_checkpoint{.slots = 3},
                            {.schedule = schedule_kind::store_all})
            .what == "");
  CHECK(dot_product_law(q, m, o, recursive_checkpoint{.slots = 3}, 1).worst < 1e-12);
}

TEST_CASE(
    "BDF with KLU: where pivots on the diagonal become too small on the way, others; the same "
    "bits") {
  const problem q{grid_or_rotations{0, 1e9}, states{1, 1, 1, 1}, 0.0, 1.0, states{1}};
  const sparse_bdf m = on_pattern_of(q);
  const options o{.rtol = 1e-5, .atol = 1e-7, .first_step = 1e-7};
  const auto s = solve(q, m, o);
  REQUIRE(s.status == status::success);
  CHECK(std::abs(s.y[0] - std::cos(1.0)) < 1e-4);
  const klu_counts counts = klu_order_of(*m.algebra.pattern)->counts();
  CHECK(counts.again == s.stats.factorizations);
  CHECK(counts.by_size > 0);
  CHECK(counts.by_size < counts.again);
  CHECK(replay_law(q, m, o).what == "");
  CHECK(equal_gradients_law(q, m, o, recursive_checkpoint{.slots = 3},
                            {.schedule = schedule_kind::store_all})
            .what == "");
}

TEST_CASE("KLU: patterns of one unknown, of a diagonal, and without a zero") {
  for (const auto& [n, full] : {std::pair{1, false}, std::pair{7, false}, std::pair{7, true}}) {
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < n; ++i)
      for (int j = 0; full && j < n; ++j) entries.emplace_back(i, j);
    const auto pattern = std::make_shared<const sparsity>(n, entries);
    sparse_matrix<double> j{pattern, states(static_cast<std::size_t>(pattern->entries()), -1.0)};
    klu_factors factors;
    REQUIRE(factors.factor_shifted(j, 1.0));
    CHECK(factors.price() < n);
    states ones(static_cast<std::size_t>(n), 1.0), x = ones;
    factors.solve(x);
    for (const double one : x) CHECK(one == doctest::Approx(full ? 1.0 / (n + 1) : 0.5));
  }
}

}  // namespace
}  // namespace revode
