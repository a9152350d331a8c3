// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <Eigen/Core>

#include <revode/state/samples.hpp>

namespace revode {

/// Pendulums with friction, a column each and each by itself, pushed by push[sample]: a batch of them has the
/// bits of each alone. p: gravity, friction and, of what grows without bound, its rate.
struct pendulums {
  static constexpr bool takes_sample_times = true;
  const double* push = nullptr;  ///< one a sample; null: none
  index first = 0;               ///< the sample that column 0 is, where times do not say

  template <class Time>
  double pushed(const Time& t, index j) const {
    if (push == nullptr) return 0;
    if constexpr (requires { t.sample(j); })
      return push[t.sample(j)];
    else
      return push[first + j];
  }
  template <class Time, class Y, class P>
  void operator()(const Time& t, const Y& y, const P& p, Y& dy) const {
    for (index j = 0; 2 * j < y.size(); ++j) {
      const auto q = y.data()[2 * j], v = y.data()[2 * j + 1];
      dy.data()[2 * j] = v;
      dy.data()[2 * j + 1] = -p.data()[0] * std::sin(q) - p.data()[1] * v +
                             p.data()[2] * q * q * q +
                             static_cast<scalar_t<Y>>(pushed(t, j)) * std::cos(time_of(t, j));
    }
  }
  template <class Time, class TimeBar, class Y, class P, class G>
  void vjp(const Time& t, const Y& y, const P& p, const Y& w, TimeBar& gt, Y& gy, G& gp) const {
    for (index j = 0; 2 * j < y.size(); ++j) {
      const auto q = y.data()[2 * j], v = y.data()[2 * j + 1];
      const auto a = w.data()[2 * j], b = w.data()[2 * j + 1];
      gy.data()[2 * j] += b * (3 * p.data()[2] * q * q - p.data()[0] * std::cos(q));
      gy.data()[2 * j + 1] += a - p.data()[1] * b;
      time_of(gt, j) -= b * static_cast<scalar_t<Y>>(pushed(t, j)) * std::sin(time_of(t, j));
      if (gp.size() == 0) continue;
      gp.data()[0] -= b * std::sin(q);
      gp.data()[1] -= b * v;
      gp.data()[2] += b * q * q * q;
    }
  }
};

}  // namespace revode
