// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <revode/solve/bracketed_root.hpp>
#include <revode/solve/event_set.hpp>

namespace revode {

/// Which conditions pass through 0 in a step, and where first. Keeps the side of its surface on which
/// each event is.
template <class List, class Y, class P>
class event_search {
 public:
  using set = event_set<List, Y, P>;
  enum class verdict { none, found, unresolved };

  explicit event_search(const Y& like) : y_(like), work_(like) {}

  double theta() const { return theta_; }
  const std::vector<int>& found() const { return found_; }

  /// The sides at the start of a stretch, behind the events `found`; direction: ±1, of time.
  /// slope(y) = f(t, y, p) is asked for where a condition is 0, or nearly so behind its own event.
  template <class Slope>
  bool start(set& events, double t, double direction, const Y& y, const P& p, const Slope& slope) {
    bool known = true, sloped = false;
    events.for_each([&](int i, auto& e) {
      if constexpr (std::remove_cvref_t<decltype(e)>::located) {
        const auto k = static_cast<std::size_t>(i);
        const double g = e.condition(t, y, p);
        known = known && !std::isnan(g);
        side_[k] = sign(g);
        const bool behind = std::find(found_.begin(), found_.end(), i) != found_.end();
        if (g != 0 && !behind) return;
        if (!std::exchange(sloped, true)) slope(y_);
        const double rate = e.slope(t, y, p, y_, work_);
        const double near =
            behind ? std::fmax(2 * residual_[k], time_resolution(t, t) * std::abs(rate)) : 0.0;
        if (std::abs(g) <= near) side_[k] = sign(direction * rate);
      }
    });
    found_.clear();
    return known;
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
  static int sign(double g) { return (g > 0) - (g < 0); }

  template <class At>
  verdict look(set& events, double t, double h, double from, double to, const At& at, const Y& y,
               const P& p) {
    bool any = false, known = true;
    events.for_each([&](int i, auto& e) {
      using event = std::remove_cvref_t<decltype(e)>;
      if constexpr (event::located) {
        const auto k = static_cast<std::size_t>(i);
        const crossing d = direction_of(e.event);
        const double g = e.condition(t + to * h, y, p);
        known = known && !std::isnan(g);
        new_side_[k] = sign(g);
        value_[k] = g;
        crossed_[k] = side_[k] != 0 && new_side_[k] != side_[k] &&
                      (d == crossing::both || (d == crossing::rising) == (side_[k] < 0));
        any = any || crossed_[k];
      }
    });
    if (!known) return verdict::unresolved;
    if (any) return locate(events, t, h, from, to, at, p);
    for (std::size_t k = 0; k < side_.size(); ++k)
      if (new_side_[k] != 0) side_[k] = new_side_[k];
    return verdict::none;
  }

  /// The first root among those of the crossed conditions, and all that are at its time.
  template <class At>
  verdict locate(set& events, double t, double h, double from, double to, const At& at,
                 const P& p) {
    const double apart = time_resolution(t, t + h) / std::abs(h);
    const double resolution = std::fmax(apart / 16, 0x1p-54);
    bool known = true;
    theta_ = 2;
    events.for_each([&](int i, auto& e) {
      if constexpr (std::remove_cvref_t<decltype(e)>::located) {
        const auto k = static_cast<std::size_t>(i);
        if (!crossed_[k]) return;
        const auto g = [&](double theta) {
          at(theta, y_);
          return side_[k] * e.condition(t + theta * h, y_, p);
        };
        root_[k] = root_between(g, from, to, side_[k] * value_[k], resolution);
        known = known && !std::isnan(root_[k]);
        residual_[k] = std::abs(g(root_[k]));
        if (root_[k] < theta_) theta_ = root_[k];
      }
    });
    if (!known) return verdict::unresolved;
    for (std::size_t k = 0; k < side_.size(); ++k)
      if (crossed_[k] && root_[k] - theta_ <= apart) found_.push_back(static_cast<int>(k));
    return verdict::found;
  }

  std::array<int, set::count> side_{}, new_side_{};
  std::array<bool, set::count> crossed_{};
  std::array<double, set::count> value_{}, root_{}, residual_{};
  Y y_, work_;
  double theta_ = 0;
  std::vector<int> found_;
};

/// Nothing to look for.
struct no_search {
  template <class Y>
  explicit no_search(const Y&) {}
};

}  // namespace revode
