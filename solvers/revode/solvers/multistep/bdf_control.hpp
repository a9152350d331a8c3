// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/multistep/bdf_stability.hpp>
#include <revode/solvers/multistep/bdf_step.hpp>
#include <revode/solvers/multistep/nordsieck_control.hpp>

namespace revode {

/// How factors are used.
struct bdf_ways {
  int steps;             ///< that they serve at most
  double above, below;   ///< how far their shift may be from the step's, as parts of it
  bool after_rejection;  ///< new ones behind an error that was too large
  int iterations;        ///< at most
  double part;           ///< of the tolerance that iterations may leave
};
/// As CVODE uses them; and longer, with an iteration more in every second step, where they are dear.
inline constexpr bdf_ways cheap_factors{20, 0.3, 0.3, true, 3, 0.1},
    dear_factors{50, 1, 0.5, false, 4, 0.02};

/// The iterations of a step as CVODE judges them: few, a rate kept over steps with the same factors.
class bdf_iterations {
 public:
  enum class verdict : std::uint8_t { again, done, failed };

  /// `caution`: how many times its size a first correction may leave; 0: as much as the rate says.
  bdf_iterations(double allowed, double rate, double caution, int most)
      : allowed_(allowed),
        rate_(rate),
        caution_(caution),
        most_(most) {}

  verdict judge(double norm) {
    ++count_;
    if (!(norm - norm == 0)) return verdict::failed;
    if (count_ > 1) rate_ = std::fmax(0.3 * rate_, norm / before_);
    const bool careful = count_ == 1 && caution_ > 0;
    if (norm * (careful ? caution_ : std::fmin(1.0, rate_)) <= allowed_) return verdict::done;
    if (count_ == most_ || (count_ > 1 && norm > 2 * before_)) return verdict::failed;
    before_ = norm;
    return verdict::again;
  }
  int count() const { return count_; }
  double rate() const { return rate_; }

