// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/multistep/bdf_step.hpp>

namespace revode {

/// Estimates are enlarged by this, so that a solve leaves a few tolerances (the law of honesty).
inline constexpr double bdf_honesty = 3;

/// The iterations of a step as CVODE judges them: at most three, a rate kept over steps with the same
/// factors.
class bdf_iterations {
 public:
  enum class verdict : std::uint8_t { again, done, failed };

  /// `caution`: how many times its size a first correction may leave; 0: as much as the rate says.
  bdf_iterations(double allowed, double rate, double caution)
      : allowed_(allowed),
        rate_(rate),
        caution_(caution) {}

  verdict judge(double norm) {
    ++count_;
    if (!(norm - norm == 0)) return verdict::failed;
    if (count_ > 1) rate_ = std::fmax(0.3 * rate_, norm / before_);
    const bool careful = count_ == 1 && caution_ > 0;
    if (norm * (careful ? caution_ : std::fmin(1.0, rate_)) <= allowed_) return verdict::done;
    if (count_ == 3 || (count_ > 1 && norm > 2 * before_)) return verdict::failed;
    before_ = norm;
    return verdict::again;
  }
  int count() const { return count_; }
  double rate() const { return rate_; }

 private:
  double allowed_, rate_, caution_, before_ = 0;
  int count_ = 0;
};

/// The order of the next attempt. Behind a step that a stop has cut short the array would be stretched
/// too far: only its first two columns are taken.
template <class Y, int K>
int choose_bdf_order(const bdf_memo<Y, K>& memo, double h, bool adaptive) {
  const double ratio = std::abs(h / memo.tau[0]);
  if (memo.next.first && adaptive) return 1;
  if (adaptive) return ratio > 10.5 ? 1 : memo.next.order;
  const bool at_start = memo.order == 1 && memo.tau[0] == 1 && K > 1 && memo.shift == 0;
  if (at_start || ratio > 2.5) return 1;
  return memo.order < K ? memo.order + 1 : K;
}

/// Which Jacobian and factors a trial takes first.
/// source  CVODE: new factors after 20 steps, failures, or where their γ differs by 0.3; a new J after
///         51 steps and where iterations failed
template <class Y, int K>
std::uint8_t choose_bdf_matrix(const bdf_memo<Y, K>& memo, double shift, bool adaptive) {
  const bdf_decisions& d = memo.next;
  const std::uint8_t both = bdf_record::new_jacobian | bdf_record::new_factors;
  if (!adaptive || memo.shift == 0 || d.newton_failed) return both;
  const bool stale = d.factors_for >= 20 || d.rejected || std::abs(memo.shift / shift - 1) > 0.3;
  if (!stale) return 0;
  return d.jacobian_for >= 51 ? both : std::uint8_t{bdf_record::new_factors};
}

/// `to` becomes the carry before the step, with the matrices that stay; a Jacobian taken at its start by an
/// attempt before stays, too.
template <class M, class Y>
void open_bdf_step(double t, const bdf_record& r, const carry<M, Y>& from, carry<M, Y>& to) {
  const Y& y = from.state.z[0];
  const bool fresh = r.has(r.new_jacobian);
  const bool tried = fresh && jacobian_is_at(to.memo, t, y);
  if (!tried && (!fresh || jacobian_is_at(from.memo, t, y)))
    to.cache.jacobian = from.cache.jacobian;
  if (!r.has(r.new_factors)) to.cache.factors = from.cache.factors;
  take_memo(from.memo, tried, t, y, to.memo);
  to.state = from.state;
}

/// Iterates until the step's tolerance, `allowed` (0: until rounding). Returns how it ended; counts and
/// rate go to the record, the norm of the correction to `size`.
template <class M, class System, class Y>
status iterate_bdf(System& sys, const tolerance& tol, double t_new, double h, double l1,
                   double allowed, double rate, double rounding, bdf_record_of<M>& r,
                   carry<M, Y>& c, double& size) {
  // Algebraic equations are not made regular by a short step: what an old Jacobian leaves of them may be
  // many times a first correction. 20 is IDA's number behind new factors.
  bdf_iterations control(allowed, r.has(r.new_factors) ? 1.0 : rate,
                         is_constrained(mass_of(sys)) ? 20.0 : 0.0);
  newton_control to_rounding(0, 50, 1, false, rounding);
  bool failed = false;
  for (bool done = false; !done && !failed;) {
    const bool first = control.count() + to_rounding.iterations() == 0;
    const bool reached =
        bdf_correction(sys, t_new, h, l1, c.memo.shift, goal_of(r), first, c.state, c.cache);
    size = std::sqrt(error_squared(tol, c.cache.change, c.cache.weight));
    if (allowed > 0) {
      const auto found = control.judge(size);
      done = found == bdf_iterations::verdict::done && reached;
      failed = found == bdf_iterations::verdict::failed || (!done && control.count() == 3);
    } else {
      const auto found =
          to_rounding.judge(std::sqrt(weighted_square(c.cache.change, c.cache.weight)));
      done = found == newton_control::verdict::done;
      failed = found == newton_control::verdict::failed;
    }
    if (!failed) add(c.cache.change, c.state.correction);
  }
  const int count = allowed > 0 ? control.count() : to_rounding.iterations();
  count_iterations(sys, count);
  r.iterations = static_cast<std::uint8_t>(count);
  r.rate = static_cast<float>(control.rate());
  if (failed && size - size == 0) return status::newton_failure;
  if constexpr (inexact_v<algebra_t<M>>)
    if (failed) return c.cache.factors.trouble_of_numbers();
  if (failed) return status::non_finite_field;
  if (count > 1) size = std::sqrt(error_squared(tol, c.state.correction, c.cache.weight));
  return status::success;
}

/// 1/((bias D)^(1/power) + 10⁻⁶)
inline double bdf_growth(double bias, double error, int power) {
  const double log2 = 0.5 * log2_error(error * error) + log2_approx(bias);
  return 1 / (exp2_approx(log2 / power) + 1e-6);
}

/// The factor on the next step, and its order: that of the longest step among three, where the order may
/// change. Factors below 1.5 keep both.
template <class M, class Y>
void choose_bdf_growth(const tolerance& tol, double error, const bdf_formula<M::most_order>& by,
                       const bdf_decisions& d, bool changed, bdf_record& r, carry<M, Y>& c) {
  const int q = r.order, wait = (changed ? q + 1 : d.wait) - 1;
  double best = bdf_growth(6, error, q + 1);
  int next = q;
  if (wait <= 0 && !d.rejected) {
    const auto size = [&](const Y& x) {
      return bdf_honesty * std::sqrt(error_squared(tol, x, c.cache.weight));
    };
    if (q > 1) {
      const double down = bdf_growth(6, by.lower * size(c.state.z[q]), q);
      if (down > best) best = down, next = q - 1;
    }
    if (q < M::most_order && d.saved_ratio != 0) {
      double power = by.ratio / d.saved_ratio;
      const double steps = c.memo.tau[0] / c.memo.tau[1];
      for (int i = 0; i <= q; ++i) power *= steps;
      copy(c.state.correction, c.cache.change);
      axpy(scalar_t<Y>(-power), c.memo.saved, c.cache.change);
      const double up = bdf_growth(10, by.higher * size(c.cache.change), q + 2);
      if (up > best) best = up, next = q + 1;
    }
  }
  if (!(best >= 1.5)) best = 1, next = q;
  r.factor = static_cast<float>(best);
  r.next_order = static_cast<std::uint8_t>(next);
}

/// The step with its matrices and iterations; where iterations with an old Jacobian fail, again with a new
/// one. Returns the norm of the correction by `size`.
template <class M, class System, class Y>
status solve_bdf_step(const M& m, System& sys, const tolerance& tol, double t, double t_new,
                      const carry<M, Y>& from, const bdf_formula<M::most_order>& by,
                      bdf_record_of<M>& r, bdf_tape_t<M, Y>& tape, carry<M, Y>& next,
                      double& size) {
  const double h = t_new - t, shift = by.l[1] / h;
  const Y& y = from.state.z[0];
  fill_weights(y, tol, next.cache.weight);
  const double rounding = rounding_in<scalar_t<Y>>(relative_size(tol, y, next.cache.weight));
  const double chosen = is_constrained(mass_of(sys)) ? 0.01 : 0.1;
  const double part = m.newton > 0 ? m.newton : chosen;
  const double allowed = std::fmax(part / (bdf_honesty * by.error), rounding);
  if constexpr (inexact_v<algebra_t<M>>)
    if (const double goal = next.cache.factors.limits().goal; tol.estimate && goal > 0)
      choose_goal(goal / 6, allowed, shift, next.cache.weight, r);  // CVODE's 0.05, with 0.3
  predict_bdf(next.memo, r.order, h, next.state, tape);
  for (;;) {
    status found = prepare_bdf_matrix(m, sys, t, y, shift, r, next);
    if (found != status::success) return found;
    fill(next.state.correction, scalar_t<Y>(0));
    found = iterate_bdf<M>(sys, tol, t_new, h, by.l[1], tol.estimate ? allowed : 0.0,
                           from.memo.next.rate, rounding, r, next, size);
    if (found != status::newton_failure || r.has(r.new_jacobian)) return found;
    const bool near = std::abs(next.memo.shift / shift - 1) < 0.2;
    r.flags |= near ? r.new_jacobian | r.new_factors : r.new_factors;
    if (near && jacobian_is_at(next.memo, t, y)) return found;
  }
}

template <bdf_method M, class System, class Y>
outcome<bdf_record_of<M>> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                  double t_new, const carry<M, Y>& from, bdf_tape_t<M, Y>& tape,
                                  carry<M, Y>& next) {
  const double h = t_new - t;
  const int q = choose_bdf_order(from.memo, h, tol.estimate);
  const bdf_formula<M::most_order> by(q, h, from.memo.tau);
  outcome<bdf_record_of<M>> found;
  bdf_record_of<M>& r = found.record;
  r = {};
  static_cast<bdf_record&>(r) = {0.25f,
                                 1,
                                 static_cast<std::uint8_t>(q),
                                 static_cast<std::uint8_t>(q),
                                 0,
                                 choose_bdf_matrix(from.memo, by.l[1] / h, tol.estimate)};
  open_bdf_step<M>(t, r, from, next);
  double size = 0;
  found.what = solve_bdf_step(m, sys, tol, t, t_new, from, by, r, tape, next, size);
  if (found.what != status::success) return found;
  const double error = bdf_honesty * by.error * size;
  if (tol.estimate) {
    found.error_squared = error * error;
    if (!(found.error_squared <= 1)) return found;
  }
  finish_bdf_step(q, h, by, tape, next);
  if (tol.estimate)
    choose_bdf_growth<M>(tol, error, by, from.memo.next, q != from.memo.order, r, next);
  return found;
}

