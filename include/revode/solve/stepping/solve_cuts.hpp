// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <revode/solve/course/stretches.hpp>
#include <revode/solve/events/asked_events.hpp>
#include <revode/solve/events/event_search.hpp>
#include <revode/solve/solution.hpp>
#include <revode/solve/stepping/march.hpp>

namespace revode {

/// Where the steps of a solve are cut, and what happens there: the first sweep looks for events and makes
/// the cuts, replays repeat them by their log.
template <class M, class F, class Y, class P, class Events>
class solve_cuts {
 public:
  using march_type = march<M, F, Y, P>;
  using tape_type = typename march_type::tape_type;
  using stretches_type = revode::stretches<Events, Y, P>;
  using set = typename stretches_type::set;
  static_assert(
      [] {
        if constexpr (is_spread_v<Y>) return set::sees_all;
        return true;
      }(),
      "an event whose condition or jump sees the part of a spread state that is here (it occurs by "
      "all elements, on all ranks at once) say what it is in a block, "
      "block_event{...} of revode/mpi/block_event.hpp?");

  solve_cuts(const options& o, const Events& events, const P& p, const Y& y0, double t0, double t1)
      : stretches(o, events, p, t0, t1),
        direction_(t1 < t0 ? -1 : 1),
        samples_(o.event_samples),
        search_(y0) {}

  /// Looks for events in the step just tried: θ of the first, −1 without. False: not resolved.
  bool look(march_type& to, const tape_type& tape, double& theta) {
    if constexpr (set::located > 0 && has_dense_output_v<M>) {
      to.extended(tape);
      const auto at = [&](double x, Y& y) { to.inside(tape, x, y); };
      using verdict = typename decltype(search_)::verdict;
      const verdict v = search_.look(located(), tape.t, tape.t_new, direction_, samples_, at,
                                     to.y_tried(), to.sys.p, search_.y);
      if (v != verdict::found) return v == verdict::none;
      theta = search_.theta;
      const double when = time_in_step(tape.t, tape.t_new, theta);
      const auto behind = [&](double x, Y& y) {  // where the method begins again
        to.inside(tape, x, y);
        if constexpr (has_mass_v<F>) make_consistent(to.sys, when, y);
      };
      return search_.occur(located(), when, tape.t_new - tape.t, behind, to.sys.p, search_.y);
    }
    return true;
  }

  /// Cuts behind the step just taken, at θ of it, the time `at`, or at its end; at t0 if there is none. `aim`: where a
  /// step of a fixed grid would have ended, if it was one. How the solve ends there, if it does.
  [[gnu::noinline, gnu::cold]] std::optional<status> make(march_type& on, const tape_type& tape,
                                                          double theta, double at, double aim,
                                                          double t1, std::vector<occurrence>& log) {
    std::span<const bool> found;
    if constexpr (set::located > 0)
      if (theta >= 0) found = search_.found;
    const cut c = stretches.add(on.position - 1, on.t, at, theta, found, aim);
    if (before_ != nullptr) before_->push_back(state_before(on, c, tape));
    const bool moved = take(on, c, tape);
    if constexpr (is_spread_v<Y>)
      if constexpr (set::jumps) whole<Y>::any(on.y(), false);  // did a jump throw on a rank?
    stretches.keep_parameters();
    stretches.enter(stretches.stretch() + 1);
    const double h = theta >= 0 ? tape.t_new - tape.t : 0.0;
    const bool stuck = is_stuck(theta >= 0, at, h, t_event_, stuck_);
    bool terminal = false;
    for (std::size_t k = c.first; k < c.past; ++k) {
      const int which = stretches.event(k).which;
      if (which >= 0) log.push_back({stretches.time_of(c, k), which, c.step});
      stretches.events().visit(which, [&](auto& e) { terminal = terminal || e.terminal; });
    }
    if (const auto why = on.trouble_of_start(); why != status::success) return why;
    if (terminal) return status::terminal_event;
    if (on.t == t1) return status::success;
    if (stuck || (c.begins && !know_sides(on, moved))) return status::event_not_resolved;
    return {};
  }
  /// The cut that is next in the log.
  [[gnu::noinline, gnu::cold]] void repeat(march_type& on, const tape_type& tape) {
    take(on, stretches.next_cut(), tape);
    stretches.enter(stretches.stretch() + 1);
  }

  /// On which side of its surface each event is; moved: see `take`.
  bool know_sides(march_type& on, bool moved) {
    if constexpr (set::located > 0)
      return search_.start(located(), on.t, direction_, on.y(), on.sys.p, moved, search_.y,
                           [&](Y& out) { slope_of(on.sys, on.t, on.y(), out); });
    return true;
  }
  /// The solution goes on from another state.
  void forget() { search_.forget(); }

  /// From now on the state before each cut is put there, in order.
  void keep_before(std::vector<Y>& before) { before_ = &before; }

  stretches_type stretches;

 private:
  friend struct kept_parts;
  auto located() {
    const auto each = [this](const auto& visit) {
      stretches.events().for_each([&](int k, auto& e) {
        if constexpr (std::remove_cvref_t<decltype(e)>::located) visit(k, e);
      });
    };
    if constexpr (is_spread_v<Y>)
      return asked_events<decltype(each), Y, set::count>(each);
    else
      return each;
  }
  /// The carry behind a cut, from that behind its step and the step's tape. Did a jump that may be for
  /// parameters alone change the state?
  [[gnu::noinline, gnu::cold]] bool take(march_type& on, const cut& c, const tape_type& tape) {
    bool moved = false;
    if (c.begins) {
      Y y = state_before(on, c, tape);
      [[maybe_unused]] std::conditional_t<set::moves_parameters, Y, nothing> before;
      if constexpr (set::moves_parameters) before = y;
      for (std::size_t k = c.first; k < c.past; ++k)
        stretches.events().visit(stretches.event(k).which, [&](auto& e) {
          e.jump(stretches.time_of(c, k), y, stretches.parameters());
        });
      if constexpr (set::moves_parameters) moved = !same_elements(before, y);
      on.begin_at(c.t, y);
    }
    on.t = c.t;
    return moved;
  }
  Y state_before(march_type& on, const cut& c, const tape_type& tape) {
    Y y = on.y();
    if constexpr (has_dense_output_v<M>) {
      if (c.theta < 0) return y;
      on.extended(tape);
      on.inside(tape, c.theta, y);
    }
    return y;
  }

  double direction_;
  int samples_, stuck_ = 0;
  double t_event_ = -HUGE_VAL;  // of the last cut
  struct search : event_search<set::count, has_mass_v<F>> {
    Y y;
    explicit search(const Y& like) : y(like) {}
  };
  struct no_search {
    explicit no_search(const Y&) {}
    void forget() {}
  };
  [[no_unique_address]] std::conditional_t<(set::located > 0), search, no_search> search_;
  std::vector<Y>* before_ = nullptr;
};

}  // namespace revode
