// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <revode/ad/functions.hpp>
#include <revode/concepts.hpp>
#include <revode/solve/controller.hpp>
#include <revode/solve/options.hpp>
#include <revode/state/whole.hpp>

namespace revode {

/// What may be left of a correction's linear system: as much as a simplified Newton iteration leaves.
inline constexpr double newton_solve_tolerance = 1e-3;

/// weight = 1/(atol + rtol |y|)
template <class Y>
void fill_weights(const Y& y, double rtol, double atol, Y& weight) {
  using T = scalar_t<Y>;
  using std::abs;
  for (int i = 0, n = length(y); i < n; ++i)
    weight.data()[i] = T(1) / muladd(T(rtol), abs(y.data()[i]), T(atol));
}
/// Σ (weightᵢ xᵢ)² / n. Of a spread state it tells whether `looked_at` is finite, too.
template <class Y>
mean_of_all weighted_mean(const Y& x, const Y& weight, const Y& looked_at) {
  const auto all = sums_over<1>(looked_at, [&](int i, double* sum) {
    const auto part = static_cast<double>(weight.data()[i] * x.data()[i]);
    *sum = muladd(part, part, *sum);
  });
  const double n = count_of(x);
  return {n > 0 ? all.of[0] / n : 0.0, all.finite};
}
template <class Y>
double weighted_square(const Y& x, const Y& weight) {
  return weighted_mean(x, weight, x).mean;
}

/// The same, each element's tolerances its own under options::norm. Those outside the norm keep the
/// tolerances of all, so that iterations converge in them, too.
template <class Y>
void fill_weights(const Y& y, const tolerance& tol, Y& weight) {
  using T = scalar_t<Y>;
  using std::abs;
  fill_weights(y, tol.rtol, tol.atol, weight);
  if (tol.each == nullptr) return;
  for (int i = 0, n = length(y); i < n; ++i) {
    if (!tol.each->is_inside(i)) continue;
    const int k = tol.each->like(i);
    T size = abs(y.data()[k]);
    if (k < tol.each->paired) size = T(std::hypot(y.data()[k], y.data()[k ^ 1]));
    weight.data()[i] = T(1) / muladd(T(tol.each->rtol[i]), size, T(tol.each->atol[i]));
  }
}

/// max weightᵢ |yᵢ| inside the norm: the largest element in units of its tolerance, 1/rtol where atol is
/// small. What depends on how many digits are asked for depends on this, since rtol may be 0.
template <class Y>
double relative_size(const tolerance& tol, const Y& y, const Y& weight) {
  using std::abs;
  double most = 0;
  for (int i = 0, n = length(y); i < n; ++i) {
    const auto size = static_cast<double>(weight.data()[i] * abs(y.data()[i]));
    if (size > most && (tol.each == nullptr || tol.each->is_inside(i))) most = size;
  }
  return most;
}

/// What a trial knows before its iterations.
struct trial_scale {
  status what;     ///< whether Jacobian and factors are there
  double size;     ///< relative_size
  double weights;  ///< |w| of a spread state, −1 of others
};
/// Of a spread state all of it is one decision.
template <class Y>
trial_scale scale_of(const tolerance& tol, const Y& y, const Y& weight, status here) {
  const double size = relative_size(tol, y, weight);
  if constexpr (is_spread_v<Y>) {
    const auto add = [&](int i, double* sum) { *sum += weight.data()[i] * weight.data()[i]; };
    const auto all = whole<Y>::template sums<1>(y, add, size, static_cast<int>(here));
    return {static_cast<status>(all.code), all.most, std::sqrt(all.of[0])};
  } else {
    return {here, size, -1};
  }
}

/// The norm's square of an error with these weights; `looked_at` as above.
template <class Y>
mean_of_all error_mean(const tolerance& tol, const Y& error, const Y& weight, const Y& looked_at) {
  if (tol.each == nullptr) return weighted_mean(error, weight, looked_at);
  for (int i = 0, n = length(error); i < n; ++i) {
    const auto part = static_cast<double>(weight.data()[i] * error.data()[i]);
    tol.each->scaled[i] = tol.each->is_inside(i) ? part : 0 * part;
  }
  return {tol.each->combined()};
}
template <class Y>
double error_squared(const tolerance& tol, const Y& error, const Y& weight) {
  return error_mean(tol, error, weight, error).mean;
}
/// What a trial found, by its error; a spread state that is not finite is known by it, too.
template <class Found>
void take_error(double honesty, const mean_of_all& error, Found& found) {
  found.error_squared = honesty * error.mean;
  if (error.finite || !(found.error_squared <= 1)) return;
  found.what = status::non_finite_state;
  found.record.rate = 0.5f;
}

/// What rounding leaves of a correction's norm in a state of this size (relative_size).
template <class T>
double rounding_in(double size) {
  constexpr bool is_float = std::is_same_v<std::remove_cvref_t<decltype(value_of(T{}))>, float>;
  return 10 * (is_float ? 1.2e-7 : 2.3e-16) * size;
}

/// Judges the iterations of one system by the norms of their corrections.
class newton_control {
 public:
  enum class verdict : std::uint8_t { again, done, failed };

  /// kappa: the error that may be left, in units of the scaled tolerance; 0: none but rounding, at
  /// most `most` iterations.
  /// rate: how much of a correction was left before; `measured` in a system with these factors.
  /// rounding: what it makes of a correction's norm (rounding_in).
  newton_control(double kappa, int most, double rate, bool measured = false, double rounding = 0)
      : kappa_(kappa),
        rounding_(rounding),
        most_(most),
        rate_(rate),
        measured_(measured) {}