/// The factor after a rejection: by the error, 0.25 where iterations failed; the third failure of a step
/// goes back to order 1.
template <class Record, class Memo>
double reject_bdf_step(const outcome<Record>& found, Memo& from) {
  bdf_decisions& d = from.next;
  d.rejected = true;
  if (found.what != status::success) {
    d.newton_failed = true;
    return 0.25;
  }
  if (!(found.error_squared - found.error_squared == 0)) return 0.1;
  if (++d.error_failures > 3) {
    d.order = 1;
    return 0.1;
  }
  const int power = found.record.order + 1;
  const double factor = std::fmax(0.1, bdf_growth(6, std::sqrt(found.error_squared), power));
  return d.error_failures > 1 ? std::fmin(0.2, factor) : std::fmin(0.9, factor);
}

/// CVODE's rules, within the controller's bounds; its gains are not read.
template <bdf_method M, class Controller, class Memory, class Y>
double propose(const M&, const Controller& c, Memory& memory,
               const outcome<bdf_record_of<M>>& found, carry<M, Y>& from, carry<M, Y>& next) {
  constexpr int most = M::most_order;
  memory.rejected = !(found.error_squared <= 1);
  if (memory.rejected) return reject_bdf_step(found, from.memo);
  const bdf_record& r = found.record;
  const bdf_decisions& before = from.memo.next;
  bdf_decisions& d = next.memo.next;
  d = before;
  d.wait = (r.order != from.memo.order ? r.order + 1 : before.wait) - 1;
  if (d.wait == 1 && r.order < most) {
    const bdf_formula<most> by(r.order, next.memo.tau[0], from.memo.tau);
    d.saved_ratio = by.ratio;
    copy(next.state.correction, next.memo.saved);
  }
  d.order = before.rejected ? r.order : r.next_order;
  if (before.rejected)
    d.wait = d.wait > 2 ? d.wait : 2;
  else if (d.wait <= 0)
    d.wait = 2;
  d.factors_for = r.has(r.new_factors) ? 1 : before.factors_for + 1;
  d.jacobian_for = r.has(r.new_jacobian) ? 1 : before.jacobian_for + 1;
  d.rate = static_cast<double>(r.rate);
  d.first = d.rejected = d.newton_failed = false;
  d.error_failures = 0;
  if (before.rejected) return 1;
  const double bound =
      before.first ? (c.factor_max < 10 ? c.factor_max : 1e4) : std::fmin(10.0, c.factor_max);
  return std::fmin(static_cast<double>(r.factor), bound);
}

}  // namespace revode
