// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <revode/solve/events/event_names.hpp>
#include <revode/solve/events/event_set.hpp>

namespace revode {

/// Located events of one type, as many as there are: the one entry of an event_list,
/// solve(q, m, o, events(event_vector<E, Y>{…})). An E has its direction, terminal and passes as members.
template <class E, class Y>
struct event_vector {
  static constexpr int most = 8;
  std::vector<E> each{};
  /// Sees every step's end; true stops the solve.
  std::function<bool(double, const Y&)> after_step{};

  bool empty() const { return each.empty(); }
};

template <class E, class Y>
inline constexpr bool is_event_of_another<event_vector<E, Y>> = true;

/// So many as the problem has, not as the type says.
template <class E, class Y, class P>
class event_set<event_list<event_vector<E, Y>>, Y, P> {
  using list = event_list<event_vector<E, Y>>;

 public:
  static constexpr int count = event_vector<E, Y>::most;
  static constexpr int located = count;
  static constexpr bool moves_parameters = false, listed = false, timed = false, observed = true,
                        watched = false, bounded = false;

  explicit event_set(const list& of) : observer_{{std::get<0>(of.each).after_step}} {
    const auto& all = std::get<0>(of.each).each;
    REVODE_EXPECT(all.size() <= static_cast<std::size_t>(count));
    each_.reserve(all.size());
    for (const E& e : all) each_.emplace_back(e);
  }

  template <class F>
  void visit(int which, F&& f) {
    if (which >= 0) f(each_[static_cast<std::size_t>(which)]);
  }
  template <class F>
  void for_each(F&& f) {
    for (std::size_t i = 0; i < each_.size(); ++i) f(static_cast<int>(i), each_[i]);
    f(count, observer_);
  }

 private:
  struct one : differentiable_event<E, Y, P> {
    explicit one(const E& e) : differentiable_event<E, Y, P>(e), terminal(e.terminal) {}
    bool terminal;
  };
  struct observer {
    static constexpr bool located = false, timed_by_parameters = false;
    struct {
      std::function<bool(double, const Y&)> tell;
      bool after_step(double t, const Y& y, const P&) const { return tell && tell(t, y); }
    } event;
  };
  std::vector<one> each_;
  observer observer_;
};

}  // namespace revode
