// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/dual_sweep.hpp>
#include <revode/batch/lane_control.hpp>
#include <revode/batch/lane_events.hpp>
#include <revode/solve/bracketed_root.hpp>

namespace revode {

// Looking for events: in a loop over all lanes, in vectors (watch_lanes), which only tells in which
// lanes something passes through 0; those are then looked at one by one, in the arithmetic of
// event_search (look_at_lane).

/// What is known of the events in one step of a lane: which are found, at what θ.
template <int Count>
struct found_events {
  double theta = -1;  ///< −1: none
  bool found[Count] = {};
  double residual[Count] = {};
};

enum class lane_verdict { none, found, unresolved };

REVODE_HD double sign_of(double g) { return select(g > 0, 1.0, 0.0) - select(g < 0, 1.0, 0.0); }

/// Does an event on this side occur with this next one?
template <class E>
REVODE_HD bool crosses(const E& e, double side, double next) {
  const crossing d = direction_of(e);
  return (side != 0) & (next != side) &
         ((d == crossing::both) | ((d == crossing::rising) == (side < 0)));
}

template <class Y, class P, class E>
REVODE_HD double condition_in_lane(const E& e, double t, const Y& y, const P& p) {
  return static_cast<double>(e.condition(static_cast<scalar_t<Y>>(t), y, p));
}

/// d condition/dt along a solution of this slope.
template <class E, class Y, class P>
REVODE_HD double condition_slope(const E& e, double t, const Y& y, const P& p, const Y& along) {
  using T = scalar_t<Y>;
  using D = dual<T, 1>;
  field_arrays<Y, P, D> a;
  seed_direction(a, y, p, along, vec<T, 0>{});
  D at(static_cast<T>(t));
  at.d[0] = T(1);
  const D g = e.condition(at, a.y, a.p);
  return static_cast<double>(g.d[0]);
}

/// One step of a lane, whose dense output is asked for.
template <class M, class F, class Y, class P>
struct lane_piece {
  const M& m;
  system<F, Y, P> sys;
  double t, t_new;
  typename method_types<M, Y>::tape tape;
  typename method_types<M, Y>::scratch scratch;
  Y y_new;

  REVODE_HD lane_piece(const M& method, const F& f, const P& p) : m(method), sys(f, p) {}

