// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <revode/problem.hpp>
#include <revode/state/vec.hpp>

namespace revode::two_species {

using states = std::vector<double>;
inline constexpr int cells = 16;
inline constexpr double diffusivity = 300;

/// Two species on a line, those of a kind side by side: u' = d Δu + p₀ − u + p₁ u² v,
/// v' = d/2 Δv + u − p₁ u² v. Diffusion and decay are its implicit part.
struct line {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    implicit_part(t, y, p, dy);
    for (int i = 0; i < cells; ++i) react(i, y, p, dy);
  }
  template <class T, class Y, class P>
  void implicit_part(const T&, const Y& y, const P&, Y& dy) const {
    const auto* x = y.data();
    auto* out = dy.data();
    for (int i = 0; i < 2 * cells; ++i) {
      const int k = i % cells;
      auto sum = -2.0 * x[i];
      sum = sum + x[k > 0 ? i - 1 : i] + x[k + 1 < cells ? i + 1 : i];
      out[i] = (i < cells ? diffusivity : diffusivity / 2) * sum;
    }
    for (int i = 0; i < cells; ++i) {
      out[i] = out[i] - x[i];
      out[cells + i] = out[cells + i] + x[i];
    }
  }
  template <class T, class Y, class P>
  void explicit_part(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < 2 * cells; ++i) dy.data()[i] = 0 * y.data()[i];
    for (int i = 0; i < cells; ++i) react(i, y, p, dy);
  }

 private:
  template <class Y, class P>
  static void react(int i, const Y& y, const P& p, Y& dy) {
    const auto &u = y.data()[i], &v = y.data()[cells + i];
    const auto made = p.data()[1] * (u * u * v);
    dy.data()[i] = dy.data()[i] + (p.data()[0] + made);
    dy.data()[cells + i] = dy.data()[cells + i] - made;
  }
};

inline auto problem_of(double t1) {
  states y(2 * cells);
  for (int i = 0; i < cells; ++i) {
    y[std::size_t(i)] = 1 + std::sin(0.4 * i);
    y[std::size_t(cells + i)] = 0.5 + 0.02 * i;
  }
  return problem{line{}, y, 0.0, t1, vec{0.4, 1.5}};
}

enum class fault { none, no_setup, no_numbers, no_transpose, no_numbers_transposed };

/// I − γ d Δ, solved exactly: symmetric, so that its transpose is itself. It may have faults.
struct diffusion {
  fault wrong = fault::none;
  double gamma = 0;

  bool setup(double, const double*, double step, bool) {
    gamma = step;
    return wrong != fault::no_setup;
  }
  void apply(double* x) const {
    solve(gamma * diffusivity, x);
    solve(gamma * diffusivity / 2, x + cells);
    if (wrong == fault::no_numbers) x[3] = std::numeric_limits<double>::quiet_NaN();
  }
  void apply_transposed(double* x) const {
    if (wrong == fault::no_transpose) {
      for (int i = 0; i < 2 * cells; ++i) x[i] = x[i] * (i % 2 == 0 ? 1.5 : 0.5);
      return;
    }
    apply(x);
    if (wrong == fault::no_numbers_transposed) x[3] = std::numeric_limits<double>::quiet_NaN();
  }

 private:
  /// Thomas' elimination.
  static void solve(double weight, double* x) {
    double upper[cells];
    for (int i = 0; i < cells; ++i) {
      const double middle = 1 + weight * (i == 0 || i + 1 == cells ? 1 : 2);
      const double pivot = i > 0 ? middle + weight * upper[i - 1] : middle;
      upper[i] = -weight / pivot;
      x[i] = (x[i] + (i > 0 ? weight * x[i - 1] : 0)) / pivot;
    }
    for (int i = cells - 1; i-- > 0;) x[i] -= upper[i] * x[i + 1];
  }
};

}  // namespace revode::two_species
