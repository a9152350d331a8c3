// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <omp.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <revode/ad/by_rows.hpp>
#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/dop853.hpp>
#include <revode/solvers/rock4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using state = std::vector<double>;
using numbers = vec<double, 3>;
constexpr int cells = 120'007;  // no multiple of a block, nor of the threads

/// Heat on a ring with a source that depends on the cell and on time.
struct ring_rows {
  int throws_at = -1;
  template <class T, class Y, class P, class DY>
  void operator()(int first, int last, const T& t, const Y& y, const P& p, DY& dy) const {
    using std::cos;
    for (int i = first; i < last; ++i) {
      if (i == throws_at) throw std::runtime_error("no such cell");
      const auto& here = y[i];
      dy[i] = p[0] * (y[i > 0 ? i - 1 : cells - 1] - 2 * here + y[i < cells - 1 ? i + 1 : 0]) -
              p[1] * here * here + p[2] * cos(t) * (i % 7);
    }
  }
};

state wave(double a) {
  state x(cells);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(a * static_cast<double>(i) + a);
  return x;
}

template <class M>
struct solved {
  state y;
  gradient<state, numbers> g;

  explicit solved(int threads) {
    const auto f = by_rows(ring_rows{});
    const problem q{f, wave(0.01), 0.0, 0.2, numbers{1.5, 0.3, 0.1}};
    auto s = solve(q, M{}, {.rtol = 1e-5, .atol = 1e-5, .threads = threads},
                   recursive_checkpoint{.slots = 2});
    REQUIRE(s.status == status::success);
    g = s.pullback(wave(0.03));
    y = std::move(s.y);
  }
};

template <class M>
void same_on_all() {
  const solved<M> one(1);
  for (const int threads : {2, 3, 7}) {
    CAPTURE(threads);
    const solved<M> several(threads);
    CHECK(same_elements(several.y, one.y));
    CHECK(same_elements(several.g.y0, one.g.y0));
    CHECK(same_elements(several.g.p, one.g.p));
    CHECK(several.g.t1 == one.g.t1);
  }
}

}  // namespace

TEST_CASE("a long state has the same bits on every number of threads, and so has its gradient") {
  same_on_all<tsit5>();
  same_on_all<dop853>();
  same_on_all<rock4>();
}

TEST_CASE("threads do run: rows are computed on each of them, duals of rows too") {
  int seen[3] = {};
  const auto f =
      by_rows([&](int first, int last, const auto&, const auto& y, const auto& p, auto& dy) {
#pragma omp atomic
        ++seen[omp_get_thread_num()];
        for (int i = first; i < last; ++i) dy[i] = -p[0] * y[i];
      });
  const problem q{f, wave(0.01), 0.0, 0.1, numbers{1.5, 0.3, 0.1}};
  CHECK(solve(q, tsit5{}, {.fixed_step = 0.1, .threads = 3}).status == status::success);
  for (const int count : seen) CHECK(count >= 6);
  CHECK(solve_threads == 1);

  derivatives<std::remove_cvref_t<decltype(f)>, state, numbers> d;
  state across[2] = {state(cells), state(cells)};
  for (const int threads : {1, 3}) {
    const on_threads here(threads);
    d.jvp(f, 0.0, q.y0, q.p, 0.0, wave(0.2), q.p, across[threads > 1]);
  }
  CHECK(same_elements(across[0], across[1]));
}

TEST_CASE("tangents and reverse solves are on the threads of the solve") {
  std::atomic<int> team = 0;
  const auto f =
      by_rows([&](int first, int last, const auto&, const auto& y, const auto& p, auto& dy) {
        if constexpr (!std::is_floating_point_v<std::remove_cvref_t<decltype(y[0])>>)
          team = omp_get_num_threads();
        for (int i = first; i < last; ++i) dy[i] = -p[0] * y[i] * y[i];
      });
  const problem q{f, wave(0.01), 0.0, 0.1, numbers{1.5, 0.3, 0.1}};
  state forward[2], back[2];
  for (const int threads : {1, 3}) {
    const options o{.fixed_step = 0.1, .threads = threads};
    forward[threads > 1] =
        solve(q, tsit5{}, o, tangents<state, numbers>{.y0 = q.y0, .p = q.p}).y_dot;
    CHECK(team.exchange(0) == threads);
    back[threads > 1] = solve(q, tsit5{}, o, backsolve{}).pullback(wave(0.03)).y0;
    CHECK(team.exchange(0) == threads);
  }
  CHECK(same_elements(forward[0], forward[1]));
  CHECK(same_elements(back[0], back[1]));
}

TEST_CASE("a kernel with threads of its own is refused where its rows are recorded") {
  const auto f =
      by_rows([](int first, int last, const auto&, const auto& y, const auto& p, auto& dy) {
#pragma omp parallel for num_threads(2)
        for (int i = first; i < last; ++i) dy[i] = p[0] * y[i] * y[(i + 1) % cells];
      });
  derivatives<std::remove_cvref_t<decltype(f)>, state, numbers> d;
  const state y = wave(0.01);
  state gy(cells);
  numbers gp{};
  CHECK_THROWS_AS(d.vjp(f, 0.0, y, numbers{}, y, static_cast<double*>(nullptr), gy, gp),
                  std::invalid_argument);
}

TEST_CASE("an exception of one thread passes through, and the next solve is as before") {
  ring_rows kernel;
  kernel.throws_at = 100'000;
  const auto f = by_rows(kernel);
  const problem q{f, wave(0.01), 0.0, 0.1, numbers{1.5, 0.3, 0.1}};
  CHECK_THROWS_WITH_AS(solve(q, tsit5{}, {.threads = 2}), "no such cell", std::runtime_error);
  CHECK(solve_threads == 1);
  kernel.throws_at = -1;
  CHECK(solve(q, tsit5{}, {.threads = 2}).status == status::success);
}

TEST_CASE("a long sum is a tree over blocks, on every number of threads") {
  const state x = wave(0.7);
  const auto part = [&](int first, int last) {
    double sum = 0;
    for (int i = first; i < last; ++i) sum += x[static_cast<std::size_t>(i)];
    return sum;
  };
  for (const int n : {1024, 1025, 5000, 100'000, cells}) {
    CAPTURE(n);
    std::vector<double> sums;  // pairs of neighbours, then pairs of pairs
    for (int b = 0; b < block_count(n); ++b)
      sums.push_back(part(b * block_length, block_end(b, n)));
    for (std::size_t apart = 1; apart < sums.size(); apart *= 2)
      for (std::size_t i = 0; i + apart < sums.size(); i += 2 * apart) sums[i] += sums[i + apart];
    for (const int threads : {1, 2, 3, 7}) {
      const on_threads here(threads);
      CHECK(block_sum<double>(n, part) == sums[0]);
    }
  }
}

}  // namespace revode
