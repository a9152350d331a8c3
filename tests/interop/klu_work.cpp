// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/interop/klu.hpp>

#include <algorithm>
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

/// Columns of U of a matrix that KLU is given by rows, over numbers of K parts, with pivots on the diagonal.
template <int K>
struct columns_of_u {
  klu_common common = klu_order::settings();
  klu_order order;
  klu_numeric* numeric;
  std::vector<int> start, row;
  states real, imaginary;

  columns_of_u(const sparsity& p, states dominant, states values) : order(p) {
    int* starts = const_cast<int*>(p.starts());
    int* columns = const_cast<int*>(p.columns());
    const auto by = K == 1 ? klu_factor : klu_z_factor;
    numeric = by(starts, columns, dominant.data(), order.get(), &common);
    const auto again = K == 1 ? klu_refactor : klu_z_refactor;
    REQUIRE(again(starts, columns, values.data(), order.get(), numeric, &common) != 0);
    const auto measure = K == 1 ? klu_rgrowth : klu_z_rgrowth;
    REQUIRE(measure(starts, columns, values.data(), order.get(), numeric, &common) != 0);
    start.resize(static_cast<std::size_t>(p.size()) + 1);
    row.resize(static_cast<std::size_t>(numeric->unz));
    real.resize(row.size()), imaginary.resize(row.size());
    if constexpr (K == 1)
      klu_extract(numeric, order.get(), nullptr, nullptr, nullptr, start.data(), row.data(),
                  real.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                  &common);
    else
      klu_z_extract(numeric, order.get(), nullptr, nullptr, nullptr, nullptr, start.data(),
                    row.data(), real.data(), imaginary.data(), nullptr, nullptr, nullptr, nullptr,
                    nullptr, nullptr, nullptr, nullptr, &common);
  }
  columns_of_u(const columns_of_u&) = delete;
  ~columns_of_u() { (K == 1 ? klu_free_numeric : klu_z_free_numeric)(&numeric, &common); }

  double largest(int k) const {
    double most = 0;
    for (int e = start[static_cast<std::size_t>(k)]; e < start[static_cast<std::size_t>(k) + 1];
         ++e)
      for (const double x :
           {real[static_cast<std::size_t>(e)], imaginary[static_cast<std::size_t>(e)]})
        most = std::max(most, std::abs(x));
    return most;
  }
};

/// Matrices one of whose pivots is 10^(−k/4), k from 0 to 47. How many were seen to grow little.
template <int K>
int seen_to_grow_little() {
  random_numbers random(K);
  const int n = 25;
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n; ++i)
    for (const int j : {(i * 7 + 3) % n, (i + 1) % n, (i * i) % n}) entries.emplace_back(i, j);
  const sparsity p(n, entries);
  int seen = 0;
  for (int k = 0; k < 48; ++k) {
    states dominant(static_cast<std::size_t>(K * p.entries()), 0.0), values = random.like(dominant);
    for (int i = 0; i < n; ++i) {
      const auto place = static_cast<std::size_t>(K * p.find(i, i));
      dominant[place] = 1;
      for (std::size_t part = 0; part < K; ++part)
        values[place + part] = i == n / 2 ? std::pow(10.0, -k / 4.0) : 4 * values[place + part] + 4;
    }
    const columns_of_u<K> u(p, dominant, values);
    states scale(static_cast<std::size_t>(n), 0.0);  // of our columns, which are KLU's rows
    const auto size = [&](int e) {
      return K == 1 ? std::abs(values[static_cast<std::size_t>(e)])
                    : std::hypot(values[static_cast<std::size_t>(2 * e)],
                                 values[static_cast<std::size_t>(2 * e + 1)]);
    };
    for (int e = 0; e < p.entries(); ++e) {
      double& most = scale[static_cast<std::size_t>(p.column(e))];
      most = std::max(most, size(e));
    }
    bool expected = true;
    for (int column = 0; column < n; ++column) {
      const int i = u.order.get()->Q[column], e = K * p.find(i, i);
      double own = 0;
      for (int part = 0; part < K; ++part)
        own = std::max(own, std::abs(values[static_cast<std::size_t>(e + part)]));
      expected =
          expected && u.largest(column) <= 5e5 / K * own / scale[static_cast<std::size_t>(i)];
    }
    const bool found =
        klu_grows_little<K>(*u.order.get(), *u.numeric, *diagonal_of(p), values.data());
    CHECK(found == expected);
    if (found) CHECK(u.common.rgrowth >= 1e-6);
    seen += found ? 1 : 0;
  }
  return seen;
}

TEST_CASE("KLU: elements that grow little are seen without being measured") {
  const int real = seen_to_grow_little<1>(), complex = seen_to_grow_little<2>();
  CHECK(real > 15);
  CHECK(real < 40);
  CHECK(complex > 15);
  CHECK(complex < 40);
}

}  // namespace
}  // namespace revode
