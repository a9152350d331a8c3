// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/batch/lane_events/lane_search.hpp>

namespace revode {

// Looking for events in a loop over all lanes, in vectors. It only tells in which lanes something passes
// through 0; those are then looked at one by one (look_at_lane).

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
          const double next = lane_sign(value);
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
    read_lane(g.p, l, p);
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
  return accepted & (hit | g.has_passed_save(l));
}

/// The same of all lanes; a function of its own as attempt_lanes is.
template <class M, class F, class Y, class P, int W, class Tapes, class Pack>
REVODE_HD bool watch_lanes(const M& m, const F& f, lane_group<M, Y, P, W>& g, const Tapes& tapes,
                           lane_event_state<Pack, W>& ev, int samples) {
  return flat_apart([&] {
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
  });
}

}  // namespace revode
