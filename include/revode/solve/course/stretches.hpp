// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include <revode/concepts.hpp>
#include <revode/solve/course/cuts.hpp>
#include <revode/solve/events/event_set.hpp>

namespace revode {

/// The cuts of a solve, its events, and the parameters of each stretch where events move them.
template <class List, class Y, class P>
class stretches : public cut_list {
 public:
  using set = event_set<List, Y, P>;
  using kept_type = std::conditional_t<set::moves_parameters, P, nothing>;

  stretches(const options& o, const List& list, const P& p, double t0, double t1)
      : cut_list(o, t0, t1),
        events_(list),
        p0_(&p) {
    if constexpr (set::moves_parameters) p_ = p;
    events_.for_each([&](int which, auto& e) {
      using event = std::remove_cvref_t<decltype(e.event)>;
      if constexpr (listed_times<event>) {
        std::size_t k = 0;
        for (const double t : e.event.times)
          add_known_time(t, which, k++, is_discontinuity_v<event>);
      } else if constexpr (timed_event<event, P>) {
        add_known_time(static_cast<double>(e.event.time(p)), which, 0, is_discontinuity_v<event>);
      }
    });
  }
  /// Those of a course, to be entered again from its start.
  stretches(const cut_list& cuts, const List& list, const P& p)
      : cut_list(cuts),
        events_(list),
        p0_(&p) {
    if constexpr (set::moves_parameters) p_ = p;
  }
  stretches(const stretches&) = delete;
  stretches& operator=(const stretches&) = delete;

  set& events() { return events_; }

  /// See cut_list::reserve.
  void reserve(index located) {
    cut_list::reserve(located);
    if constexpr (set::moves_parameters)
      kept_.reserve(known_count() + static_cast<std::size_t>(located));
  }
  /// The most events that one cut can have.
  std::size_t most_at_once() const {
    std::size_t most = 0, same = 0;
    for (std::size_t k = 0; k < known_count(); ++k) {
      same = k > 0 && known(k).t == known(k - 1).t ? same + 1 : 1;
      if (same > most) most = same;
    }
    return most + static_cast<std::size_t>(set::located);
  }
  /// How many times the lists of events have.
  std::size_t listed() {
    std::size_t n = 0;
    if constexpr (set::listed)
      events_.for_each([&n](int, auto& e) {
        if constexpr (listed_times<std::remove_cvref_t<decltype(e.event)>>)
          n += e.event.times.size();
      });
    return n;
  }

  cut add(index step, double end, double t, double theta, std::span<const bool> found, double aim) {
    return log_cut(step, end, t, theta, found, aim);
  }
  /// Keeps the parameters behind the cut just added.
  void keep_parameters() {
    if constexpr (set::moves_parameters) kept_.push_back(p_);
  }
  void enter(std::size_t k) {
    enter_stretch(k);
    use_parameters(k);
  }
  /// Those of the k-th stretch.
  void use_parameters(std::size_t k) {
    if constexpr (set::moves_parameters) p_ = k > 0 ? kept_[k - 1] : *p0_;
  }
  /// The parameters in use; those of the problem, constant, where no event moves them.
  auto& parameters() {
    if constexpr (set::moves_parameters)
      return p_;
    else
      return *p0_;
  }
  index bytes() const {
    index sum = cut_list::bytes();
    if constexpr (set::moves_parameters) {
      sum += static_cast<index>(kept_.capacity() * sizeof(P));
      for (const P& p : kept_) sum += heap_part(p);
    }
    return sum;
  }

 private:
  friend struct kept_parts;
  static index heap_part(const P& p) {
    return std::is_trivially_copyable_v<P> ? 0 : static_cast<index>(bytes_of(p));
  }

  set events_;
  const P* p0_;
  [[no_unique_address]] kept_type p_{};
  std::vector<kept_type> kept_;
};

}  // namespace revode
