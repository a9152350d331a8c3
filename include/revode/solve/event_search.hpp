// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <revode/solve/event_set.hpp>

namespace revode {

/// The right end of a bracket of a root, no wider than 2 resolution: g(a) > 0 ≥ g(b), and the result
/// b keeps g(b) ≤ 0. NaN where g is NaN.
/// cost    at most one evaluation more than bisection, about ten for a smooth g
/// source  the method ITP of Oliveira & Takahashi, ACM TOMS 47 (2021) 5:1–24, with κ₁ = 0.2/(b − a),
///         κ₂ = 2, n₀ = 1
template <class G>
double bracketed_root(const G& g, double a, double b, double ga, double gb, double resolution) {
  const double scale = 0.2 / (b - a);
  double most = resolution * std::exp2(1 + std::ceil(std::log2((b - a) / (2 * resolution))));
  for (int round = 0; b - a > 2 * resolution && round < 1100; ++round, most /= 2) {
    const double half = 0.5 * (b - a), middle = a + half;
    const double secant = (gb * a - ga * b) / (gb - ga);
    const double inward = std::copysign(1.0, middle - secant), shift = scale * (b - a) * (b - a);
    const double truncated = shift <= std::abs(middle - secant) ? secant + inward * shift : middle;
    const double radius = most - half;
    double x = std::abs(truncated - middle) <= radius ? truncated : middle - inward * radius;
    if (!(a < x && x < b)) x = middle;
    if (!(a < x && x < b)) return b;
    const double gx = g(x);
    if (std::isnan(gx)) return gx;
    (gx > 0 ? a : b) = x;
    (gx > 0 ? ga : gb) = gx;
  }
  return b;
}

/// How far apart two times must be to be two, around those of a step.
inline double time_resolution(double t, double t_new) {
  return 4 * std::numeric_limits<double>::epsilon() * std::fmax(std::abs(t), std::abs(t_new));
}

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
        root_[k] = root(g, from, to, side_[k] * value_[k], resolution);
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

  /// At the start of a stretch the surface may still be too near to see its side: then the bracket
  /// begins where that can be seen.
  template <class G>
  static double root(const G& g, double from, double to, double g_to, double resolution) {
    double g_from = g(from);
    while (!(g_from > 0)) {
      if (std::isnan(g_from)) return g_from;
      const double middle = from + 0.5 * (to - from);
      if (to - from <= 2 * resolution || middle == from) return to;
      const double g_middle = g(middle);
      if (g_middle > 0 || std::isnan(g_middle)) {
        from = middle;
        g_from = g_middle;
      } else {
        to = middle;
        g_to = g_middle;
      }
    }
    return bracketed_root(g, from, to, g_from, g_to, resolution);
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
