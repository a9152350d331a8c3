// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/batch/group/gradient_group.hpp>
#include <revode/batch/lane/lane_store.hpp>
#include <revode/batch/lane/lane_sum.hpp>

namespace revode {

/// Memory of the reverse pass, for the lanes that are resident at a time (not for the ensemble). Bits
/// do not depend on it.
struct lane_memory {
  index budget = index{1} << 30;           ///< bytes, over all resident lanes
  std::optional<lane_memory_plan> plan{};  ///< unset: the first that fits
  index slots = 0;                         ///< > 0: states kept, instead of what the budget gives
};

inline void validate(const lane_memory& memory) {
  if (memory.budget < 1)
    throw std::invalid_argument("budget of " + std::to_string(memory.budget) +
                                " bytes (a reverse pass keeps at least the initial states) give "
                                "some?");
  if (memory.slots < 0)
    throw std::invalid_argument("slots = " + std::to_string(memory.slots) +
                                " (a number of states is not negative) leave it at 0, or give "
                                "slots >= 1?");
}

/// What the reverse pass did and held.
struct lane_reverse_statistics {
  lane_memory_plan plan = lane_memory_plan::states;
  index slots = 0;
  index resident_lanes = 0;
  index bytes = 0;            ///< states, log and schedule of the resident lanes
  index pulled_rounds = 0;    ///< summed over lanes
  index replayed_rounds = 0;  ///< likewise
};

/// Asks ensemble_solver::gradient for the derivatives by t0, t1 and listed save times as well. Steps
/// that begin or end at a time that moves are pulled lane by lane: all of an equidistant grid.
struct of_times {};

/// The result of ensemble_solver::gradient. A lane whose solve has no success counts nothing; one whose
/// gradient is not finite is non_finite_gradient, its numbers and total_y0 and total_p are NaN.
template <class Y, class P>
struct ensemble_gradient {
  std::vector<scalar_t<Y>> loss{};
  std::vector<Y> y0{};
  std::vector<P> p{};
  scalar_t<Y> total_loss{};  ///< Σ over lanes; likewise the two below
  Y total_y0{};
  P total_p{};
  lane_reverse_statistics reverse{};
  std::vector<double> t0{}, t1{};         ///< with of_times
  std::vector<std::vector<double>> ts{};  ///< likewise: of each lane's listed save times
  std::vector<revode::status> status{};   ///< of each lane: that of its solve, then of its gradient

  /// Lanes with another status than success.
  index failed() const {
    index count = 0;
    for (const auto s : status) count += s != revode::status::success;
    return count;
  }
};

/// Spoils the lanes whose gradients are not finite, and then the totals.
template <class Y, class P>
void settle_lanes(ensemble_gradient<Y, P>& g) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto spoil = [](auto& x) { fill(x, static_cast<scalar_t<decltype(x)>>(nan)); };
  bool any = false;
  for (std::size_t l = 0; l < g.status.size(); ++l) {
    bool finite = all_finite(g.y0[l]) && all_finite(g.p[l]);
    if (!g.t0.empty()) finite = finite && all_finite(vec{g.t0[l], g.t1[l]}) && all_finite(g.ts[l]);
    if (finite) continue;
    any = true;
    g.status[l] = status::non_finite_gradient;
    spoil(g.y0[l]), spoil(g.p[l]);
    if (g.t0.empty()) continue;
    g.t0[l] = g.t1[l] = nan;
    g.ts[l].assign(g.ts[l].size(), nan);
  }
  if (any) spoil(g.total_y0), spoil(g.total_p);
}

/// The arrays of the reverse pass, where the lanes run.
template <class Place, class T>
class gradient_store {
 public:
  template <class X>
  using array = typename Place::template array<X>;

  /// Room for `workers` groups of `width` lanes. changed: the counts of the last run are a guess.
  template <class M, class Y, class P>
  lane_arena<T> prepare(const lane_store<Place, T>& store, const lane_memory& memory, index workers,
                        index width, bool fixed, bool changed, bool times) {
    constexpr index n = numbers_in<typename method_types<M, Y>::state, T>;
    lane_arena<T> a =
        plan(store, memory, workers, width, n * static_cast<index>(sizeof(T)), fixed, changed);
    const auto resident = static_cast<std::size_t>(workers * width);
    const auto slots = static_cast<std::size_t>(a.slots);
    const bool logs = a.plan != lane_memory_plan::controller;
    a.save_rows = store.points() * static_size_v<Y>;
    states_.resize(slots * static_cast<std::size_t>(n) * resident);
    log_.resize(logs ? static_cast<std::size_t>(a.rounds + 1) * resident : 0);
    control_.resize(logs ? 0 : slots * static_cast<std::size_t>(lane_control_rows) * resident);
    stack_.resize(slots * static_cast<std::size_t>(workers));
    save_bars_.resize(static_cast<std::size_t>(a.save_rows) * resident);
    overflow_.assign(1, 0);
    const auto stride = static_cast<std::size_t>(store.stride());
    y0_.assign(stride * static_cast<std::size_t>(static_size_v<Y>), T(0));
    p_.assign(stride * static_cast<std::size_t>(static_size_v<P>), T(0));
    loss_.assign(stride, T(0));
    for (auto* ends : {&t0_, &t1_}) ends->assign(times ? stride : 0, 0.0);
    ts_.assign(times ? stride * static_cast<std::size_t>(store.points()) : 0, 0.0);
    rounds_.assign(stride, 0);
    replayed_.assign(stride, 0);
    a.states = elements(states_);
    a.log = elements(log_);
    a.control = elements(control_);
    a.stack = elements(stack_);
    a.save_bars = elements(save_bars_);
    a.overflow = elements(overflow_);
    reverse_ = {.plan = a.plan, .slots = a.slots, .resident_lanes = workers * width};
    reverse_.bytes = bytes_of(states_) + bytes_of(log_) + bytes_of(control_) + bytes_of(stack_) +
                     bytes_of(save_bars_);
    return a;
  }

