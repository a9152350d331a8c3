// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <revode/batch/lane/lane_arrays.hpp>
#include <revode/solve/course/cuts.hpp>
#include <revode/solve/events.hpp>
#include <revode/solve/solution.hpp>

namespace revode {

// Events of lanes side by side: their objects, and what a lane remembers of them.

/// The objects of an event_list, for devices too.
template <int I, class... E>
struct event_pack {};
template <int I, class E, class... Rest>
struct event_pack<I, E, Rest...> {
  E event;
  event_pack<I + 1, Rest...> rest;
};
template <class... E>
using pack_of = event_pack<0, E...>;

template <int I>
event_pack<I> packed() {
  return {};
}
template <int I, class E, class... Rest>
event_pack<I, E, Rest...> packed(const E& first, const Rest&... rest) {
  return {first, packed<I + 1>(rest...)};
}
template <class... E>
pack_of<E...> packed(const event_list<E...>& list) {
  return std::apply([](const E&... e) { return packed<0>(e...); }, list.each);
}

template <int I>
struct event_number {
  static constexpr int value = I;
};

/// visit(event_number<i>, event i) for all of them, in order.
template <int I, class Visit>
REVODE_HD void for_each_event(const event_pack<I>&, const Visit&) {}
template <int I, class E, class... Rest, class Visit>
REVODE_HD void for_each_event(const event_pack<I, E, Rest...>& pack, const Visit& visit) {
  visit(event_number<I>{}, pack.event);
  for_each_event(pack.rest, visit);
}

template <int I, class... E>
constexpr int events_in(const event_pack<I, E...>*) {
  return static_cast<int>(sizeof...(E));
}
template <class Y, class P, int I, class... E>
constexpr bool has_located(const event_pack<I, E...>*) {
  return (false || ... || located_event<E, Y, P>);
}

/// Located and timed events, without what looks at every step or attempt.
template <class E, class Y, class P>
inline constexpr bool lanes_take_event_v =
    !step_observer<E, Y, P> && !attempt_observer<E> && !domain_predicate<E, Y, P> &&
    (located_event<E, Y, P> || timed_event<E, P>);

/// The events of the lanes, on the place where they run: one list for all (step 0) or one a lane. Lane
/// l's known times are known[known_begin(l) … known_end(l)), in the order of cut_list.
template <class Pack>
struct lane_event_inputs {
  const Pack* lists = nullptr;
  index step = 0;
  const known_time* known = nullptr;
  lane_column<index> known_begin, known_end;
  int samples = 4;
};

struct lane_occurrence {
  index lane;
  occurrence what;
};

/// Where lanes put what occurs: on this machine into a vector each; on a device into one array, in the
/// order of each lane, and as many more are only counted.
struct lane_occurrences {
  std::vector<occurrence>* each = nullptr;
  lane_occurrence* records = nullptr;
  unsigned long long* count = nullptr;
  unsigned long long room = 0;

  REVODE_HD void put(index lane, const occurrence& what) const {
#if defined(__CUDA_ARCH__)
    const unsigned long long at = atomicAdd(count, 1ULL);
    if (at < room) records[at] = {lane, what};
#else
    each[lane].push_back(what);
#endif
  }
};

/// What the lanes of a group remember of their events.
template <class Pack, int W>
struct alignas(64) lane_event_state {
  static constexpr int count = events_in(static_cast<const Pack*>(nullptr));
  const Pack* list[W];
  double side[count][W];  // of its surface on which each event is, see solve/events/event_sides.hpp
  double near[count][W], residual[count][W], last[count][W];  // as event_search has them
  double hit[W];  // the last step: 1, something passes through 0; 2, not looked at yet
  double tried[W], earlier[W];  // h and log2 of the last error before the last attempt
  double t1[W];                 // the lane's end; the group's t1 is that of the stretch
  double t_event[W];            // of the last cut
  std::int64_t stuck[W];
  index due[W];  // the next known time
};

}  // namespace revode
