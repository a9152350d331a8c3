// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <revode/concepts.hpp>
#include <revode/linalg/algebra.hpp>
#include <revode/solve/controller.hpp>
#include <revode/solve/options.hpp>

namespace revode {

// What implicit Runge–Kutta methods share: simplified Newton iterations with a Jacobian that is
// taken at accepted states only, kept while they converge fast, and steps that are as long as both
// the error and the iterations allow.
// source  Hairer & Wanner, Solving ODEs II, 2nd ed., IV.8; Gustafsson, ACM TOMS 20 (1994) 496–517

/// What a step leaves to the next one to decide by. Set by propose alone, so that replays, which
/// run without it, need none of it.
struct newton_decisions {
  double rate = 1;  ///< θ/(1 − θ) of the last iterations: how much of a correction is left
  double accepted_h = 0;  ///< of the last accepted step; 0: none yet
  double accepted_error = 0;
  double growth = std::numeric_limits<double>::infinity();  ///< the next step's at most
  bool keep_jacobian = false;
  bool keep_factors = false;
  bool rejected = false;

  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.rate);
    visit(self.accepted_h);
    visit(self.accepted_error);
    visit(self.growth);
    visit(self.keep_jacobian);
    visit(self.keep_factors);
    visit(self.rejected);
  }
};

/// Where J was taken, the step length of the factors (0: there are none), that of the step before,
/// and K vectors from which the next step's stages are predicted. Jacobian and factors themselves
/// are rebuilt from it.
template <class Y, int K>
struct newton_memo {
  double t_jacobian = std::numeric_limits<double>::quiet_NaN();  ///< NaN: there is none
  double h_factors = 0, h = 0;
  Y y_jacobian;
  Y past[K];
  newton_decisions next{};

  newton_memo() = default;
  explicit newton_memo(const Y& like) : y_jacobian(like) {
    for (Y& part : past) part = like;
  }
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.t_jacobian);
    visit(self.h_factors);
    visit(self.h);
    visit(self.y_jacobian);
    for (auto& part : self.past) visit(part);
    visit(self.next);
  }
};

/// What a replay of a step must not decide, with S systems solved one after the other. After a
/// trial that failed, `rate` is the factor that its iterations ask for instead.
template <int S>
struct newton_record {
  float rate;
  std::uint8_t iterations[S];
  std::uint8_t flags;

  static constexpr std::uint8_t new_jacobian = 1, new_factors = 2, fast = 4;
  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};

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
/// Σ (weightᵢ xᵢ)² / n
template <class Y>
double weighted_square(const Y& x, const Y& weight) {
  double sum = 0;
  const int n = length(x);
  for (int i = 0; i < n; ++i) {
    const auto part = static_cast<double>(weight.data()[i] * x.data()[i]);
    sum = muladd(part, part, sum);
  }
  return n > 0 ? sum / n : 0.0;
}

/// The same for the tolerances change(tol), each element's own under options::norm. Those outside the
/// norm keep the tolerances of all, so that iterations converge in them, too.
template <class Y, class Change>
void fill_weights(const Y& y, const tolerance& tol, Y& weight, const Change& change) {
  using T = scalar_t<Y>;
  using std::abs;
  const tolerance all = change(tol);
  fill_weights(y, all.rtol, all.atol, weight);
  if (tol.each == nullptr) return;
  for (int i = 0, n = length(y); i < n; ++i) {
    if (!tol.each->is_inside(i)) continue;
    const tolerance own = change(tolerance{tol.each->rtol[i], tol.each->atol[i]});
    T size = abs(y.data()[i]);
    if (tol.each->pairs) size = T(std::hypot(y.data()[i], y.data()[i ^ 1]));
    weight.data()[i] = T(1) / muladd(T(own.rtol), size, T(own.atol));
  }
}
template <class Y>
void fill_weights(const Y& y, const tolerance& tol, Y& weight) {
  fill_weights(y, tol, weight, [](const tolerance& t) { return t; });
}
/// The norm's square of an error with these weights.
template <class Y>
double error_squared(const tolerance& tol, const Y& error, const Y& weight) {
  if (tol.each == nullptr) return weighted_square(error, weight);
  for (int i = 0, n = length(error); i < n; ++i) {
    const auto part = static_cast<double>(weight.data()[i] * error.data()[i]);
    tol.each->scaled[i] = tol.each->is_inside(i) ? part : 0 * part;
  }
  return tol.each->combined();
}

