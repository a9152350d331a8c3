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

template <class Y, class M>
void check_ignites(const M& m, Y y0) {
  CAPTURE(std::string(M::name));
  const auto s = solve(ignition_of(y0), m, ignition_options);
  CHECK(s.status == status::success);
  CHECK(std::abs(s.y[0]) == doctest::Approx(1.0).epsilon(1e-4));
  CHECK(std::abs(s.y[1]) == doctest::Approx(heated()).epsilon(0.02));
}

/// Factors of another algebra tell what dense ones do: the same steps.
template <class M, class L>
void check_ignites_as_dense(const L& algebra) {
  CAPTURE(std::string(M::name));
  const auto q = ignition_of(std::vector<double>(20));
  const auto dense = solve(q, M{}, ignition_options);
  const auto other = solve(q, with_algebra<M, L>{{}, algebra}, ignition_options);
  CHECK(std::abs(other.y[0]) == doctest::Approx(1.0).epsilon(1e-4));
  CHECK(other.stats.accepted == dense.stats.accepted);
  CHECK(other.stats.rejected == dense.stats.rejected);
}

}  // namespace revode
