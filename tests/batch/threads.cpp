// SPDX-License-Identifier: Apache-2.0
// Lanes and solves on threads that the thread sanitizer understands, std::thread alone: no runtime of
// OpenMP or TBB stands between them (`tools/dev test --nightly`, part threads).
#include "ensemble_checks.hpp"
#include "lane_gradients.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <revode/solvers/rock2.hpp>
#include <revode/solvers/rock4.hpp>

namespace revode {
namespace {

constexpr index threads = 4;

/// op(0) … op(n − 1), on so many threads.
template <class Op>
void on_threads(index n, const Op& op) {
  std::atomic<index> next{0};
  std::vector<std::jthread> running;
  for (index k = 0; k < threads; ++k)
    running.emplace_back([&] {
      for (index i = next++; i < n; i = next++) op(i);
    });
}

/// A batch system of std::thread.
struct thread_place {
  template <class T>
  using array = thrust::host_vector<T>;
  static constexpr int width = 4;
  static constexpr bool catches = true;

  template <class Op>
  static index workers(const Op&) {
    return threads;
  }
  template <class Op>
  static void for_each(index n, const Op& op) {
    on_threads(n, op);
  }
};

template <bool Saves, class E>
auto solver_on_threads(const E& e, const options& o) {
  return ensemble_solver<tsit5, typename E::field_type, state, state, thread_place, 4, Saves>(
      e, tsit5{}, o);
}

struct throws_late {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    if (t > 0.5 && p[0] < 3) throw std::runtime_error("a lane that throws");
    dy = Y{-p[0] * y[0], y[2], -y[1]};
  }
};

TEST_CASE("threads: lanes on threads have the bits of their single solves and pullbacks") {
  const auto e = mixed_lanes(75);
  auto solver = solver_on_threads<false>(e, {});
  solver.run();
  check_against_single_solves(e, tsit5{}, {}, solver.result());
  for (const auto plan : {lane_memory_plan::log, lane_memory_plan::controller})
    check_against_pullbacks(e, tsit5{}, {}, false,
                            solver_on_threads<false>(e, {}).gradient(
                                end_loss{}, lane_memory{.plan = plan, .slots = 4}));
}

TEST_CASE("threads: save points of lanes on threads") {
  auto e = mixed_lanes(40);
  add_save_points(e);
  const options o{.save = {.t0 = true, .t1 = true}};
  check_against_pullbacks(e, tsit5{}, o, true,
                          solver_on_threads<true>(e, o).gradient(points_loss{}, lane_memory{}));
}

TEST_CASE("threads: several lanes that throw at a time leave one exception") {
  ensemble<throws_late, state, state> e;
  e.y0 = {state{1, 0, 1}};
  e.p.clear();
  for (int l = 0; l < 24; ++l) e.p.push_back({static_cast<double>(l % 4), 0, 0});
  ensemble_solver<tsit5, throws_late, state, state, thread_place, 4> solver(e, tsit5{}, {});
  CHECK_THROWS_AS(solver.run(), std::runtime_error);
  CHECK(solver.result().failed() == 18);
}

/// Gradients of one problem on several threads, each the first to ask for what is made once.
template <class M>
void check_gradients_at_once(const M& m) {
  const problem q{lorenz{}, vec{1.0, 0.5, 10.0}, 0.0, 0.3, vec{10.0, 28.0, 8.0 / 3}};
  std::vector<state> found(8);
  on_threads(8, [&](index i) {
    auto s = solve(q, m, {}, recursive_checkpoint{.slots = 5});
    if (s.status == status::success)
      found[static_cast<std::size_t>(i)] = s.pullback({.y = state{1, 1, 1}}).p;
  });
  for (const state& p : found) {
    CHECK(p == found.front());
    CHECK(p[0] != 0);
  }
}

TEST_CASE("threads: the same gradient on every thread at once") {
  check_gradients_at_once(tsit5{});
  check_gradients_at_once(rock2{});
  check_gradients_at_once(rock4{});
}

}  // namespace
}  // namespace revode