  lane_gradients<T> outputs() {
    return {.stride = static_cast<index>(loss_.size()),
            .y0 = elements(y0_),
            .p = elements(p_),
            .loss = elements(loss_),
            .t0 = elements(t0_),
            .t1 = elements(t1_),
            .ts = elements(ts_),
            .rounds = elements(rounds_),
            .replayed = elements(replayed_)};
  }
  bool overflowed() const { return overflow_[0] != 0; }

  template <class Y, class P>
  ensemble_gradient<Y, P> download(const lane_store<Place, T>& store) {
    ensemble_gradient<Y, P> g;
    const index lanes = store.lanes(), stride = store.stride();
    g.loss = store.host(loss_);
    g.loss.resize(static_cast<std::size_t>(lanes));
    g.y0 = store.template rows<Y>(y0_);
    g.p = store.template rows<P>(p_);
    g.total_loss = lane_sum<Place>(elements(loss_), lanes);
    for (int i = 0; i < static_size_v<Y>; ++i)
      g.total_y0.data()[i] = lane_sum<Place>(elements(y0_) + i * stride, lanes);
    for (int i = 0; i < static_size_v<P>; ++i)
      g.total_p.data()[i] = lane_sum<Place>(elements(p_) + i * stride, lanes);
    g.reverse = reverse_;
    if (!t0_.empty()) download_times(store, g);
    for (const index r : store.host(rounds_)) g.reverse.pulled_rounds += r;
    for (const index r : store.host(replayed_)) g.reverse.replayed_rounds += r;
    g.status = store.statuses();
    settle_lanes(g);
    return g;
  }

 private:
  template <class Gradient>
  void download_times(const lane_store<Place, T>& store, Gradient& g) const {
    const std::vector<index> listed = store.listed();
    const std::vector<double> ts = store.host(ts_);
    g.t0 = store.host(t0_), g.t1 = store.host(t1_);
    for (auto* ends : {&g.t0, &g.t1}) ends->resize(listed.size());
    g.ts.resize(listed.size());
    for (std::size_t l = 0; l < listed.size(); ++l)
      for (index k = 0; k < listed[l]; ++k)
        g.ts[l].push_back(ts[static_cast<std::size_t>(k * store.stride()) + l]);
  }

  template <class A>
  static index bytes_of(const A& a) {
    return static_cast<index>(a.size() * sizeof(a[0]));
  }

  /// The first plan that fits the budget, unless one is asked for. Sizes are per resident lane.
  lane_arena<T> plan(const lane_store<Place, T>& store, const lane_memory& memory, index workers,
                     index width, index state_bytes, bool fixed, bool changed) const {
    lane_arena<T> a{.workers = workers, .width = width};
    const index each = memory.budget / (workers * width);
    double most = 1;
    if (memory.plan != lane_memory_plan::controller)
      for (const double attempts : store.last_attempts()) most = std::max(most, attempts);
    a.rounds = static_cast<index>(changed && !fixed ? 1.25 * most + 8 : most);
    const index log = 8 * (a.rounds + 1);
    const index control = 8 * lane_control_rows;
    if (memory.plan)
      a.plan = *memory.plan;
    else if (a.rounds * state_bytes + log <= each)
      a.plan = lane_memory_plan::states;
    else if (fixed || log <= each / 2)
      a.plan = lane_memory_plan::log;
    else
      a.plan = lane_memory_plan::controller;
    const index left = a.plan == lane_memory_plan::controller ? each : each - log;
    const index slot =
        state_bytes + 8 / width + (a.plan == lane_memory_plan::controller ? control : 0);
    a.slots = a.plan == lane_memory_plan::states ? a.rounds
              : memory.slots > 0                 ? memory.slots
                                                 : left / slot;
    if (a.plan != lane_memory_plan::controller)
      a.slots = std::min(a.slots, a.rounds);
    else if (memory.slots == 0)
      a.slots = std::min(a.slots, index{1000});
    if (a.slots < 1)
      throw std::invalid_argument(
          "budget of " + std::to_string(memory.budget) + " bytes for " +
          std::to_string(workers * width) + " resident lanes (one state of each takes " +
          std::to_string(slot * workers * width) + (log > each ? ", a log more" : "") +
          ") give at least that many?");
    return a;
  }

  array<T> states_, save_bars_, y0_, p_, loss_;
  array<double> log_, control_, t0_, t1_, ts_;
  array<index> stack_, rounds_, replayed_;
  array<int> overflow_;
  lane_reverse_statistics reverse_;
};

}  // namespace revode
