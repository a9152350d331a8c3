// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <revode/ad/functions.hpp>
#include <revode/state/algebra.hpp>

namespace revode {

/// Solves for parts x₁ … x_K by iterative refinement from where they are: residual() puts what is
/// left into `rest`, correct() turns that into a correction. Ends when corrections fall no longer
/// and are down to rounding; false when that takes more than `most` sweeps, which the rate of the
/// last two tells before, or does not come about.
/// source  Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. (2002), chapter 12
template <class Y, int K, class Residual, class Correct>
bool refine(Y (&x)[K], Y (&rest)[K], const Residual& residual, const Correct& correct,
            int most = 12) {
  using T = scalar_t<Y>;
  const double eps = static_cast<double>(std::numeric_limits<decltype(value_of(T{}))>::epsilon());
  double before = 0;
  for (int sweep = 0; sweep < most; ++sweep) {
    residual();
    correct();
    double change = 0, size = 0;
    for (int k = 0; k < K; ++k) {
      add(rest[k], x[k]);
      for (int i = 0, n = length(x[k]); i < n; ++i) {
        change = std::fmax(change, std::abs(static_cast<double>(value_of(rest[k].data()[i]))));
        size = std::fmax(size, std::abs(static_cast<double>(value_of(x[k].data()[i]))));
      }
    }
    if (!(size - size == 0)) return false;
    if (change <= eps * size) return true;
    // what the next sweep would change is below rounding
    if (sweep > 0 && change * change <= eps * size * before) return true;
    if (sweep > 0) {
      if (change > 0.25 * before) return change <= 64 * eps * size;
      if (change * std::pow(change / before, most - 1 - sweep) > 64 * eps * size) return false;
    }
    before = change;
  }
  return false;
}

/// x = A⁻¹ x, or A⁻ᵀ x, where what is left of it is looked at again: a solver that iterates may stop
/// at `tolerance`.
template <bool Transposed, class Factors, class X>
void solve_roughly(const Factors& factors, double tolerance, X& x) {
  if constexpr (requires { factors.template solve_to<Transposed>(tolerance, x); })
    factors.template solve_to<Transposed>(tolerance, x);
  else if constexpr (Transposed)
    factors.solve_transposed(x);
  else
    factors.solve(x);
}

/// Whether factors of an earlier step of a sweep serve on: of the same sweep, which goes on where
/// its last step ended, and with nearly the same shift. A sweep visits its steps in the same order
/// whatever the schedule and never shares factors with replays, so that bits do not depend on it.
class sweep_factors {
 public:
  /// Begins a step at t, `close` ends it; elsewhere than at the last end a sweep begins.
  void open(double t) {
    if (!(t == end_)) shift_ = 0;
    end_ = std::numeric_limits<double>::quiet_NaN();
  }
  void close(double t) { end_ = t; }

  bool serve(double shift) const { return std::abs(shift - shift_) <= 0.01 * std::abs(shift); }
  void renew(double shift) { shift_ = shift; }

 private:
  double end_ = std::numeric_limits<double>::quiet_NaN(), shift_ = 0;
};

/// Sweeps of refinement with older factors that cost less than new ones.
template <class Matrix>
int sweeps_worth_trying(const Matrix& j) {
  if constexpr (requires { j.pattern; })
    return 16;
  else if constexpr (requires { j.near; })  // products alone have no factors to save
    return 0;
  else if constexpr (requires { j.lower(); })
    return 5;
  else if constexpr (requires { j(0, 0); })
    return j.rows() < 40 ? 5 : (j.rows() < 160 ? j.rows() / 8 : 20);
  else
    return 5;
}

}  // namespace revode
