// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/config.hpp>
#include <revode/solve/events.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// A ball that falls and bounces, (height, speed)' = (speed, −g), p = (g, restitution r): at height 0
/// the speed v becomes −r v. From rest at height 1; four bounces until t1. They come ever faster and
/// accumulate at √(2/g) (1 + r)/(1 − r), beyond which no solve can go.
struct bouncing_ball {
  static constexpr const char* name = "bouncing_ball";
  static constexpr const char* summary =
      "a ball dropped from height 1, p = (gravity, restitution); its bounces are events";
  static constexpr const char* source =
      "Hairer, Norsett, Wanner, Solving ODEs I, II.6 (event location); closed form";
  static constexpr double t0 = 0, t1 = 2.4;
  static constexpr int digits = 14;
  static constexpr const char* labels[] = {"height", "speed"};

  REVODE_HD constexpr auto y0() const { return vec<double, 2>{1, 0}; }
  REVODE_HD constexpr auto parameters() const { return vec<double, 2>{9.81, 0.8}; }

  /// The k-th bounce, counted from 0: √(2/g) (1 + 2 (r + r² + … + r^k)).
  REVODE_HD double bounce_time(int k) const {
    using std::sqrt;
    const double r = parameters()[1];
    double sum = 1, power = 1;
    for (int i = 0; i < k; ++i) sum += 2 * (power *= r);
    return sqrt(2 / parameters()[0]) * sum;
  }

  /// Behind the fourth bounce, with the speed r⁴ √(2g).
  REVODE_HD auto reference() const {
    using std::sqrt;
    const double g = parameters()[0], r = parameters()[1], since = t1 - bounce_time(3);
    const double speed = r * r * r * r * sqrt(2 * g);
    return vec<double, 2>{since * (speed - g * since / 2), speed - g * since};
  }

  template <class T, class Y, class P>
  REVODE_HD void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0];
  }

  struct bounce {
    static constexpr const char* name = "bounce";
    static constexpr crossing direction = crossing::falling;

    template <class T, class Y, class P>
    auto condition(const T&, const Y& y, const P&) const {
      return y[0];
    }
    template <class T, class Y, class P>
    void jump(const T&, const Y& y, const P& p, Y& y_new) const {
      y_new[1] = -p[1] * y[1];
    }
  };
  auto events() const { return revode::events(bounce{}); }
};

}  // namespace revode
