// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/ad/functions.hpp>
#include <revode/config.hpp>

namespace revode {

// Circuits of MOS transistors by the model of Shichman and Hodges, as the test set's programs have it: nand and
// two_bit_adder.
// source  Guenther, Rentrop, Technical Report TUM-M9311 (1993)

/// A pulse of 5 V: low, up, high and down for so long, in so long a period.
struct pulse {
  double low, up, high, down, period;
};
template <class T>
struct signal {
  T level;
  double slope;
};
/// At a corner it is its limit from the left.
template <class T>
REVODE_HD signal<T> pulse_at(const T& t, const pulse& form) {
  const double now = static_cast<double>(value_of(t));
  const double before = now > 0 ? form.period * (std::ceil(now / form.period) - 1) : 0;
  const T x = t - static_cast<T>(before);
  const double here = now - before, top = form.low + form.up, fall = top + form.high;
  const auto after = [&](double since) { return x - static_cast<T>(since); };
  if (here <= form.low) return {T(0), 0};
  if (here <= top) return {static_cast<T>(5 / form.up) * after(form.low), 5 / form.up};
  if (here <= fall) return {T(5), 0};
  if (here <= fall + form.down)
    return {T(5) - static_cast<T>(5 / form.down) * after(fall), -5 / form.down};
  return {T(0), 0};
}

/// Constants of a kind of transistor: threshold, effect of the bulk, its potential, conductances forwards and
/// backwards.
struct transistor_kind {
  double threshold, bulk, potential, forwards, backwards;
};

/// The current from drain to source, −, of voltages drain–source, gate–source, bulk–source, gate–drain and
/// bulk–drain: source and drain change places where the first is below 0.
template <class S>
REVODE_HD S drain_current(const transistor_kind& kind, const S& ds, const S& gs, const S& bs,
                          const S& gd, const S& bd, const S& delta) {
  using std::sqrt;
  const bool forward = ds > 0;
  const S u = forward ? ds : S(-ds), gate = choose(forward, gs, gd), bulk = choose(forward, bs, bd);
  const auto c = [](double k) { return static_cast<decltype(value_of(ds))>(k); };
  const S over = gate - c(kind.threshold) -
                 c(kind.bulk) * (sqrt(c(kind.potential) - bulk) - c(std::sqrt(kind.potential)));
  if (!(over > 0) && !sees_both_v<S>) return S(0);
  const S shape = u < over ? S(u * (2 * over - u)) : S(over * over);
  const S current = c(forward ? kind.forwards : kind.backwards) * shape * (1 + delta * u);
  return forward ? S(-current) : current;
}

/// The current of a junction to the bulk at voltage u.
template <class S>
REVODE_HD S junction_current(const S& u, const S& saturation, const S& thermal) {
  using std::exp;
  if (u > 0 && !sees_both_v<S>) return S(0);
  return -saturation * (exp(u / thermal) - 1);
}
/// Its capacity, at_zero where u is 0.
template <class S>
REVODE_HD S junction_capacity(const S& u, const S& at_zero) {
  using std::sqrt;
  const auto contact = static_cast<decltype(value_of(u))>(0.87);
  if (u > 0) return at_zero * (1 + u / (2 * contact));
  return at_zero / sqrt(1 - u / contact);
}

}  // namespace revode
