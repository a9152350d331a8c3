// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/events.hpp>
#include <revode/state/vec.hpp>

namespace revode {

/// y = (height, speed), p = (gravity, restitution).
struct falling_ball {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -p[0];
  }
};
struct bounce {
  static constexpr auto direction = crossing::falling;
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new[1] = -p[1] * y[1];
  }
};

/// y' = −p0 y
struct decaying {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < length(y); ++i) dy[i] = -p[0] * y[i];
  }
};
/// At the time p1, y0 grows by p2.
struct dose {
  template <class P>
  auto time(const P& p) const {
    return p[1];
  }
  template <class T, class Y, class P>
  void jump(const T&, const Y& y, const P& p, Y& y_new) const {
    y_new[0] = y[0] + p[2];
  }
};
/// The end: y0 has fallen to p1.
struct fallen {
  static constexpr bool terminal = true;
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P& p) const {
    return y[0] - p[1];
  }
};

/// y0'' = −y0
struct turning {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = y[1];
    dy[1] = -y[0];
  }
};
/// y0 passes through 0, seen and left alone.
template <crossing Direction>
struct zero_of_first {
  static constexpr auto direction = Direction;
  template <class T, class Y, class P>
  auto condition(const T&, const Y& y, const P&) const {
    return y[0];
  }
};

}  // namespace revode