/// States small enough for a step to be one piece of code without a call: a fifth less time there,
/// none from n = 8 on.
template <class Y>
inline constexpr bool stays_small_v = static_size_v<Y> >= 0 && static_size_v<Y> <= 4;

/// Judges the iterations of one system by the norms of their corrections.
class newton_control {
 public:
  enum class verdict : std::uint8_t { again, done, failed };

  /// kappa: the error that may be left, in units of the scaled tolerance; 0: none but rounding, at
  /// most `most` iterations.
  newton_control(double kappa, int most, double rate) : kappa_(kappa), most_(most), rate_(rate) {}

  verdict judge(double norm) {
    ++iterations_;
    if (!(norm - norm == 0)) return fail(0.5);
    if (kappa_ == 0) return judge_to_rounding(norm);
    if (iterations_ > 1 && iterations_ < most_) {
      const double quotient = norm / norm_;
      theta_ = iterations_ == 2 ? quotient : std::sqrt(quotient * quotient_);
      quotient_ = quotient;
      if (theta_ >= 0.99) return fail(0.5);
      rate_ = theta_ / (1 - theta_);
      double expected = rate_ * norm / kappa_;
      for (int i = iterations_ + 1; i < most_; ++i) expected *= theta_;
      if (expected >= 1) {
        const double bounded = expected < 20 ? expected : 20.0;
        return fail(0.8 * exp2_approx(-log2_approx(bounded) / (3 + most_ - iterations_)));
      }
    }
    norm_ = norm > 2.3e-16 ? norm : 2.3e-16;
    if (rate_ * norm <= kappa_) return verdict::done;
    return iterations_ >= most_ ? fail(0.5) : verdict::again;
  }

  int iterations() const { return iterations_; }
  double rate() const { return rate_; }
  /// The last quotient of corrections; 0 after one iteration that was enough.
  double theta() const { return theta_; }
  double factor() const { return factor_; }

 private:
  /// Until corrections no longer fall.
  verdict judge_to_rounding(double norm) {
    const bool small = norm < 1e-4;
    const double quotient = iterations_ > 1 ? norm / norm_ : 0.0;
    if (iterations_ > 1) theta_ = quotient;
    norm_ = norm;
    if (norm == 0 || (small && iterations_ > 1 && quotient > 0.3)) return verdict::done;
    if (iterations_ >= most_ || (iterations_ > 3 && quotient > 2)) return fail(0.5);
    return verdict::again;
  }
  verdict fail(double factor) {
    factor_ = factor;
    return verdict::failed;
  }

  double kappa_;
  int most_;
  double rate_;
  double theta_ = 0, norm_ = 0, quotient_ = 0, factor_ = 1;
  int iterations_ = 0;
};

/// max(rate, ε)^0.8: what is left of a correction is worse than it was in the last system.
inline double first_rate(double rate) {
  return exp2_approx(0.8 * log2_approx(rate > 2.3e-16 ? rate : 2.3e-16));
}

/// The error that iterations may leave, in units of the tolerance.
inline double newton_tolerance(double rtol) {
  const double most = std::fmin(0.03, std::sqrt(rtol));
  return std::fmax(10 * 2.3e-16 / rtol, most);
}

/// Is the Jacobian of this carry the one at (t, y)?
template <class Memo, class Y>
bool jacobian_is_at(const Memo& memo, double t, const Y& y) {
  if (memo.t_jacobian != t) return false;
  for (int i = 0, n = length(y); i < n; ++i)
    if (!(memo.y_jacobian.data()[i] == y.data()[i])) return false;
  return true;
}

/// Does the next trial take a new Jacobian, a new factorisation?
template <class Memo>
bool renew_jacobian(const Memo& memo, bool adaptive) {
  return !adaptive || !memo.next.keep_jacobian || memo.next.rejected;
}
template <class Memo>
bool renew_factors(const Memo& memo, double h) {
  return !memo.next.keep_factors || !(std::abs(h - memo.h_factors) <= 1e-6 * std::abs(h));
}

/// to ← from, but where the Jacobian of `to` is the one at (t, y) already it stays.
template <class Memo, class Y>
void take_memo(const Memo& from, bool tried, double t, const Y& y, Memo& to) {
  to = from;
  if (!tried) return;
  to.t_jacobian = t;
  copy(y, to.y_jacobian);
}

