// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <revode/solvers/stabilized/stabilized_types.hpp>

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

/// Σ x(i)², x being called once for each i.
template <class X>
double squares(int n, const X& x) {
  return block_sum<double>(n, [&](int first, int last) {
    double sum = 0;
    for (int i = first; i < last; ++i) {
      const double at = x(i);
      sum += at * at;
    }
    return sum;
  });
}

/// The vector that power iterations begin with; returns its squared length. After a rejection half of it
/// is f: what has grown unstable is the largest part of f, and may be hidden from other vectors.
template <class Y>
double start_vector(const Y& f, bool rejected, Y& v) {
  const auto number = [](const auto& x) { return static_cast<double>(value_of(x)); };
  const int n = length(v);
  const double f_size = rejected ? squares(n, [&](int i) { return number(f.data()[i]); }) : 0;
  const double share = f_size > 0 && f_size - f_size == 0 ? std::sqrt(n / f_size) : 0;
  return squares(n, [&](int i) {
    const double x = scattered(static_cast<std::uint64_t>(i)) + share * number(f.data()[i]);
    v.data()[i] = scalar_t<Y>(x);
    return x;
  });
}

/// Estimates the spectral radius of ∂f/∂y by power iterations on differences of f and adds a fifth.
/// Deterministic.
/// cost    an evaluation an iteration, of which there are at most 50
/// source  Sommeijer, Shampine & Verwer, J. Comput. Appl. Math. 88 (1998) 315–326, section 3
template <class System, class Y>
double estimate_spectral_radius(System& sys, double t, const Y& y, const Y& f, bool rejected, Y& v,
                                Y& fv) {
  const auto number = [](const auto& x) { return static_cast<double>(value_of(x)); };
  const int n = length(y), least = rejected ? 4 : 1;
  double v_size = start_vector(f, rejected, v);
  const double size = squares(n, [&](int i) { return number(y.data()[i]); });
  const double small = 1.5e-8 * (size > 1e-12 ? std::sqrt(size) : 1e-6);
  double radius = 0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const double scale = small / std::sqrt(v_size);
    const double squared = squares(n, [&](int i) {  // of the perturbation as it is after rounding
      const double moved = number(y.data()[i]) + scale * number(v.data()[i]);
      v.data()[i] = scalar_t<Y>(moved);
      return moved - number(y.data()[i]);
    });
    sys(t, v, fv);
    v_size = squares(n, [&](int i) {
      v.data()[i] = fv.data()[i] - f.data()[i];
      return number(v.data()[i]);
    });
    if (!(v_size > 0)) return 1.2 * radius;
    const double before = radius;
    radius = std::sqrt(v_size / squared);
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
