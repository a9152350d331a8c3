// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/batch/ensemble.hpp>
#include <revode/batch/ensemble_solution.hpp>
#include <revode/batch/group/event_store.hpp>
#include <revode/batch/lane/lane_arrays.hpp>
#include <revode/batch/lane/lane_loop.hpp>
#include <revode/batch/lane/lane_store.hpp>
#include <revode/batch/place.hpp>

namespace revode {

// Lanes one by one, on all cores of this machine: for whatever lanes side by side do not have. Each
// is a solve of its own, with all that one may have.

/// What a core does: the next lane, until there is none.
template <class E, class Visit>
struct lone_lanes {
  const E* e;
  const options* o;
  const Visit* visit;
  const index* order;
  lane_queue queue;
  lane_failures* failures;

  void operator()(index) const {
    for (index k = queue.pull(); k < queue.end; k = queue.pull()) {
      try {
        (*visit)(order[k], problem_of(*e, order[k]), options_of(*e, *o, order[k]));
      } catch (...) {
        failures->keep(std::current_exception());
      }
    }
  }
};

/// visit(l, problem_of(e, l), options_of(e, o, l)) for every lane l, several at a time, those of the
/// greatest e.cost first. So an ensemble has whatever a solve has:
///
///   for_each_lane_alone(e, o, [&](index l, const auto& q, const options& of) {
///     auto s = solve(q, tsit5{}, of, events(dose{}), recursive_checkpoint{});
///     gradient[l] = s.pullback({.y = weight}).p;      // an element of its own for each lane
///   });
///
/// place   Thrust's system of the build where that is this machine, otherwise its host system
/// errors  the first exception of a visit, after all lanes
template <class F, class Y, class P, class Visit, class Place = on_device>
void for_each_lane_alone(const ensemble<F, Y, P>& e, const options& o, const Visit& visit,
                         Place = {}) {
  using here = std::conditional_t<Place::catches, Place, on_host>;
  const index lanes = lanes_of(e);
  std::vector<index> order(static_cast<std::size_t>(lanes));
  std::iota(order.begin(), order.end(), index{0});
  if (e.cost.size() > 1)
    std::stable_sort(order.begin(), order.end(),
                     [&](index a, index b) { return of_lane(e.cost, a) > of_lane(e.cost, b); });
  unsigned long long next = 0;
  lane_failures failures;
  const lone_lanes<ensemble<F, Y, P>, Visit> work{
      &e, &o, &visit, order.data(), {&next, lanes}, &failures};
  here::for_each(std::min(here::workers(work), lanes), work);
  failures.rethrow();
}

/// Throws std::invalid_argument, before any work, for the first thing wrong; returns the number of
/// lanes.
template <class M, class F, class Y, class P, class... E>
index validate(const ensemble<F, Y, P>& e, const M& m, const options& o,
               const std::vector<event_list<E...>>& events) {
  const index lanes = lanes_of(e);
  if (events.size() != 1 && static_cast<index>(events.size()) != lanes)
    throw std::invalid_argument("events with " + std::to_string(events.size()) +
                                " elements in an ensemble of " + std::to_string(lanes) +
                                " lanes (each lane has its own, or all share one) give " +
                                std::to_string(lanes) + " of them, or 1?");
  for (index l = 0; l < lanes; ++l) {
    try {
      const auto q = problem_of(e, l);
      const options of = options_of(e, o, l);
      validate_request(q, m, of, of_lane(events, l));
      stretches<event_list<E...>, Y, P>(of, of_lane(events, l), q.p, q.t0, q.t1);  // their times
    } catch (const std::invalid_argument& wrong) {
      throw std::invalid_argument("lane " + std::to_string(l) + ": " + wrong.what());
    }
  }
  return lanes;
}

/// The solutions of all lanes as that of an ensemble.
template <class Y>
ensemble_solution<Y> gathered(std::vector<solution<Y>>& each) {
  const auto lanes = static_cast<index>(each.size());
  ensemble_solution<Y> all;
  std::size_t points = 0;
  for (const auto& s : each) points = std::max(points, s.ys.size());
  const index stride = padded_lanes(lanes);
  const auto padded = static_cast<std::size_t>(stride);
  if (points > 0) {
    all.ys.stride = stride;
    all.ys.numbers.assign(padded * points * static_cast<std::size_t>(length(each[0].y)), 0);
    all.ys.times.assign(padded * points, 0.0);
    all.ys.counts.assign(padded, 0);
  }
  for (std::size_t l = 0; l < each.size(); ++l) {
    auto& s = each[l];
    for (std::size_t k = 0; k < s.ys.size(); ++k)
      all.ys.put(static_cast<index>(l), s.ts[k], s.ys[k]);
    all.status.push_back(s.status);
    all.t.push_back(s.t);
    all.y.push_back(s.y);
    all.stats.push_back({s.stats.accepted, s.stats.rejected, s.stats.field_evaluations});
    all.events.push_back(std::move(s.events));
  }
  return all;
}

/// Lanes one by one, on the cores of this machine.
template <class M, class F, class Y, class P, class... E, class Place>
ensemble_solution<Y> solve_one_by_one(const ensemble<F, Y, P>& e, const M& m, const options& o,
                                      const std::vector<event_list<E...>>& events, Place place) {
  std::vector<solution<Y>> each(static_cast<std::size_t>(lanes_of(e)));
  for (std::size_t l = 0; l < each.size(); ++l) {
    each[l].status = status::user_error;
    each[l].t = of_lane(e.t0, static_cast<index>(l));
    each[l].y = of_lane(e.y0, static_cast<index>(l));
  }
  for_each_lane_alone(
      e, o,
      [&](index l, const auto& q, const options& of) {
        auto& s = each[static_cast<std::size_t>(l)];
        stepper<M, F, Y, P, event_list<E...>> loop(q, m, of, {}, of_lane(events, l));
        try {
          while (!loop.finished()) loop.step(loop.work_tape());
        } catch (...) {
          s = std::move(loop.result());
          s.status = status::user_error;
          throw;
        }
        s = std::move(loop.result());
      },
      place);
  return gathered(each);
}

/// Integrates every lane of an ensemble with events (see revode/solve/events.hpp): one list for all
/// lanes or, in a vector, one a lane, so that every lane has its own times. What occurred in lane l is
/// in solution.events[l]. Lanes go side by side, in vectors and on devices, with located and timed
/// events, any jumps, stops and discontinuities, for adaptive steps of the methods that lanes take
/// (on a device the events' functions are REVODE_HD, and their objects trivially copyable). With
/// anything else that a single solve may have they go one by one, on the cores of this machine; an
/// empty list, events(), asks for just that.
/// bits    those of problem_of(e, l) solved alone with these events
/// errors  std::invalid_argument for misuse; an exception of the field or an event ends its lane with
///         user_error, and the first is thrown again after all lanes have ended
template <method M, class F, class Y, class P, class... E, class Place = on_device>
ensemble_solution<Y> solve(const ensemble<F, Y, P>& e, const M& m, const options& o,
                           const std::vector<event_list<E...>>& events, Place place = {}) {
  validate(e, m, o, events);
  if constexpr (events_side_by_side_v<M, F, Y, P, Place, E...>) {
    if (!(o.fixed_step > 0) && what_lanes_lack(o).empty()) {
      constexpr int together = lane_width(Place::width, static_size_v<Y>);
      lane_failures failures;
      auto s = solve_side_by_side<together>(e, m, o, events, place, failures);
      failures.rethrow();
      return s;
    }
  }
  return solve_one_by_one(e, m, o, events, place);
}
template <method M, class F, class Y, class P, class... E, class Place = on_device>
ensemble_solution<Y> solve(const ensemble<F, Y, P>& e, const M& m, const options& o,
                           const event_list<E...>& events, Place place = {}) {
  return solve(e, m, o, std::vector<event_list<E...>>{events}, place);
}

}  // namespace revode
