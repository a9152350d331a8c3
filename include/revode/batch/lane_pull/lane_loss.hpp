// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/ad/dual.hpp>
#include <revode/state/elements.hpp>

namespace revode {

// A loss is a functor of what lane `lane` computed, on the host and, for lanes on a device, there:
//   loss(lane, y)                    a number, generic in the scalar of y = y(t1): its derivative
//                                    comes from forward duals
//   loss(lane, y, ys, y_bar, ys_bar) a number; writes the derivative with respect to y into y_bar
//                                    (which comes as zeros), and with respect to ys.at(k) by
//                                    ys_bar.add(k, cotangent), k < ys.size()
// ys are the save points of the lane: t0 if asked for, the listed times, t1 if asked for.

template <class Y>
struct lane_points {
  const scalar_t<Y>* numbers;
  index stride;
  index count;

  REVODE_HD index size() const { return count; }
  REVODE_HD Y at(index k) const {
    Y y;
    for (int i = 0; i < length(y); ++i) y.data()[i] = numbers[(k * length(y) + i) * stride];
    return y;
  }
};

template <class Y>
struct lane_point_bars {
  scalar_t<Y>* numbers;
  index stride;

  REVODE_HD void add(index k, const Y& y_bar) {
    for (int i = 0; i < length(y_bar); ++i) {
      auto& to = numbers[(k * length(y_bar) + i) * stride];
      to = to + y_bar.data()[i];
    }
  }
};

/// The state that a loss knows, where lanes have another of their own (lane_state.hpp).
template <class Y>
struct state_of_loss {
  using type = Y;
};

/// A loss without either form does not compile.
template <class Loss, class Y>
REVODE_HD scalar_t<Y> evaluate_loss(const Loss& loss, index lane, const Y& y,
                                    const lane_points<Y>& ys, Y& y_bar,
                                    lane_point_bars<Y>& ys_bar) {
  using T = scalar_t<Y>;
  if constexpr (requires { loss(lane, y, ys, y_bar, ys_bar); }) {
    return loss(lane, y, ys, y_bar, ys_bar);
  } else {
    constexpr int n = static_size_v<Y>;
    rebind_t<Y, dual<T, n>> z;
    for (int i = 0; i < n; ++i) z.data()[i] = dual<T, n>::input(y.data()[i], i);
    const dual<T, n> found = loss(lane, z);
    for (int i = 0; i < n; ++i) y_bar.data()[i] = found.d[i];
    return found.value;
  }
}

}  // namespace revode
