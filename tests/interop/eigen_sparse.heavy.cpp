// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/interop/eigen/sparse.hpp>

#include <memory>
#include <string>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/implicit/implicit.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

/// The Brusselator on a periodic grid of N × N cells, with its own reaction rates in every cell.
struct brusselator_grid {
  int cells;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    const int n = cells;
    const double diffusion = 0.1 * n * n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto at = [&](int a, int b) {
          return static_cast<std::size_t>(2 * (((a + n) % n) * n + (b + n) % n));
        };
        const auto k = at(i, j);
        const auto u = y[k], v = y[k + 1];
        const auto reaction = p[k] * u * u * v;
        const auto spread = [&](std::size_t s) {
          return diffusion * (y[at(i - 1, j) + s] + y[at(i + 1, j) + s] + y[at(i, j - 1) + s] +
                              y[at(i, j + 1) + s] - 4.0 * y[k + s]);
        };
        dy[k] = 1.0 + reaction - (p[k + 1] + 1.0) * u + spread(0);
        dy[k + 1] = p[k + 1] * u - reaction + spread(1);
      }
  }
};

auto grid_problem(int n) {
  std::vector<double> y0(static_cast<std::size_t>(2 * n * n)), p(y0.size());
  for (std::size_t i = 0; i < y0.size(); ++i) {
    y0[i] = 1.0 + 0.5 * std::sin(0.7 * static_cast<double>(i));
    p[i] = i % 2 == 0 ? 1.0 : 3.4;
  }
  return problem{brusselator_grid{n}, y0, 0.0, 1.0, p};
}

template <class M, class Q>
auto sparse(const Q& q) {
  return with_algebra<M, eigen_sparse>{{}, {std::make_shared<sparsity>(sparsity_of(q)), true}};
}

TEST_CASE("sparsity: six entries a row of a Brusselator, and few colours whatever the grid") {
  const sparsity small = sparsity_of(grid_problem(6)), large = sparsity_of(grid_problem(12));
  CHECK(small.entries() == 6 * 72);
  CHECK(large.entries() == 6 * 288);
  CHECK(large.colours() <= 16);
}

TEST_CASE("sparse algebra: the solution, the gradient and the tangent of the dense one") {
  const auto q = grid_problem(5);
  const options o{.rtol = 1e-5, .atol = 1e-7};
  const auto check = [&](const auto& dense) {
    using M = std::remove_cvref_t<decltype(dense)>;
    const auto m = sparse<M>(q);
    auto s = solve(q, m, o, recursive_checkpoint{.slots = 3});
    auto d = solve(q, dense, o, recursive_checkpoint{.slots = 3});
    REQUIRE(s.status == status::success);
    CHECK(s.stats.accepted == d.stats.accepted);
    CHECK(relative_difference(s.y, d.y) < 1e-12);
    random_numbers random(3);
    const auto w = random.like(q.y0);
    const auto g = s.pullback(w), h = d.pullback(w);
    CHECK(relative_difference(g.y0, h.y0) < 1e-10);
    CHECK(relative_difference(g.p, h.p) < 1e-10);
    CHECK(replay_law(q, m, o).what == "");
    CHECK(dot_product_law(q, m, o, recursive_checkpoint{.slots = 2}, 1).worst < 1e-12);
    CHECK(equal_gradients_law(q, m, o, recursive_checkpoint{.slots = 2},
                              {.schedule = schedule_kind::store_all})
              .what == "");
  };
  check(radau_iia5{});
  check(kencarp4{});
}

TEST_CASE("sparse algebra: patterns that are wrong are found") {
  const auto q = grid_problem(4);
  using method = with_algebra<kencarp4, eigen_sparse>;
  const auto error_of = [&](const eigen_sparse& algebra) -> std::string {
    try {
      solve(q, method{{}, algebra}, {});
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  CHECK(error_of({}).starts_with("a sparsity pattern of size 0 for a state of 32"));
  const std::vector<std::pair<int, int>> none;
  CHECK(error_of({std::make_shared<sparsity>(31, none)})
            .starts_with("a sparsity pattern of size 31"));
  CHECK(error_of({std::make_shared<sparsity>(32, none), true})
            .starts_with("a sparsity pattern that misses an entry of row 0"));
  CHECK_THROWS_AS(sparsity(3, {{0, 3}}), std::invalid_argument);
}

}  // namespace
}  // namespace revode
