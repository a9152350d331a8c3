// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <revode/adjoint/course/carried_cotangents.hpp>

namespace revode {

// Back over the start of a method, at t0: `now.state` is the cotangent of its state, or 0 where there is a cut
// at t0, and before_cut that of y before it. Save points at t0 join them.
//   along(w)   wᵀy' at the start

/// The k-th save point at t0, where it lies behind t0 by a step of length 0 along the solution; y_bar: what that
/// adds to the cotangent of the state there.
template <class Y, class Loop, class Along, class Now>
void pull_point_at_start(Loop& loop, std::size_t k, const Y& w, const Along& along, Y& y_bar,
                         Now& now) {
  if constexpr (requires { loop.pull_point_at_start(k, w, now.t0, y_bar, now.p); })
    now.ts[k] = loop.pull_point_at_start(k, w, now.t0, y_bar, now.p);
  else
    now.ts[k] = along(w);
  now.t0 -= now.ts[k];
}

template <class M, class Y, class P, class Loop, class Course, class Along>
void pull_plain_start(Loop& loop, const Course& course, const std::optional<Y>& before_cut,
                      const Along& along, carried_cotangents<M, Y, P>& now) {
  using time = typename carried_cotangents<M, Y, P>::time;
  const bool no_step = !before_cut && course.count() == 0, points = !now.weights->ys.empty();
  if (before_cut) {
    add(*before_cut, now.y);
  } else if (no_step) {  // moving an end makes a step
    copy(push_value(loop.scheme(), now.state), now.y);
    now.t1 = along(now.y);
    now.t0 = -now.t1;
  } else {
    time_bar_t<Y> t_bar(0);
    pull_begin(loop.scheme(), loop.sys(), course.t0(), loop.y0(), now.state, now.y, now.p, t_bar);
    now.t0 += is_multistep_v<M> ? -along(now.y) : static_cast<time>(t_bar);
  }
  if (points && course.save_points().t0) add(now.weights->ys.front(), now.y);
  for (std::size_t k = 0; points && k < course.saved() && course.save_step(k) < 0; ++k) {
    const Y& w = now.weight(course, k);
    if (no_step || before_cut)
      pull_point_at_start(loop, k, w, along, now.y, now);
    else if (is_multistep_v<M>)
      now.t0 -= along(w);
    add(w, now.y);
  }
}

/// With a mass matrix the state at t0 is made of y0 and moves with t0 (consistent_start.hpp): all that is said
/// of it goes there at once.
template <class M, class Y, class P, class Loop, class Course, class Along>
void pull_massive_start(Loop& loop, const Course& course, const std::optional<Y>& before_cut,
                        const Along& along, carried_cotangents<M, Y, P>& now) {
  using time = typename carried_cotangents<M, Y, P>::time;
  const bool no_step = !before_cut && course.count() == 0, points = !now.weights->ys.empty();
  Y bar = before_cut ? *before_cut : zero_like(now.y);
  if (no_step) {
    now.t1 = along(push_value(loop.scheme(), now.state));
    now.t0 -= now.t1;
  }
  if (points && course.save_points().t0) add(now.weights->ys.front(), bar);
  for (std::size_t k = 0; points && k < course.saved() && course.save_step(k) < 0; ++k) {
    const Y& w = now.weight(course, k);
    if (no_step || before_cut) {
      pull_point_at_start(loop, k, w, along, bar, now);
      add(w, bar);
    } else {
      pull_value(loop.scheme(), w, now.state);
    }
  }
  pull_value(loop.scheme(), bar, now.state);
  if constexpr (requires { loop.move_with(loop.at_t0()); }) loop.move_with(loop.at_t0());
  time_bar_t<Y> t_bar(0);
  pull_begin(loop.scheme(), loop.sys(), course.t0(), loop.y0(), now.state, now.y, now.p, t_bar);
  if (is_multistep_v<M> && course.count() > 0)  // its steps stand still, and so does all but `bar`
    now.t0 += along(bar) - along(now.y);
  else
    now.t0 += static_cast<time>(t_bar);
}

}  // namespace revode
