// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <revode/linalg/algebra.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// An ignition and what it heats, one after the other: y₀' = p y₀ (1 − y₀²), yᵢ' = 10 (yᵢ₋₁ − yᵢ). Steps longer than its
/// growth leave y₀ where it was, with estimates of next to nothing. Its sign is below the tolerance: both ends are right.
struct ignition {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0] * (1.0 - y[0] * y[0]);
    for (int i = 1; i < static_cast<int>(y.size()); ++i) dy[i] = 10.0 * (y[i - 1] - y[i]);
  }
};
inline constexpr double ignition_rate = 1e4, ignition_seed = 1e-12;
inline const options ignition_options{.rtol = 1e-3, .atol = 1e-6};

template <class Y>
auto ignition_of(Y y0) {
  y0[0] = ignition_seed;
  return problem{ignition{}, y0, 0.0, 1.0, vec{ignition_rate}};
}

/// |y₁(1)|: y₀ is a step, at the time at which its growth has brought it to 1.
inline double heated() {
  return -std::expm1(-10 * (1 - std::log(1 / ignition_seed) / ignition_rate));
}

/// The same backwards: y' = −f(y) from 0 to −1.
struct ignition_backwards {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    ignition{}(t, y, p, dy);
    for (int i = 0; i < static_cast<int>(y.size()); ++i) dy[i] = -dy[i];
  }
};

template <class Y>
auto mirrored(const problem<ignition, Y, vec<double, 1>>& q) {
  return problem{ignition_backwards{}, q.y0, 0.0, -1.0, q.p};
}

template <class S, class B>
void check_same_steps(const S& a, const B& b) {
  CHECK(a.stats.accepted == b.stats.accepted);
  CHECK(a.stats.rejected == b.stats.rejected);
}

template <class Y, class M>
void check_ignites(const M& m, Y y0) {
  CAPTURE(std::string(M::name));
  const auto q = ignition_of(y0);
  const auto s = solve(q, m, ignition_options);
  const auto back = solve(mirrored(q), m, ignition_options);
  check_same_steps(back, s);
  CHECK(back.y[0] == s.y[0]);
  CHECK(s.status == status::success);
  CHECK(std::abs(s.y[0]) == doctest::Approx(1.0).epsilon(1e-4));
  CHECK(std::abs(s.y[1]) == doctest::Approx(heated()).epsilon(0.02));
}

/// Factors of another algebra tell what dense ones do of an ignition: the same steps, and backwards.
template <class M, class Y, class L>
void check_ignites_as_dense(const Y& y0, const L& algebra) {
  CAPTURE(std::string(M::name));
  const auto q = ignition_of(y0);
  const with_algebra<M, L> m{{}, algebra};
  const auto other = solve(q, m, ignition_options);
  CHECK(std::abs(other.y[0]) == doctest::Approx(1.0).epsilon(1e-4));
  check_same_steps(other, solve(q, M{}, ignition_options));
  check_same_steps(other, solve(mirrored(q), m, ignition_options));
}

}  // namespace revode
