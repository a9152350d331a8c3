// SPDX-License-Identifier: Apache-2.0
// The references, found again by a method that shares nothing with the scripts in tools/references:
// the extrapolated midpoint rule of order 16, in long double.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <revode/problems/all.hpp>

using namespace revode;

namespace {

using real = long double;
using vector = std::vector<real>;

template <class From>
vector widened(const From& from) {
  return vector(from.data(), from.data() + from.size());
}

/// n steps of the midpoint rule over h, started by Euler; its error has even powers of h/n only.
template <class F>
vector midpoint_rule(const F& f, real t, const vector& y, const vector& p, real h, int n) {
  const real k = h / n;
  vector before = y, now(y.size()), dy(y.size());
  f(t, before, p, dy);
  for (std::size_t i = 0; i < y.size(); ++i) now[i] = before[i] + k * dy[i];
  for (int m = 1; m < n; ++m) {
    f(t + m * k, now, p, dy);
    for (std::size_t i = 0; i < y.size(); ++i) before[i] += 2 * k * dy[i];
    std::swap(before, now);
  }
  return now;
}

/// Gragg's method with n = 2, 4, …, 16 and Neville's table; returns the table's last difference.
template <class F>
real step(const F& f, real t, vector& y, const vector& p, real h) {
  constexpr int columns = 8;
  std::vector<vector> table;
  real difference = 0;
  for (int j = 0; j < columns; ++j) {
    table.push_back(midpoint_rule(f, t, y, p, h, 2 * (j + 1)));
    for (int k = j - 1; k >= 0; --k) {
      const real ratio = static_cast<real>(j + 1) / static_cast<real>(k + 1);
      difference = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        real& entry = table[static_cast<std::size_t>(k)][i];
        const real finer = table[static_cast<std::size_t>(k) + 1][i];
        const real change = (finer - entry) / (ratio * ratio - 1);
        difference = std::max(difference, std::abs(change) / (1 + std::abs(finer)));
        entry = finer + change;
      }
    }
  }
  y = table.front();
  return difference;
}

template <class F>
vector solve(const F& f) {
  const real tolerance = 100 * std::numeric_limits<real>::epsilon();  // the table itself costs 30
  const vector p = widened(f.parameters());
  vector y = widened(f.y0());
  real t = F::t0, h = (real(F::t1) - t) / 64;
  while (t < F::t1) {
    const bool last = t + h >= F::t1;
    if (last) h = F::t1 - t;
    vector trial = y;
    const real difference = step(f, t, trial, p, h);
    const real factor =
        std::pow(tolerance / std::max(difference, tolerance * tolerance), real(1) / 15);
    if (difference <= tolerance) {
      t = last ? real(F::t1) : t + h;
      y = trial;
    }
    h *= std::clamp(factor * real(0.8), real(0.2), real(3));
  }
  return y;
}

/// The largest error of the reference, relative to the largest component.
template <class F>
double error(const F& f, const vector& y) {
  std::vector<int> components;
  if constexpr (requires { f.reference_components(); }) {
    components = f.reference_components();
  } else {
    for (std::size_t i = 0; i < y.size(); ++i) components.push_back(static_cast<int>(i));
  }
  const auto reference = f.reference();
  REQUIRE(components.size() == static_cast<std::size_t>(reference.size()));
  real largest = 0, worst = 0;
  for (const real v : y) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < components.size(); ++i) {
    worst =
        std::max(worst, std::abs(y[static_cast<std::size_t>(components[i])] - reference.data()[i]));
  }
  return static_cast<double>(worst / largest);
}

/// The error allowed: the references are rounded to double (1.2e-16), and the check itself is worth
/// `amplification` roundings of long double.
template <class F>
void check(const F& f, double amplification) {
  CAPTURE(std::string(F::name));
  const double unit = static_cast<double>(std::numeric_limits<real>::epsilon());
  CHECK(error(f, solve(f)) <= 1.2e-16 + amplification * unit);
}

}  // namespace

TEST_CASE("references of the small problems are right to the last digit of a double") {
  check(decay{}, 1e2);
  check(harmonic{}, 1e3);
  check(rotation{}, 1e3);
  check(lotka_volterra{}, 1e3);
  check(vdpol{}, 1e3);
  check(brusselator{}, 1e3);
  check(neural_spiral{}, 1e3);
  check(advection_diffusion_3d{}, 1e3);
}

TEST_CASE("references of the sensitive problems are right as far as they amplify rounding") {
  check(lorenz{}, 1e4);
  check(lorenz96{}, 1e9);
  check(arenstorf{}, 1e8);
  check(pleiades{}, 1e6);
}

TEST_CASE("the reference of burgers_1d is right to 15 digits") { check(burgers_1d{}, 5e3); }

TEST_CASE("kepler: the closed form is the orbit, and has the digits it claims") {
  CHECK(error(kepler{}, solve(kepler{})) < 1e-13);
  CHECK(error(kepler{0.9}, solve(kepler{0.9})) < 1e-12);

  // tools/references/closed_forms.py
  const auto near_circle = kepler{0.1}.reference();
  CHECK(std::abs(near_circle[0] - 0.21988353520083966) < 1e-12);
  CHECK(std::abs(near_circle[3] - 0.32879779909620361) < 1e-12);
  const auto thin = kepler{0.9}.reference();
  CHECK(std::abs(thin[0] + 1.2952662509875744) < 1e-12);
  CHECK(std::abs(thin[1] - 0.40039389637923215) < 1e-12);
  CHECK(std::abs(thin[2] + 0.67753909247075659) < 1e-12);
  CHECK(std::abs(thin[3] + 0.12708381542786862) < 1e-12);
}

TEST_CASE("heat_1d: the sum of modes solves the differences, and has the digits it claims") {
  CHECK(error(heat_1d{7}, solve(heat_1d{7})) < 1e-14);

  // tools/references/closed_forms.py
  CHECK(heat_1d{}.reference()[0] == doctest::Approx(0.011598592181453484).epsilon(1e-13));
  CHECK(heat_1d{}.reference()[49] == doctest::Approx(0.37262265862681692).epsilon(1e-13));
  CHECK(heat_1d{7}.reference()[1] == doctest::Approx(0.26702169299076161).epsilon(1e-13));
}

TEST_CASE("the reference of brusselator_1d at 500 points is found again by 80,000 steps of rk4") {
  const brusselator_1d f;
  const auto p = f.parameters();
  const int steps = 80'000;  // h ρ = 2.5; rk4 is stable to 2.78
  const double h = f.t1 / steps;
  std::vector<double> y = f.y0(), k(y.size()), at(y.size()), sum(y.size());
  for (int m = 0; m < steps; ++m) {
    sum = y;
    at = y;
    for (int stage = 0; stage < 4; ++stage) {
      f(0.0, at, p, k);
      const double weight = h / (stage == 1 || stage == 2 ? 3 : 6);
      const double reach = stage < 2 ? h / 2 : h;
      for (std::size_t i = 0; i < y.size(); ++i) {
        sum[i] += weight * k[i];
        at[i] = y[i] + reach * k[i];
      }
    }
    y = sum;
  }

  CHECK(error(f, widened(y)) < 3e-13);
}