/// Which Jacobian and factors a trial takes; they are put into `to`.
template <class Record, class M, class Y>
Record choose_factors(double t, double h, bool adaptive, const carry<M, Y>& from, carry<M, Y>& to) {
  Record r{1, {}, 0};
  if (renew_jacobian(from.memo, adaptive)) r.flags |= r.new_jacobian | r.new_factors;
  if (renew_factors(from.memo, h)) r.flags |= r.new_factors;
  const bool fresh = r.has(r.new_jacobian);
  const bool tried = fresh && jacobian_is_at(to.memo, t, from.state);
  if (!tried && (!fresh || jacobian_is_at(from.memo, t, from.state)))
    to.cache.jacobian = from.cache.jacobian;
  if (!r.has(r.new_factors)) to.cache.factors = from.cache.factors;
  take_memo(from.memo, tried, t, from.state, to.memo);
  copy(from.state, to.state);
  return r;
}

/// The Jacobian of a step from (t, y), as decided.
template <class M, class System, class Y, class Record>
status take_jacobian(const M& m, System& sys, double t, const Y& y, const Record& r,
                     carry<M, Y>& to) {
  if (!r.has(r.new_jacobian)) return status::success;
  if (!jacobian_is_at(to.memo, t, y)) {
    algebra_of(m).evaluate(sys, t, y, to.cache.jacobian);
    to.memo.t_jacobian = t;
    copy(y, to.memo.y_jacobian);
  }
  return all_finite(to.cache.jacobian) ? status::success : status::non_finite_field;
}

/// How much longer a step may become: by `most`, and with the n-th step after a rejection by
/// recovery^n, since what made iterations or estimate fail may be there again.
struct growth_limits {
  double most, recovery;
};

/// The predictive controller, or other gains than the default ones, with all the decisions about
/// Jacobian and factors. The estimate falls as h^power; `work` ≤ 1 shortens steps whose iterations
/// were many.
/// source  Hairer & Wanner, IV.8, (8.19) and (8.25)
template <class Controller, class Memory, class Outcome, class Memo>
double propose_by_newton(const Controller& c, Memory& memory, const Outcome& found, Memo& from,
                         Memo& next, int power, double work, growth_limits limits) {
  const double exponent = 0.5 / power;
  const double largest = std::fmin(c.factor_max, std::fmin(limits.most, from.next.growth));
  const auto bounded = [&](double factor) {
    return std::fmin(std::fmax(factor, c.factor_min), largest);
  };
  const auto power_of = [&](double x) { return exp2_approx(exponent * log2_error(x)); };
  const double error = std::fmax(found.error_squared, 1e-20);
  const bool given = !has_default_gains(c);
  if (!(found.error_squared <= 1)) {
    memory.rejected = from.next.rejected = true;
    from.next.growth = limits.recovery;
    const double factor = found.what != status::success ? found.record.rate
                          : from.next.accepted_h == 0   ? 0.1
                                                      : bounded(c.safety * work / power_of(error));
    if (given && c.ratio != 0) memory.before *= factor;
    return factor;
  }
  newton_decisions& d = next.next;
  d = from.next;
  d.growth *= limits.recovery;
  const double h = next.h;
  double factor = given ? work * propose_factor(c, memory, found.error_squared, power)
                        : bounded(c.safety * work / power_of(error));
  if (from.next.accepted_h != 0 && !given) {
    const double squares = error * error / (d.accepted_error * d.accepted_error);
    const double before = std::abs(d.accepted_h / h) * power_of(squares);
    factor = std::fmin(factor, bounded(c.safety / before));
  }
  d.accepted_h = h;
  d.accepted_error = std::fmax(1e-2, std::sqrt(error));
  d.rate = static_cast<double>(found.record.rate);
  if (from.next.rejected) factor = std::fmin(factor, 1.0);
  d.rejected = memory.rejected = false;
  d.keep_jacobian = found.record.has(found.record.fast);
  d.keep_factors = d.keep_jacobian && factor >= 1 && factor <= 1.2;
  if (d.keep_factors) factor = 1;
  if (given && c.ratio != 0) memory.before = factor;
  return factor;
}

}  // namespace revode
