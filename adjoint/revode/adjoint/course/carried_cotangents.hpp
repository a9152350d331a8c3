// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <revode/adjoint/gradient.hpp>
#include <revode/concepts.hpp>
#include <revode/loop/snapshots.hpp>
#include <revode/state/elements.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// The cotangents of times that a reverse pass ends with; of the known ones those of stops and timed events.
template <class Time>
struct carried_times {
  Time t0{0}, t1{0};
  std::vector<Time> ts{}, known{};

  /// visit(one of these, the same of others), which become as many.
  template <class Other, class Visit>
  void each_beside(carried_times<Other>& others, Visit&& visit) const {
    const auto visit_all = [&](const std::vector<Time>& all, std::vector<Other>& there) {
      there.resize(all.size());
      for (std::size_t k = 0; k < all.size(); ++k) visit(all[k], there[k]);
    };
    visit(t0, others.t0);
    visit(t1, others.t1);
    visit_all(ts, others.ts);
    visit_all(known, others.known);
  }
};

/// What a reverse pass carries from step to step, and what it finds on the way.
template <class M, class Y, class P>
struct carried_cotangents {
  using types = method_types<M, Y>;
  using event_time = event_time_t<scalar_t<Y>>;
  using time = time_bar_t<Y, event_time>;
  typename types::state state;
  Y y;
  P p;
  [[no_unique_address]] typename types::seeds seeds;
  const cotangents<Y>* weights = nullptr;
  std::vector<time> ts{};
  std::size_t next_save = 0;
  time t0{0}, t1{0};
  time start{0};                              // of the time at which the step behind a cut begins
  std::vector<time> known{};                  // of stops and timed events
  const event_time* event_weights = nullptr;  // past those of cuts not pulled yet; null: none
  std::size_t cuts_left = 0;
  index last_cut = -2;                 // the step before the last cut not pulled yet
  index pulled_cut = -2;               // … before the last one pulled
  index quiet_from = 0, quiet_to = 0;  // steps between that are nothing but steps
  bool seeded = false;

  carried_cotangents(const M& m, const typename types::state& state_like, const Y& y_like,
                     const P& p_like)
      : state(state_like),
        y(y_like),
        p(p_like),
        seeds(make_part<typename types::seeds>(m, y_like)) {}

  /// Before the last step: what the loss says is yet to be pulled.
  void begin(const cotangents<Y>& w, std::size_t save_points, std::size_t known_times) {
    weights = &w;
    fill(state, scalar_t<Y>(0));
    fill(y, scalar_t<Y>(0));
    fill(p, scalar_t<P>(0));
    t0 = t1 = start = time(0);
    event_weights = w.events.empty() ? nullptr : w.events.data() + w.events.size();
    known.assign(known_times, time(0));
    ts.assign(save_points, time(0));
    next_save = w.ys.empty() ? 0 : save_points;
    pulled_cut = -2;
  }

  /// That of the k-th save point between t0's and t1's.
  template <class Course>
  const Y& weight(const Course& course, std::size_t k) const {
    return weights->ys[k + (course.save_points().t0 ? 1 : 0)];
  }

  index bytes() const {
    index bytes = footprint(state) + footprint(y) + footprint(p) + footprint(seeds);
    for (const time& bar : ts) bytes += footprint(bar);
    return bytes;
  }
};

}  // namespace revode