  template <int W, class Tapes>
  REVODE_HD void read(const lane_group<M, Y, P, W>& g, const Tapes& tapes, int l) {
    using T = scalar_t<Y>;
    t = g.t_from[l], t_new = g.t[l];
    for_each_number(
        tape, 0, [&](int i, T& x) __attribute__((always_inline)) { x = tapes.numbers[i][l]; });
    for_each_element(
        y_new, [&](int i) __attribute__((always_inline)) { y_new.data()[i] = g.now[i][l]; });
  }
  REVODE_HD void extended() { extend(m, sys, t, t_new, tape, scratch); }
  template <class Theta>
  REVODE_HD void at(const Theta& theta, Y& y) const {
    interpolate(m, t, t_new, tape, scratch, theta, y);
  }
};

/// event_search::locate: the first root among those of the crossed conditions.
template <class Pack, class Piece, int Count, class Y, class P>
REVODE_HD lane_verdict locate(const Pack& pack, const Piece& step, const P& p, double from,
                              double to, const bool (&crossed)[Count], const double* side,
                              const double* value, found_events<Count>& what, Y& y) {
  const double t = step.t, h = step.t_new - step.t;
  const double apart = time_resolution(t, t + h) / std::abs(h);
  const double resolution = std::fmax(apart / 16, 0x1p-54);
  double root[Count] = {};
  bool known = true;
  what.theta = 2;
  for_each_event(pack, [&](auto number, const auto& e) {
    constexpr int k = decltype(number)::value;
    if constexpr (located_event<std::remove_cvref_t<decltype(e)>, Y, P>) {
      if (!crossed[k]) return;
      const auto g = [&](double theta) {
        step.at(theta, y);
        return side[k] * condition_in_lane(e, t + theta * h, y, p);
      };
      root[k] = root_between(g, from, to, side[k] * value[k], resolution);
      known = known && root[k] == root[k];
      what.residual[k] = std::abs(g(root[k]));
      if (root[k] < what.theta) what.theta = root[k];
    }
  });
  if (!known) return lane_verdict::unresolved;
  for (int k = 0; k < Count; ++k) what.found[k] = crossed[k] && root[k] - what.theta <= apart;
  return lane_verdict::found;
}

/// event_search::look for lane l.
template <class Pack, class Piece, int W, int Count, class P>
REVODE_HD lane_verdict look_at_lane(lane_event_state<Pack, W>& ev, int l, const Piece& step,
                                    const P& p, int samples, found_events<Count>& what) {
  const Pack& pack = *ev.list[l];
  auto y = step.y_new;
  using Y = decltype(y);
  double side[Count], from = 0;
  for (int k = 0; k < Count; ++k) side[k] = ev.side[k][l];
  for (int j = 1; j <= samples; ++j) {
    const double to = j == samples ? 1.0 : static_cast<double>(j) / samples;
    y = step.y_new;
    if (j < samples) step.at(to, y);
    bool crossed[Count] = {}, any = false, known = true;
    double next[Count] = {}, value[Count] = {};
    for_each_event(pack, [&](auto number, const auto& e) {
      constexpr int k = decltype(number)::value;
      if constexpr (located_event<std::remove_cvref_t<decltype(e)>, Y, P>) {
        value[k] = condition_in_lane(e, step.t + to * (step.t_new - step.t), y, p);
        known = known && value[k] == value[k];
        next[k] = sign_of(value[k]);
        crossed[k] = crosses(e, side[k], next[k]);
        any = any || crossed[k];
      }
    });
    if (!known) return lane_verdict::unresolved;
    if (any) return locate(pack, step, p, from, to, crossed, side, value, what, y);
    for (int k = 0; k < Count; ++k) ev.side[k][l] = side[k] = next[k] != 0 ? next[k] : side[k];
    from = to;
  }
  return lane_verdict::none;
}

/// θ = 1/4, 1/2, 3/4 as the weights of the method's dense output, where they can be had alone: a loop
/// over lanes that computed them would not be vectorised.
template <class M, class Y>
REVODE_HD auto sample_at(const M& m, double theta) {
  using tape_type = typename method_types<M, Y>::tape;
  if constexpr (requires(const tape_type& tape) { weights_at(m, tape, theta); })
    return weights_at(m, tape_type(), theta);
  else
    return theta;
}
template <class M, class Y>
struct quarter_samples {
  decltype(sample_at<M, Y>(M(), 0.5)) at[3];
  REVODE_HD explicit quarter_samples(const M& m)
      : at{sample_at<M, Y>(m, 0.25), sample_at<M, Y>(m, 0.5), sample_at<M, Y>(m, 0.75)} {}
};

/// One sample of a step: does anything pass through 0 since the last one, or is not a number? The
/// sides are those there behind it.
template <class Pack, class Y, class P>
REVODE_HD bool watch_sample(const Pack& pack, double t, const Y& y, const P& p, double* side) {
  bool hit = false;
  for_each_event(
      pack, [&](auto number, const auto& e) __attribute__((always_inline)) {
        constexpr int k = decltype(number)::value;
        if constexpr (located_event<std::remove_cvref_t<decltype(e)>, Y, P>) {
          const double value = condition_in_lane(e, t, y, p);
          const double next = sign_of(value);
          hit = hit | (value != value) | crosses(e, side[k], next);
          side[k] = select(next != 0, next, side[k]);
        }
      });
  return hit;
}
/// Sample J of four and those behind it: written out, since loops in a loop are never vectorised.
template <int J, class Pack, class Piece, class Y, class P, class Samples>
REVODE_HD bool watch_samples(const Pack& pack, const Piece& step, Y& y, const P& p,
                             const Samples& samples, double* side) {
  const double h = step.t_new - step.t;
  if constexpr (J == 4) {
    return watch_sample(pack, step.t + 1.0 * h, step.y_new, p, side);
  } else {
    step.at(samples.at[J - 1], y);
    const bool hit = watch_sample(pack, step.t + 0.25 * J * h, y, p, side);
    return hit | watch_samples<J + 1>(pack, step, y, p, samples, side);
  }
}
template <int, class Pack, class Piece, class Y, class P>
REVODE_HD bool watch_samples(const Pack& pack, const Piece& step, Y& y, const P& p, int samples,
                             double* side) {
  bool hit = false;
  for (int j = 1; j <= samples; ++j) {
    const double to = j == samples ? 1.0 : static_cast<double>(j) / samples;
    y = step.y_new;
    if (j < samples) step.at(to, y);
    hit = hit | watch_sample(pack, step.t + to * (step.t_new - step.t), y, p, side);
  }
  return hit;
}

/// Looks at the step that lane l has just made, if it has: whether something passes through 0 in it,
/// or a condition is no number; where not, the sides are those at its end. Without branches. True if
/// the lane wants to be looked at alone.
template <class M, class F, class Y, class P, int W, class Tapes, class Pack, class Samples>
REVODE_HD bool watch_lane(const M& m, const F& f, lane_group<M, Y, P, W>& g, const Tapes& tapes,
                          lane_event_state<Pack, W>& ev, int l, const Samples& samples) {
  constexpr int count = lane_event_state<Pack, W>::count;
  const bool accepted = g.error[l] <= g.accepted_up_to(l);
  if (W == 1 && !accepted) return false;
  bool hit = false;
  if constexpr (has_located<Y, P>(static_cast<const Pack*>(nullptr))) {
    P p;
    g.read_parameters(l, p);
    lane_piece<M, F, Y, P> step(m, f, p);
    step.read(g, tapes, l);
    step.extended();
    double side[count];
    for (int k = 0; k < count; ++k) side[k] = ev.side[k][l];
    Y y;
    hit = watch_samples<1>(*ev.list[l], step, y, p, samples, side);
    for (int k = 0; k < count; ++k) ev.side[k][l] = select(accepted & !hit, side[k], ev.side[k][l]);
    g.evaluations[l] += select(accepted, step.sys.counts.field_evaluations, 0);
  }
  ev.hit[l] = select(accepted & hit, 1.0, 0.0);
  return accepted & (hit | (g.direction[l] * (g.t[l] - g.next_time[l]) >= 0));
}

/// The same of all lanes; a function of its own as attempt_lanes is.
template <class M, class F, class Y, class P, int W, class Tapes, class Pack>
#if defined(__CUDACC__)
REVODE_HD
#else
[[gnu::noinline, gnu::flatten]]
#endif
    bool
    watch_lanes(const M& m, const F& f, lane_group<M, Y, P, W>& g, const Tapes& tapes,
                lane_event_state<Pack, W>& ev, int samples) {
  std::int64_t busy = 0;
  const auto watch = [&](const auto& at) {
    for_each_lane<W>([&](int l) __attribute__((always_inline)) {
      busy += watch_lane(m, f, g, tapes, ev, l, at);
    });
  };
  if (samples == 4)
    watch(quarter_samples<M, Y>(m));
  else
    watch(samples);
  return busy != 0;
}

}  // namespace revode