  verdict judge(double norm) {
    ++iterations_;
    if (!(norm - norm == 0)) return fail(0.5);
    if (kappa_ == 0) return judge_to_rounding(norm);
    if (uneven_) return judge_pairs(norm);
    if (iterations_ > 1 && iterations_ < most_) {
      const double quotient = norm / norm_;
      theta_ = iterations_ == 2 ? quotient : std::sqrt(quotient * quotient_);
      quotient_ = quotient;
      if (theta_ >= 0.99) return fail(0.5);
      rate_ = theta_ / (1 - theta_);
      measured_ = true;
      double expected = rate_ * norm / kappa_;
      for (int i = iterations_ + 1; i < most_; ++i) expected *= theta_;
      if (expected >= 1) {
        const double bounded = expected < 20 ? expected : 20.0;
        return fail(0.8 * exp2_approx(-log2_approx(bounded) / (3 + most_ - iterations_)));
      }
    }
    norm_ = norm > 2.3e-16 ? norm : 2.3e-16;
    // A rate from other factors says little: a first correction then has to be small itself.
    if (rate_ * norm <= kappa_ && (measured_ || norm <= kappa_)) return verdict::done;
    return iterations_ >= most_ ? fail(0.5) : verdict::again;
  }

  /// Another correction would be at most `left`, as the residual tells without it.
  void settle(double left) {
    theta_ = std::fmin(left / norm_, 0.5);
    rate_ = theta_ / (1 - theta_);
    measured_ = true;
  }

  /// Corrections fall in pairs, not one by one, as those of elements of index 2 and 3 do: a small one
  /// behind a large one says little of the next.
  void expect_uneven() { uneven_ = true; }

  int iterations() const { return iterations_; }
  double rate() const { return rate_; }
  bool measured() const { return measured_; }
  /// The last quotient of corrections; 0 after one iteration that was enough.
  double theta() const { return theta_; }
  double factor() const { return factor_; }

 private:
  /// Until corrections no longer fall. Where they have fallen below rounding they are done, too: what remains of a
  /// linear equation falls by the same factor for ever.
  verdict judge_to_rounding(double norm) {
    if (uneven_) return judge_pairs_to_rounding(norm);
    const bool small = norm < std::fmax(1e-4, rounding_);
    const double quotient = iterations_ > 1 ? norm / norm_ : 0.0;
    if (iterations_ > 1) theta_ = quotient;
    norm_ = norm;
    if (norm == 0 || (small && iterations_ > 1 && quotient > 0.3)) return verdict::done;
    if (iterations_ >= most_ && norm <= rounding_) return verdict::done;
    if (iterations_ >= most_ || (iterations_ > 3 && quotient > 2)) return fail(0.5);
    return verdict::again;
  }
  /// By the quotient over two corrections, from which so much is left as a series of pairs leaves.
  verdict judge_pairs(double norm) {
    if (iterations_ > 1) {
      const double quotient = norm / norm_, pair = quotient * quotient_;
      theta_ = std::sqrt(iterations_ == 2 ? quotient : pair);
      if (iterations_ == 2 ? quotient >= 2 : pair >= 0.98) return fail(0.5);
      rate_ = iterations_ == 2 ? 1 : pair * (1 / quotient + 1) / (1 - pair);
      double expected = iterations_ == 2 ? 0 : rate_ * norm / kappa_;
      for (int i = iterations_ + 1; i < most_; ++i) expected *= theta_;
      if (expected >= 1) {
        const double bounded = expected < 20 ? expected : 20.0;
        return fail(0.8 * exp2_approx(-log2_approx(bounded) / (3 + most_ - iterations_)));
      }
      quotient_ = quotient;
      measured_ = true;
    }
    norm_ = norm > 2.3e-16 ? norm : 2.3e-16;
    if (rate_ * norm <= kappa_ && (measured_ || norm <= kappa_)) return verdict::done;
    return iterations_ >= most_ ? fail(0.5) : verdict::again;
  }
  verdict judge_pairs_to_rounding(double norm) {
    const bool small = norm < std::fmax(1e-4, rounding_);
    if (iterations_ > 1) theta_ = norm / norm_;
    const double quotient = iterations_ > 2 ? norm / quotient_ : 0.0;  // quotient_: the norm before
    quotient_ = norm_;
    norm_ = norm;
    if (norm == 0 || (small && quotient > 0.3)) return verdict::done;
    if (iterations_ >= most_ && norm <= rounding_) return verdict::done;
    if (iterations_ >= most_ || (iterations_ > 4 && quotient > 2)) return fail(0.5);
    return verdict::again;
  }
  verdict fail(double factor) {
    factor_ = factor;
    return verdict::failed;
  }

  double kappa_, rounding_;
  int most_;
  double rate_;
  bool measured_, uneven_ = false;
  double theta_ = 0, norm_ = 0, quotient_ = 0, factor_ = 1;
  int iterations_ = 0;
};

/// max(rate, ε)^0.8: what is left of a correction is worse than it was in the last system.
inline double first_rate(double rate) {
  return exp2_approx(0.8 * log2_approx(rate > 2.3e-16 ? rate : 2.3e-16));
}

}  // namespace revode
