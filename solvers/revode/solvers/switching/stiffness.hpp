// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/solve/error_norm.hpp>
#include <revode/solvers/explicit/runge_kutta_types.hpp>
#include <revode/state/elements.hpp>

namespace revode {

/// The stages by which an explicit method sees stiffness: the last two at the end of the step, whose
/// slopes differ by what the field makes of the difference of their arguments.
struct stage_pair {
  int first = -1, second = -1;
};
template <explicit_method M>
consteval stage_pair stages_at_end() {
  stage_pair pair;
  for (int i = 0; i < coefficients<M>::stages; ++i)
    if (coefficients<M>::c(i) == 1) pair = {pair.second, i};
  return pair;
}
/// The row of h (a_second − a_first): the difference of their arguments.
template <class M>
struct argument_difference {
  static consteval double at(int j) {
    constexpr stage_pair s = stages_at_end<M>();
    return coefficients<M>::a(s.second, j) - coefficients<M>::a(s.first, j);
  }
};

/// R(z) = 1 + Σ zᵏ bᵀAᵏ⁻¹1, the factor of a step of y' = λ y, z = h λ.
template <explicit_method M>
constexpr double stability_polynomial(double z) {
  constexpr int s = coefficients<M>::stages;
  double stage[s] = {}, sum = 1;
  for (int i = 0; i < s; ++i) {
    stage[i] = 1;
    for (int j = 0; j < i; ++j) stage[i] += z * M::tableau.a[i][j] * stage[j];
    sum += z * M::tableau.b[i] * stage[i];
  }
  return sum;
}
/// The longest interval [−x, 0] in which |R| ≤ 1, to 1/128.
template <explicit_method M>
consteval double stability_extent() {
  double x = 0;
  const auto stable = [](double at) {
    const double r = stability_polynomial<M>(-at);
    return -1 <= r && r <= 1;
  };
  while (stable(x + 1. / 128)) x += 1. / 128;
  return x;
}

/// Σ aᵢ bᵢ/wᵢ², w the tolerances for a step from y to y_new.
template <class Y, class A, class B>
double scaled_product(const tolerance& tol, const Y& y, const Y& y_new, const A& a, const B& b) {
  double sum = 0;
  for (int i = 0, n = length(y); i < n; ++i) {
    const double from = std::abs(static_cast<double>(value_of(y.data()[i])));
    const double to = std::abs(static_cast<double>(value_of(y_new.data()[i])));
    const double rtol = tol.each != nullptr ? tol.each->rtol[i] : tol.rtol;
    const double atol = tol.each != nullptr ? tol.each->atol[i] : tol.atol;
    const double weight = 1 / (atol + rtol * std::fmax(from, to));
    sum += weight * static_cast<double>(value_of(a(i))) *
           (weight * static_cast<double>(value_of(b(i))));
  }
  return sum;
}

/// |h λ| along the difference of the two stages: ‖h (k_J − k_I)‖/‖g_J − g_I‖ in the scale of the errors; NaN
/// where they do not differ, or not finitely.
/// source  Hairer & Wanner, Solving ODEs II, IV.2, (2.5)
template <explicit_method M, class Y>
double stiffness_of_step(const tolerance& tol, double h, const rk_tape<M, Y>& tape,
                         const Y& y_new) {
  using T = scalar_t<Y>;
  constexpr stage_pair at = stages_at_end<M>();
  static_assert(at.first >= 0,
                "an explicit method sees stiffness by two stages at the step's end "
                "(this one has no two): take e.g. tsit5, bs5, dopri5, vern7, vern9?");
  const T* k[at.second];
  for (int j = 0; j < at.second; ++j) k[j] = tape.k[j].data();
  T weight[at.second];
  scale_row<argument_difference<M>, 0, at.second>(static_cast<T>(h), weight);
  const auto slope = [&](int i) {
    return static_cast<T>(h) * (tape.k[at.second].data()[i] - tape.k[at.first].data()[i]);
  };
  const auto argument = [&](int i) {
    return add_weighted<argument_difference<M>, 0, at.second>(T(0), weight, k, i);
  };
  return std::sqrt(scaled_product(tol, tape.y, y_new, slope, slope) /
                   scaled_product(tol, tape.y, y_new, argument, argument));
}

/// The fastest part of a field at a state: |λ|, and whether it oscillates more than it decays or grows.
struct fastest_part {
  double rate = 0;
  bool oscillates = false;
};

/// That of the field at (t, y), by products with its Jacobian from a fixed start. For v after one of them
/// |λ|² = ‖J²v‖/‖v‖, and 2 cos² − 1 = ⟨J²v, v⟩/(‖J²v‖ ‖v‖) for the angle of λ to the real axis. They go
/// through `v`, `jv` and `jjv`. NaN where they are not finite.
template <class System, class Y>
fastest_part fastest_at(System& sys, const tolerance& tol, double t, const Y& y, Y& v, Y& jv,
                        Y& jjv) {
  using T = scalar_t<Y>;
  for (int i = 0, n = length(y); i < n; ++i) {  // ± the tolerances, without a pattern
    const double size = std::abs(static_cast<double>(value_of(y.data()[i])));
    const bool minus = (static_cast<unsigned>(i) * 2654435769U >> 30 & 1U) != 0;
    jjv.data()[i] = T((minus ? -1 : 1) * (tol.atol + tol.rtol * size));
  }
  sys.jvp(t, y, T(0), jjv, vec<T, 0>{}, v);
  sys.jvp(t, y, T(0), v, vec<T, 0>{}, jv);
  sys.jvp(t, y, T(0), jv, vec<T, 0>{}, jjv);
  const auto product = [&](const Y& a, const Y& b) {
    return scaled_product(
        tol, y, y, [&](int i) { return a.data()[i]; }, [&](int i) { return b.data()[i]; });
  };
  const double first = product(v, v), last = product(jjv, jjv);
  if (last == 0) return {};
  return {std::sqrt(std::sqrt(last / first)), product(jjv, v) < 0};
}

}  // namespace revode
