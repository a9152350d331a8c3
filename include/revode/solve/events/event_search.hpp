// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <revode/solve/events/event_set.hpp>
#include <revode/solve/events/event_sides.hpp>

namespace revode {

/// Which conditions pass through 0 in a step, and where first. Keeps the side of its surface on which
/// each event is.
template <class List, class Y, class P>
class event_search {
 public:
  using set = event_set<List, Y, P>;
  enum class verdict { none, found, unresolved };

  explicit event_search(const Y& like) : y_(like) { forget(); }

  /// The state is another one than the search has seen.
  void forget() {
    side_.fill(0);
    last_.fill(-HUGE_VAL);
  }

  double theta() const { return theta_; }
  const std::vector<int>& found() const { return found_; }

  /// The sides at the start of a stretch, behind the events `found`; direction: ±1, of time; moved: a
  /// jump changed the state. slope(y) = f(t, y, p) is asked for where an event's surface is so near
  /// that its condition does not tell the side. False where a side cannot be told.
  template <class Slope>
  bool start(set& events, double t, double direction, const Y& y, const P& p, bool moved,
             const Slope& slope) {
    bool known = true, sloped = false;
    events.for_each([&](int i, auto& e) {
      if constexpr (std::remove_cvref_t<decltype(e)>::located) {
        const auto k = static_cast<std::size_t>(i);
        const double g = e.condition(t, y, p), from = side_[k];
        known = known && !std::isnan(g);
        side_[k] = sign_of(g);
        const bool behind =
            at_rest(from) || std::find(found_.begin(), found_.end(), i) != found_.end();
        if (g != 0 && !behind && (from == 0 || from == side_[k])) return;
        if (!std::exchange(sloped, true)) slope(y_);
        const surface_view v = view(e, t, direction, y, p, g, residual_[k]);
        const bool wall =
            is_wall<Y, P>(e.event, moved || at_rest(from)) && leaves_side(e.event, from);
        known = find_side(v, from, wall, side_[k]) && known;
        near_[k] = v.near;
      }
    });
    found_.clear();
    return known;
  }

  /// The events found occur at θ = theta(), time t. False for one that occurred just before.
  template <class At>
  bool occur(set& events, double t, double h, double theta, const At& at, const P& p) {
    bool apart = true;
    theta_ = theta;
    at(theta_, y_);
    for (const int i : found_)
      events.visit(i, [&, k = static_cast<std::size_t>(i)](auto& e) {
        if constexpr (std::remove_cvref_t<decltype(e)>::located) {
          apart = apart && std::abs(t - last_[k]) > same_time(t, h);
          last_[k] = t;
          residual_[k] = std::abs(e.condition(t, y_, p));
        }
      });
    return apart;
  }

  /// Looks at the step from t of length h. at(θ, y) gives the dense output, y_new the step's end.
  template <class At>
  verdict look(set& events, double t, double h, int samples, const At& at, const Y& y_new,
               const P& p) {
    double from = 0;
    for (int j = 1; j <= samples; ++j) {
      const double to = j == samples ? 1.0 : static_cast<double>(j) / samples;
      if (j < samples) at(to, y_);
      const verdict v = look(events, t, h, from, to, at, j < samples ? y_ : y_new, p);
      if (v != verdict::none) return v;
      from = to;
    }
    return verdict::none;
  }

 private:
  friend struct kept_parts;
  /// Of an event whose condition is g at y, with the slope in y_.
  template <class E>
  surface_view view(const E& e, double t, double direction, const Y& y, const P& p, double g,
                    double residual) {
    Y moved = y_;
    const double rate = e.slope(t, y, p, y_), beside = t + few_ulps<scalar_t<Y>> * t;
    const double noise =
        rounding_of([&](const Y& at) { return e.condition(beside, at, p); }, g, y, moved);
    const double still =
        rounding_of([&](const Y& at) { return e.slope(t, y, p, at); }, rate, y_, moved);
    const double moving = time_resolution(t, t) * std::abs(rate);
    return {g, std::fmax(2 * residual, std::fmax(moving, noise)), direction * rate, still};
  }

  using numbers = std::array<double, set::count>;
  struct sample {
    numbers value{}, side{};  ///< of each condition, and where it is then
    std::array<bool, set::count> crossed{};
  };

  template <class At>
  verdict look(set& events, double t, double h, double from, double to, const At& at, const Y& y,
               const P& p) {
    bool any = false, known = true;
    sample s;
    events.for_each([&](int i, auto& e) {
      using event = std::remove_cvref_t<decltype(e)>;
      if constexpr (event::located) {
        const auto k = static_cast<std::size_t>(i);
        const double g = e.condition(t + to * h, y, p);
        known = next_side(g, near_[k], side_[k], s.side[k]) && known && !std::isnan(g);
        s.value[k] = g;
        s.crossed[k] = side_[k] != 0 && !at_rest(side_[k]) && s.side[k] != side_[k] &&
                       leaves_side(e.event, side_[k]);
        any = any || s.crossed[k];
      }
    });
    if (!known) return verdict::unresolved;
    if (any) return locate(events, t, h, from, to, at, p, s);
    for (std::size_t k = 0; k < side_.size(); ++k)
      if (s.side[k] != 0) side_[k] = s.side[k];
    return verdict::none;
  }

  /// The first root among those of the conditions crossed at `to`, and all that are at its time.
  template <class At>
  verdict locate(set& events, double t, double h, double from, double to, const At& at, const P& p,
                 const sample& s) {
    const double apart = time_resolution(t, t + h) / std::abs(h);
    const double resolution = std::fmax(apart / 16, 0x1p-54);
    bool known = true;
    numbers root{};
    theta_ = 2;
    events.for_each([&](int i, auto& e) {
      if constexpr (std::remove_cvref_t<decltype(e)>::located) {
        const auto k = static_cast<std::size_t>(i);
        if (!s.crossed[k]) return;
        const auto g = [&](double theta) {
          at(theta, y_);
          return side_[k] * e.condition(t + theta * h, y_, p);
        };
        root[k] = root_between(g, from, to, side_[k] * s.value[k], resolution);
        known = known && !std::isnan(root[k]);
        if (root[k] < theta_) theta_ = root[k];
      }
    });
    if (!known) return verdict::unresolved;
    for (std::size_t k = 0; k < side_.size(); ++k)
      if (s.crossed[k] && root[k] - theta_ <= apart) found_.push_back(static_cast<int>(k));
    return verdict::found;
  }

  numbers side_{};                        // see event_sides.hpp
  numbers last_{}, residual_{}, near_{};  // its last time, the condition there; see surface_view
  Y y_;
  double theta_ = 0;
  std::vector<int> found_;
};

/// Nothing to look for.
struct no_search {
  template <class Y>
  explicit no_search(const Y&) {}
  void forget() {}
};

}  // namespace revode
