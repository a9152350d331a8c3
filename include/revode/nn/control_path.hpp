// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>
#include <revode/solve/options.hpp>

namespace revode::nn {

/// How a path runs through what was observed at times t₀ < t₁ < …:
///   linear         straight from one to the next
///   cubic_hermite  by cubics whose slope at a time is that of the way to it: X' is continuous, and the path up
///                  to a time depends on the observation behind it and on none later
///   rectilinear    the time goes first, to the next one, then the values: the path up to an observation
///                  depends on none later. Its variable s counts both: 0, 1, 2, … 2 (knots − 1)
/// source  Morrill, Kidger, Yang & Lyons, Neural controlled differential equations for online prediction
///         tasks, arXiv:2106.11028, section 3
enum class control { linear, cubic_hermite, rectilinear };

/// X'(s) at one s: of the time (`clock`), and of values x_k as Σ c x_k over k = first, …; with derivatives by s.
template <class S>
struct control_rates {
  S clock, clock_bend;
  index first;
  int count;
  S c[3], bend[3];
};

/// A path X(s) = (t, x) whose derivative drives a controlled equation: linear in the values that were observed,
/// so it knows times alone.
/// errors  std::invalid_argument: fewer than two times, times that do not ascend or are not finite
class control_path {
 public:
  control_path(control kind, std::vector<double> times) : kind_(kind), times_(std::move(times)) {
    if (times_.size() < 2)
      throw std::invalid_argument("a path through " + std::to_string(times_.size()) +
                                  " times (it leads from one to the next) give two or more?");
    for (std::size_t k = 0; k < times_.size(); ++k)
      if (!(times_[k] - times_[k] == 0) || (k > 0 && !(times_[k] > times_[k - 1])))
        throw std::invalid_argument("time " + std::to_string(k) + " of a path is " +
                                    std::to_string(times_[k]) +
                                    " (times are finite and ascend) order them, and leave out "
                                    "what comes twice?");
  }

  index knots() const { return static_cast<index>(times_.size()); }
  const std::vector<double>& times() const { return times_; }
  /// The interval of s: that of the times, or of their count.
  double begin() const { return kind_ == control::rectilinear ? 0 : times_.front(); }
  double end() const {
    return kind_ == control::rectilinear ? 2 * static_cast<double>(knots() - 1) : times_.back();
  }

  /// o with steps that end at the knots between `from` and `to`: as discontinuities where X' jumps, as
  /// stops where it has a kink. Those that are in o have to be merged by their owner.
  /// errors  std::invalid_argument: o has stops or discontinuities
  options at_knots(options o, double from, double to) const {
    if (!o.stops.empty() || !o.discontinuities.empty())
      throw std::invalid_argument(
          "options with stops or discontinuities of their own (the knots are such) add them "
          "behind this call?");
    auto& ends = kind_ == control::cubic_hermite ? o.stops : o.discontinuities;
    const index last = kind_ == control::rectilinear ? 2 * (knots() - 1) : knots() - 1;
    for (index k = 0; k <= last; ++k) {
      const double s = kind_ == control::rectilinear ? static_cast<double>(k)
                                                     : times_[static_cast<std::size_t>(k)];
      if (std::min(from, to) < s && s < std::max(from, to)) ends.push_back(s);
    }
    if (to < from) std::reverse(ends.begin(), ends.end());
    return o;
  }

  /// X'(s); beyond the ends that of the first or the last piece. At a knot, that of the piece behind it.
  template <class S>
  control_rates<S> at(const S& s) const {
    return kind_ == control::rectilinear ? rectilinear(s) : smooth(s);
  }

 private:
  double length(index piece) const {
    const auto k = static_cast<std::size_t>(piece);
    return times_[k + 1] - times_[k];
  }

  template <class S>
  control_rates<S> rectilinear(const S& s) const {
    const auto place = static_cast<double>(value_of(s));
    const auto last = static_cast<double>(2 * (knots() - 1) - 1);
    const auto part = place > 0 ? static_cast<index>(std::min(place, last)) : index{0};
    control_rates<S> r{S(0), S(0), part / 2, 2, {S(0), S(0), S(0)}, {S(0), S(0), S(0)}};
    if (part % 2 == 0) {
      r.clock = lift<S>(length(part / 2));
    } else {
      r.c[0] = S(-1);
      r.c[1] = S(1);
    }
    return r;
  }

  /// x' = (1 − q) mᵢ + q mᵢ₊₁, m the slopes of the ways to the ends of piece i and q = 4u − 3u² in its u; mᵢ₊₁
  /// alone in straight pieces.
  template <class S>
  control_rates<S> smooth(const S& s) const {
    const auto behind =
        std::upper_bound(times_.begin(), times_.end(), static_cast<double>(value_of(s))) -
        times_.begin();
    const index i = std::clamp<index>(behind - 1, 0, knots() - 2);
    const double h = length(i);
    control_rates<S> r{S(1), S(0), i, 2, {S(0), S(0), S(0)}, {S(0), S(0), S(0)}};
    if (kind_ == control::linear || i == 0) {
      r.c[0] = lift<S>(-1 / h);
      r.c[1] = lift<S>(1 / h);
      return r;
    }
    const double before = length(i - 1);
    const S u = (s - lift<S>(times_[static_cast<std::size_t>(i)])) * lift<S>(1 / h);
    const S q = u * (S(4) - u * S(3)), q_bend = (S(4) - u * S(6)) * lift<S>(1 / h);
    r.first = i - 1;
    r.count = 3;
    spread(r.c, S(S(1) - q), q, before, h);
    spread(r.bend, S(-q_bend), q_bend, before, h);
    return r;
  }
  /// a (x₁ − x₀)/before + b (x₂ − x₁)/h, by x.
  template <class S>
  static void spread(S* c, const S& a, const S& b, double before, double h) {
    const S slope = a * lift<S>(1 / before), next = b * lift<S>(1 / h);
    c[0] = -slope;
    c[1] = slope - next;
    c[2] = next;
  }

  control kind_;
  std::vector<double> times_;
};

}  // namespace revode::nn