 private:
  double allowed_, rate_, caution_, before_ = 0;
  int most_, count_ = 0;
};

/// Which Jacobian and factors a trial takes first.
/// source  CVODE: new factors after some steps, failures, or where their γ differs; a new J after 51
///         steps and where iterations failed
template <class Y, int K>
std::uint8_t choose_bdf_matrix(const bdf_ways& ways, const bdf_memo<Y, K>& memo, double shift,
                               bool adaptive) {
  const bdf_decisions& d = memo.next;
  const std::uint8_t both = bdf_record::new_jacobian | bdf_record::new_factors;
  if (!adaptive || memo.shift == 0 || d.newton_failed) return both;
  const double apart = memo.shift / shift - 1;
  const bool stale = d.factors_for >= ways.steps || (ways.after_rejection && d.rejected) ||
                     apart > ways.above || -apart > ways.below;
  if (!stale) return 0;
  return d.jacobian_for >= 51 ? both : std::uint8_t{bdf_record::new_factors};
}

/// `to` becomes the carry before the step but for the state, with the matrices that stay; a Jacobian taken at its start
/// by an attempt before stays, too.
template <class M, class Y>
void open_bdf_step(double t, const bdf_record& r, const carry<M, Y>& from, carry<M, Y>& to) {
  const Y& y = from.state.z[0];
  const bool fresh = r.has(r.new_jacobian);
  const bool tried = fresh && jacobian_is_at(to.memo, t, y);
  if (!tried && (!fresh || jacobian_is_at(from.memo, t, y)))
    to.cache.jacobian = from.cache.jacobian;
  if (!r.has(r.new_factors)) to.cache.factors = from.cache.factors;
  take_memo(from.memo, tried, t, y, to.memo);
}

/// Iterates until the step's tolerance, `allowed` (0: until rounding). Returns how it ended; counts and
/// rate go to the record, the norm of the correction to `size`.
template <class M, class System, class Y>
status iterate_bdf(System& sys, const tolerance& tol, double t_new, double h, double lead,
                   const bdf_ways& ways, double allowed, double rounding, bdf_record_of<M>& r,
                   carry<M, Y>& c, double& size) {
  // Algebraic equations are not made regular by a short step: what an old Jacobian leaves of them may be
  // many times a first correction. 20 is IDA's number behind new factors.
  const double shift = lead / h, apart = std::abs((c.memo.shift - shift) / (c.memo.shift + shift));
  bdf_iterations control(allowed, r.has(r.new_factors) ? 1.0 : std::fmax(c.memo.next.rate, apart),
                         is_constrained(mass_of(sys)) ? 20.0 : 0.0, ways.iterations);
  newton_control to_rounding(0, 50, 1, false, rounding);
  bool failed = false;
  for (bool done = false; !done && !failed;) {
    const bool first = control.count() + to_rounding.iterations() == 0;
    const bool reached =
        bdf_correction(sys, t_new, h, lead, c.memo.shift, goal_of(r), first, c.state, c.cache);
    size = std::sqrt(error_squared(tol, c.cache.change, c.cache.weight));
    if (allowed > 0) {
      const auto found = control.judge(size);
      done = found == bdf_iterations::verdict::done && reached;
      failed =
          found == bdf_iterations::verdict::failed || (!done && control.count() == ways.iterations);
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

/// The step with its matrices and iterations; where iterations with an old Jacobian fail, again with a new
/// one, and where a given step's do, again from its start. Returns the norm of the correction by `size`.
template <class M, class System, class Y>
status solve_bdf_step(const M& m, System& sys, const tolerance& tol, double t, double t_new,
                      const bdf_ways& ways, const carry<M, Y>& from, const typename M::formula& by,
                      bdf_record_of<M>& r, nordsieck_tape<Y, M::most_order>& tape,
                      carry<M, Y>& next, double& size) {
  const double h = t_new - t, lead = lead_of<M>(r.order, by.l[1]), shift = lead / h;
  const Y& y = from.state.z[0];
  fill_weights(y, tol, next.cache.weight);
  const double rounding = rounding_in<scalar_t<Y>>(relative_size(tol, y, next.cache.weight));
  const double chosen = is_constrained(mass_of(sys)) ? 0.01 : ways.part;
  const double part = m.newton > 0 ? m.newton : chosen;
  const double allowed = std::fmax(part / (nordsieck_honesty * by.error), rounding);
  if constexpr (inexact_v<algebra_t<M>>)
    if (const double goal = next.cache.factors.limits().goal; tol.estimate && goal > 0)
      choose_goal(goal / 6, allowed, shift, next.cache.weight, r);  // CVODE's 0.05, with 0.3
  predict_array<M>(next.memo, r.order, h, by, from.state, next.state, tape);
  for (;;) {
    status found = prepare_bdf_matrix(m, sys, t, y, shift, r, next);
    if (found != status::success) return found;
    if (trial_steps_over_growth(sys, tol, r, h, next.cache.factors)) {
      if (r.has(r.new_jacobian)) return status::linear_solve_failure;
      r.flags |= r.new_jacobian;
      continue;
    }
    open_iterations(r, y, next.state);
    if (!tol.estimate) {
      const double of_sums = relative_size(tol, next.state.z[0], next.cache.weight);
      found = iterate_bdf<M>(sys, tol, t_new, h, lead, ways, 0.0,
                             std::fmax(rounding, rounding_in<scalar_t<Y>>(of_sums)), r, next, size);
      if (found == status::success || r.has(r.from_start)) return found;
      r.flags |= r.from_start;
      continue;
    }
    found = iterate_bdf<M>(sys, tol, t_new, h, lead, ways, allowed, rounding, r, next, size);
    if (found != status::newton_failure || r.has(r.new_jacobian)) return found;
    const bool near = std::abs(next.memo.shift / shift - 1) < 0.2;
    r.flags |= near ? r.new_jacobian | r.new_factors : r.new_factors;
    if (near && jacobian_is_at(next.memo, t, y)) return found;
  }
}

template <bdf_method M, class System, class Y>
outcome<bdf_record_of<M>> attempt(const M& m, System& sys, const tolerance& tol, double t,
                                  double t_new, const carry<M, Y>& from,
                                  nordsieck_tape<Y, M::most_order>& tape, carry<M, Y>& next) {
  const double h = t_new - t;
  const bdf_ways& ways =
      from.memo.shift != 0 && are_dear(from.cache.factors) ? dear_factors : cheap_factors;
  const int q = choose_order<M>(from.memo, h, tol.estimate);
  const typename M::formula by(q, h, from.memo.tau);
  outcome<bdf_record_of<M>> found;
  bdf_record_of<M>& r = found.record;
  r = {};
  static_cast<bdf_record&>(r) = {
      0.25f,
      1,
      static_cast<std::uint8_t>(q),
      static_cast<std::uint8_t>(q),
      0,
      choose_bdf_matrix(ways, from.memo, lead_of<M>(q, by.l[1]) / h, tol.estimate)};
  open_bdf_step<M>(t, r, from, next);
  double size = 0;
  found.what = solve_bdf_step(m, sys, tol, t, t_new, ways, from, by, r, tape, next, size);
  if (found.what != status::success) return found;
  const double error = nordsieck_honesty * by.error * size;
  if (tol.estimate) {
    found.error_squared = error * error;
    if (!(found.error_squared <= 1)) return found;
  }
  finish_nordsieck_step(0, q, h, next.state.correction, next.state, tape, next.memo);
  if (!tol.estimate) return found;
  if (m.leaves_unstable_orders && amplifies<M>(tol, q, by, from, next)) r.flags |= r.amplifies;
  choose_growth<M>(tol, error, by, from.memo.next, q != from.memo.order,
                   highest_order<M>(from.memo.next, r), r, next);
  return found;
}

/// What iterations leave to the next attempt.
template <class Record>
void note_of_family(const outcome<Record>& found, bool rejected, bdf_decisions& from,
                    bdf_decisions& next) {
  if (rejected) {
    from.newton_failed = from.newton_failed || found.what != status::success;
    return;
  }
  const Record& r = found.record;
  next.factors_for = r.has(r.new_factors) ? 1 : from.factors_for + 1;
  next.jacobian_for = r.has(r.new_jacobian) ? 1 : from.jacobian_for + 1;
  next.rate = static_cast<double>(r.rate);
  next.newton_failed = false;
  note_amplification(r, from, next);
}

}  // namespace revode
