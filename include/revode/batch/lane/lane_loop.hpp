// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <mutex>
#include <utility>

#include <revode/batch/lane/lane_round.hpp>
#include <revode/batch/lane/lane_start.hpp>

namespace revode {

/// The first exception that a field threw while lanes ran on this machine.
class lane_failures {
 public:
  void keep(std::exception_ptr e) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!first_) first_ = std::move(e);
  }
  void rethrow() {
    if (first_) std::rethrow_exception(std::exchange(first_, nullptr));
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

/// The forward solve of one lane group: W lanes attempt in lockstep, one that ends makes room for
/// the next of the queue. Trivially copyable; the pointers are the place's.
template <class M, class F, class Y, class P, int W, bool Fixed, bool Saves>
struct forward_group {
  using T = scalar_t<Y>;
  M m;
  F f;
  lane_rules rules;
  lane_inputs<T> in;
  lane_outputs<T> out;
  lane_queue queue;
  lane_failures* failures = nullptr;

  using group_type = lane_group<M, Y, P, W>;
  using tapes_type = std::conditional_t<Saves, lane_tapes<M, Y, W>, no_tapes>;

  REVODE_HD void operator()(index) const {
    group_type g{};
    tapes_type tapes{};
    run(
        g, [&](int l, index lane) { start(g, l, lane); },
        [&](const index* lane) {
          int ended = attempt_round(g, tapes);
          if constexpr (Saves) save(g, tapes, lane, ended);
          return ended;
        });
  }

  /// start(l, lane) gives lane l of the group a problem; round(lanes) makes an attempt of each and
  /// tells how many have ended by it.
  template <class Start, class Round>
  REVODE_HD void run(group_type& g, const Start& start, const Round& round) const {
    index lane[W];  // lane l solves problem lane[l]; −1: none is left for it
    bool more = true;
    for (int l = 0; l < W; ++l) {
      lane[l] = -1;
      g.ended[l] = code(status::success);
    }
    for (;;) {
      int idle = 0;
      for (int l = 0; l < W; ++l) {
        if (g.ended[l] == running) continue;
        refill(g, l, lane[l], more, start);
        idle += lane[l] < 0;
      }
      if (idle == W) return;
      park(g, lane);
      int ended = 0;
      while (ended == 0) ended = round(lane);
    }
  }

  /// Takes lane l's result and gives it the next problem that needs a step.
  template <class Start>
  REVODE_HD void refill(group_type& g, int l, index& lane, bool& more, const Start& start) const {
    for (;;) {
      if (lane >= 0) retire_lane<Saves>(m, rules, g, l, out, lane);
      lane = -1;
      if (!more) return;
      const index k = queue.pull();
      more = k < queue.end;
      if (!more) return;
      lane = in.started(k);
      start(l, lane);
      if (g.ended[l] == running) return;
    }
  }

  /// A lane without a problem stands still where another is: whatever its own made the field throw.
  REVODE_HD void park(group_type& g, const index* lane) const {
    int model = 0;
    while (lane[model] < 0) ++model;
    for (int l = 0; l < W; ++l) {
      if (lane[l] >= 0) continue;
      for (int i = 0; i < group_type::carry_numbers; ++i) g.now[i][l] = g.now[i][model];
      for (int i = 0; i < group_type::parameters; ++i) g.p[i][l] = g.p[i][model];
      g.t[l] = g.t0[l] = g.t1[l] = g.t[model];
      g.h[l] = g.steps[l] = 0;
      g.equal_steps[l] = 1;
      rest_lane(g, l);
    }
  }

  REVODE_HD void start(group_type& g, int l, index lane) const {
    guarded([&] { start_lane<Fixed, Saves>(m, f, rules, in, out, g, l, lane); },
            [&] { g.ended[l] = code(status::user_error); });
  }

  /// One attempt of each lane; how many have ended by it.
  template <class Tapes>
  REVODE_HD int attempt_round(group_type& g, Tapes& tapes) const {
    int ended = 0;
    const bool settles = attempt(g, tapes, ended);
    return settles ? ended + settle<Fixed>(g) : ended;
  }

  /// The attempts alone; true if one of the lanes may have ended. When the field throws, the lanes of
  /// this round that are still to come are attempted one by one.
  template <class Tapes>
  REVODE_HD bool attempt(group_type& g, Tapes& tapes, int& ended) const {
    bool settles = false;
    guarded([&] { settles = attempt_lanes<Fixed>(m, f, rules, g, tapes); },
            [&] { settles = attempt_rest(g, tapes, ended); }, false);
    return settles;
  }

  template <class Tapes>
  REVODE_HD bool attempt_rest(group_type& g, Tapes& tapes, int& ended) const {
    index evaluations = g.evaluations_each;
    for (int l = 0; l < W; ++l)
      if (g.ended[l] == running && g.attempted[l] == g.clock)
        guarded([&] { evaluations = step_lane_apart<Fixed>(m, f, g, tapes, l); },
                [&] {
                  end_lane(g, l, code(status::user_error));
                  ++ended;
                });
    return advance_lanes<Fixed>(m, rules, g, tapes, evaluations);
  }

  REVODE_HD void save(group_type& g, const tapes_type& tapes, const index* lane, int& ended) const {
    for (int l = 0; l < W; ++l) {
      if (lane[l] < 0 || !g.has_passed_save(l)) continue;
      const bool was_running = g.ended[l] == running;
      guarded([&] { save_lane(m, f, in, out, g, tapes, l, lane[l]); },
              [&] {
                end_lane(g, l, code(status::user_error));
                ended += was_running;
              });
    }
  }

  /// body(), and where the field throws on this machine: its exception is kept and otherwise() runs.
  template <class Body, class Otherwise>
  REVODE_HD void guarded(Body&& body, Otherwise&& otherwise, bool keep = true) const {
#if defined(__CUDA_ARCH__)
    static_cast<void>(otherwise);
    static_cast<void>(keep);
    body();
#else
    try {
      body();
    } catch (...) {
      if (keep && failures != nullptr) failures->keep(std::current_exception());
      otherwise();
    }
#endif
  }
};

}  // namespace revode
