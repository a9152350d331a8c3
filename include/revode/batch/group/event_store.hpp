// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include <revode/batch/group/event_group.hpp>
#include <revode/batch/lane/lane_state.hpp>
#include <revode/batch/lane/lane_store.hpp>
#include <revode/solve/course/stretches.hpp>

namespace revode {

/// Can lanes side by side have these events at all?
template <class M, class F, class Y, class P, class Place, class... E>
inline constexpr bool events_side_by_side_v = [] {
  if constexpr (sizeof...(E) == 0 || static_size_v<Y> <= 0 || static_size_v<P> < 0 ||
                !std::is_trivially_copyable_v<F> || !has_estimate_v<M> || !has_dense_output_v<M> ||
                requires { requires F::complex_pairs; })
    return false;
  else
    return lanes_take_v<M, Y> && fits_lanes_v<M, Y> &&
           (true && ... && lanes_take_event_v<E, Y, P>)&&(
               Place::catches || (true && ... && std::is_trivially_copyable_v<E>));
}();

/// The events of an ensemble where its lanes run, and what has occurred.
template <class Place, class Y, class P, class... E>
class event_store {
 public:
  using pack = pack_of<E...>;
  template <class X>
  using array = typename Place::template array<X>;
  using packs_type = std::conditional_t<Place::catches, std::vector<pack>, array<pack>>;

  template <class Ensemble>
  event_store(const Ensemble& e, const options& o, const std::vector<event_list<E...>>& lists,
              index lanes) {
    std::vector<pack> packs;
    for (const auto& list : lists) packs.push_back(packed(list));
    packs_ = packs_type(packs.begin(), packs.end());
    std::vector<known_time> known;
    std::vector<index> begin, end;
    for (index l = 0; l < lanes; ++l) {
      const P& p = of_lane(e.p, l);
      const stretches<event_list<E...>, Y, P> times(o, of_lane(lists, l), p, of_lane(e.t0, l),
                                                    of_lane(e.t1, l));
      begin.push_back(static_cast<index>(known.size()));
      for (std::size_t k = 0; k < times.known_count(); ++k) known.push_back(times.known(k));
      end.push_back(static_cast<index>(known.size()));
    }
    known_ = array<known_time>(known.begin(), known.end());
    begin_ = array<index>(begin.begin(), begin.end());
    end_ = array<index>(end.begin(), end.end());
    in_ = {.lists = elements(packs_),
           .step = packs.size() > 1 ? 1 : 0,
           .known = elements(known_),
           .known_begin = {elements(begin_), lanes, 1},
           .known_end = {elements(end_), lanes, 1},
           .samples = o.event_samples};
    room_ = Place::catches ? 0 : static_cast<std::size_t>(lanes) * 8;
  }

  const lane_event_inputs<pack>& inputs() const { return in_; }

  /// A clean sheet for the next run.
  lane_occurrences sheet(index lanes) {
    each_.assign(static_cast<std::size_t>(lanes), {});
    if constexpr (Place::catches) {
      return {.each = each_.data()};
    } else {
      records_ = array<lane_occurrence>(room_);
      count_.assign(1, 0ULL);
      return {nullptr, elements(records_), elements(count_), room_};
    }
  }
  /// What occurred in the lanes; false: there was not enough room, which there is now for the same run.
  bool collect(std::vector<std::vector<occurrence>>& events) {
    if constexpr (!Place::catches) {
      const auto count = static_cast<std::size_t>(static_cast<unsigned long long>(count_[0]));
      if (count > std::exchange(room_, std::max(room_, count))) return false;
      std::vector<lane_occurrence> records(count);
      thrust::copy_n(records_.begin(), count, records.begin());
      for (const auto& r : records) each_[static_cast<std::size_t>(r.lane)].push_back(r.what);
    }
    events = std::move(each_);
    return true;
  }

 private:
  packs_type packs_;
  array<known_time> known_;
  array<index> begin_, end_;
  lane_event_inputs<pack> in_;
  std::vector<std::vector<occurrence>> each_;
  array<lane_occurrence> records_;
  array<unsigned long long> count_;
  std::size_t room_ = 0;
};

/// The times of the save points of lanes with events, which lane_save_points has for them.
template <class E, class Y>
void add_times(const E& e, const options& o, ensemble_solution<Y>& s) {
  auto& points = s.ys;
  if (points.counts.empty()) return;
  const std::size_t stride = static_cast<std::size_t>(points.stride);
  points.times.assign(points.numbers.size() / static_cast<std::size_t>(static_size_v<Y>), 0.0);
  for (index l = 0; l < s.lanes(); ++l) {
    const auto at = static_cast<std::size_t>(l), n = static_cast<std::size_t>(points.size(l));
    const auto& listed = e.save_ts.empty() ? o.save.ts : of_lane(e.save_ts, l);
    std::size_t k = 0;
    const auto put = [&](double t) {
      if (k < n) points.times[k++ * stride + at] = t;
    };
    if (o.save.t0) put(of_lane(e.t0, l));
    for (const double t : listed)
      if (k + (o.save.t1 && is_complete(s.status[at]) ? 1 : 0) < n) put(t);
    put(s.t[at]);
  }
}

/// An ensemble whose events lanes side by side can have; W: how many of them.
/// Gives what solve(e, m, o, lists) does; what a lane threw is left in `failures`.
template <int W, class M, class F, class Y, class P, class... E, class Place>
ensemble_solution<Y> solve_side_by_side(const ensemble<F, Y, P>& e, const M& m, const options& o,
                                        const std::vector<event_list<E...>>& lists, Place,
                                        lane_failures& failures) {
  const index lanes = lanes_of(e);
  lane_store<Place, scalar_t<Y>> store;
  store.upload(e, o, lanes);
  event_store<Place, Y, P, E...> events(e, o, lists, lanes);
  ensemble_solution<Y> s;
  do {
    const event_group<M, F, typename lane_state<Y, W>::type, P, W, pack_of<E...>> group{
        {m, e.f, rules_of(o), store.inputs(), store.outputs(), store.queue(), &failures},
        events.inputs(),
        events.sheet(lanes)};
    store.begin();
    Place::for_each(std::min(Place::workers(group), (lanes + W - 1) / W), group);
  } while (!events.collect(s.events));
  auto occurred = std::move(s.events);
  s = store.template download<Y>();
  s.events = std::move(occurred);
  add_times(e, o, s);
  return s;
}

}  // namespace revode
