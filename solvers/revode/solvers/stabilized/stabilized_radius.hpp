// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <revode/solvers/stabilized/stabilized_types.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// ±x with x in [0.75, 1.25), sign and size from a hash of i, so that no arrangement of the state (an
/// even grid, species side by side or one after the other) is close to a pattern of its elements.
/// source  the finaliser of splitmix64: Steele, Lea & Flood, OOPSLA 2014
REVODE_HD double scattered(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  const double size = 0.75 + static_cast<double>((z >> 16) & 0xffff) / 131072;
  return (z & 1) != 0 ? size : -size;
}

/// The vector that power iterations begin with, scattered numbers and a share of f; its squared length.
template <class Y>
double start_vector(const Y& f, double share, Y& v) {
  std::uint64_t first = 0;
  if constexpr (is_spread_v<Y>) first = static_cast<std::uint64_t>(whole<Y>::first(f));
  const auto add = [&](int i, double* size) {
    const double x = scattered(first + static_cast<std::uint64_t>(i)) +
                     share * static_cast<double>(value_of(f.data()[i]));
    v.data()[i] = scalar_t<Y>(x);
    *size += x * x;
  };
  return sums_over<1>(f, add).of[0];
}

/// Estimates the spectral radius of ∂f/∂y by power iterations on differences of f and adds a fifth.
/// After a rejection half of what they begin with is f: what has grown unstable is the largest part of f,
/// and may be hidden from other vectors. Deterministic.
/// cost    an evaluation an iteration, of which there are at most 50
/// source  Sommeijer, Shampine & Verwer, J. Comput. Appl. Math. 88 (1998) 315–326, section 3
template <class System, class Y>
double estimate_spectral_radius(System& sys, double t, const Y& y, const Y& f, bool rejected, Y& v,
                                Y& fv) {
  const auto at = [](const Y& x, int i) { return static_cast<double>(value_of(x.data()[i])); };
  const int least = rejected ? 4 : 1;
  const auto sizes = sums_over<2>(y, [&](int i, double* of) {
    of[0] += at(y, i) * at(y, i);
    if (rejected) of[1] += at(f, i) * at(f, i);
  });
  const double size = sizes.of[0], f_size = sizes.of[1];
  const bool shares = f_size > 0 && f_size - f_size == 0;
  double v_size = start_vector(f, shares ? std::sqrt(count_of(y) / f_size) : 0, v);
  const double small = 1.5e-8 * (size > 1e-12 ? std::sqrt(size) : 1e-6);
  double radius = 0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const double scale = small / std::sqrt(v_size);
    sweep_elements(v, [&](int i) { v.data()[i] = scalar_t<Y>(at(y, i) + scale * at(v, i)); });
    sys(t, v, fv);
    const auto squares = sums_over<2>(y, [&](int i, double* of) {
      const double by = at(v, i) - at(y, i);  // the perturbation as it is after rounding
      of[0] += by * by;
      v.data()[i] = fv.data()[i] - f.data()[i];
      of[1] += at(v, i) * at(v, i);
    });
    v_size = squares.of[1];
    if (!(v_size > 0)) return 1.2 * radius;
    const double before = radius;
    radius = std::sqrt(v_size / squares.of[0]);
    if (iteration >= least && std::abs(radius - before) <= 0.01 * radius) break;
  }
  return 1.2 * radius;
}

/// The radius that an attempt from a carry with this memo goes by, and the memo behind it.
template <class System, class Y>
stabilized_memo current_radius(double given, System& sys, double t, const stabilized_memo& before,
                               const Y& y, const Y& f, Y (&work)[8]) {
  if (given > 0) return {given, 1};
  if (!before.due()) return {before.radius, before.age > 0 ? before.age + 1 : 1};
  const bool rejected = before.age == stabilized_memo::rejected;
  const double found = estimate_spectral_radius(sys, t, y, f, rejected, work[0], work[1]);
  return {rejected && before.radius > found ? before.radius : found, 1};
}

}  // namespace revode
