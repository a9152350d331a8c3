// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <revode/adjoint/course/cut_adjoint.hpp>
#include <revode/adjoint/error/checked_gradient.hpp>
#include <revode/problem.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

// What the continuous adjoints (backsolve, interpolating, gauss) share: the adjoint equation
//   λ' = −f_yᵀ λ,   p̄ = ∫ f_pᵀ λ dt,   λ(t1) = ȳ(t1),   λ jumps by ȳ_k at the save times,
// is integrated from t1 to t0 by the method of the solve, from one save time to the one before.

/// How the reverse solves are run; 0: as the solve was.
struct reverse_options {
  double rtol = 0;
  double atol = 0;
  index max_steps = 0;  ///< of each; 0: ten times the attempts of the solve, and 1,000
};

/// The options of the reverse solves, after a solve of so many attempts.
inline options options_backwards(const options& o, const reverse_options& r, index attempts) {
  options back;
  back.rtol = r.rtol > 0 ? r.rtol : o.rtol;
  back.atol = r.atol > 0 ? r.atol : o.atol;
  back.fixed_step = o.fixed_step;
  back.max_step = o.max_step;
  back.max_steps = r.max_steps > 0 ? r.max_steps : 10 * attempts + 1000;
  back.controller = o.controller;
  back.threads = o.threads;
  return back;
}

/// Throws for what is wrong with the reverse solves of an adjoint.
inline void check_reverse(const char* adjoint, const reverse_options& r, const options& o,
                          bool seminorm) {
  if (!(r.rtol >= 0) || !(r.atol >= 0))
    throw std::invalid_argument(std::string(adjoint) + " with reverse tolerances rtol=" +
                                std::to_string(r.rtol) + ", atol=" + std::to_string(r.atol) +
                                " (0 is that of the solve, and no other may be negative) give e.g. "
                                "rtol=1e-6, atol=1e-9?");
  if (seminorm && o.fixed_step == 0 && r.atol == 0 && o.atol == 0)
    throw std::invalid_argument(std::string(adjoint) +
                                " with seminorm and atol=0 (a quadrature that starts at 0 has no "
                                "scale then) give reverse.atol > 0?");
}

/// The elements of a state, as often as it has multiples of them, and of parameters besides.
template <class Y, class P, int Multiple>
using stacked_t =
    std::conditional_t<(static_size_v<Y> >= 0 && static_size_v<P> >= 0),
                       vec<scalar_t<Y>, Multiple * static_size_v<Y> + static_size_v<P>>,
                       std::vector<scalar_t<Y>>>;

template <class Z>
Z stacked(int size) {
  Z z{};
  if constexpr (static_size_v<Z> < 0) z.resize(static_cast<std::size_t>(size));
  fill(z, scalar_t<Z>(0));
  return z;
}
template <class Z, class Y>
void unstack(const Z& z, int from, Y& y) {
  for (int i = 0, n = length(y); i < n; ++i) y.data()[i] = z.data()[from + i];
}
template <class Y, class Z>
void stack(const Y& y, scalar_t<Z> factor, int from, Z& z) {
  for (int i = 0, n = length(y); i < n; ++i) z.data()[from + i] = factor * y.data()[i];
}

/// Quadratures outside the error norm without a word to the method: they are integrated `scale` times
/// too small to be seen, and the mean over n elements is made one over the `seen` others.
struct unseen {
  static constexpr double scale = 0x1p-80;
  static void leave_out(int n, int seen, options& o) {
    const double share = std::sqrt(static_cast<double>(seen) / std::max(n, 1));
    o.rtol *= share;
    o.atol *= share;
  }
};

/// One pass over the save times and the cuts, last to first. The states there are the solution's own;
/// at a cut λ, p̄ and the time are pulled through its events, whose times follow the solution of the
/// differential equation: that of a located one is the root of its condition along it.
template <class Loop, class System>
class continuous_pass {
 public:
  using Y = typename System::state_type;
  using P = typename System::parameter_type;

  /// `loop` has run the solve, of which `before` are the states before its cuts.
  continuous_pass(const solution<Y>& s, const cotangents<Y>& w, Loop& loop,
                  const std::vector<Y>& before, System& sys)
      : s_(s),
        w_(w),
        loop_(loop),
        before_(before),
        sys_(sys),
        g_{{.y0 = zero_like(loop.y0()), .p = zero_like(sys.p)}},
        behind_(s.y),
        direction_(loop.t1() < loop.t0() ? -1 : 1),
        t_(s.t),
        y_(&s.y),
        lambda_(g_.y0),
        cuts_(loop.stretches().cut_count()),
        weights_(w.events.empty() ? nullptr : w.events.data() + w.events.size()),
        known_bar_(loop.stretches().known_count(), 0.0) {}

  /// advance(t, t_new, y, y_new, λ, p̄, g) → status takes λ and p̄ from t to t_new; y and y_new are
  /// the solve's states there. enter(k) before the first of them in the stretch behind k cuts.
  template <class Enter, class Advance>
  checked_gradient<Y, P> run(Enter&& enter, Advance&& advance) {
    const evaluation_counts at_start = sys_.counts;
    const auto& points = loop_.save_points();
    const bool seen = !w_.ys.empty();
    start(points, seen);
    for (bool fresh = true; !at_start_time(points, seen, fresh);) {
      const stop to = next(points);
      if (to.t != t_) {
        if (std::exchange(fresh, false)) enter(cuts_);
        const status how = advance(t_, to.t, *y_, *to.y, lambda_, g_.p, g_);
        count(at_start);
        if (how != status::success) {
          spoil(how, g_);
          return g_;
        }
      }
      t_ = to.t;
      y_ = to.y;
    }
    if (!moved_start_) g_.t0 = -along_solution(loop_.t0(), loop_.y0(), lambda_);
    g_.ts.resize(points.ts.size());
    if (seen && points.t0) add(w_.ys.front(), lambda_);
    pull_known_times(loop_.stretches(), known_bar_, g_.p);
    give_known_times(loop_.stretches(), loop_.stops(), loop_.discontinuities(), known_bar_, g_);
    count(at_start);
    settle(status::success, g_);
    return g_;
  }

 private:
  /// Where the next piece of the way back ends, and the solve's state there.
  struct stop {
    double t;
    const Y* y;
  };

  void start(const save_at& points, bool seen) {
    points_ = s_.ys.size() - (points.t0 ? 1 : 0) - (points.t1 ? 1 : 0);
    g_.ts.assign(points_, 0.0);
    if (w_.y) add(*w_.y, lambda_);
    if (seen && points.t1) add(w_.ys.back(), lambda_);
    loop_.stretches().use_parameters(cuts_);
    moving_ = s_.status == status::success;
    if (moving_) g_.t1 = along_solution(t_, *y_, lambda_);
  }

  /// Deals with what is at t_: the cuts, then the save points, which are before them. Is it the end?
  bool at_start_time(const save_at& points, bool seen, bool& fresh) {
    const std::size_t first = points.t0 ? 1 : 0;
    for (; cuts_ > 0 && reached(cut_before().t); fresh = true) pull_cut();
    for (; points_ > 0 && (!seen || reached(s_.ts[first + points_ - 1])); --points_) {
      if (!seen) continue;
      const Y& weight = w_.ys[first + points_ - 1];
      const double along = g_.ts[points_ - 1] = along_solution(t_, *y_, weight);
      if (moved_start_) g_.t0 -= along;
      add(weight, lambda_);
    }
    return t_ == loop_.t0() && cuts_ == 0;
  }

  stop next(const save_at& points) {
    const std::size_t k = points_ + (points.t0 ? 1 : 0) - 1;
    stop to{loop_.t0(), &loop_.y0()};
    if (points_ > 0) to = {s_.ts[k], &s_.ys[k]};
    if (cuts_ == 0 || direction_ * (to.t - cut_before().t) > 0) return to;
    behind_ = cut_states<Loop, Y, P>(loop_, cuts_ - 1, before_[cuts_ - 1]).y.back();
    loop_.stretches().use_parameters(cuts_);
    return {cut_before().t, &behind_};
  }

  bool reached(double t) const { return direction_ * (t - t_) >= 0; }
  const cut& cut_before() const { return loop_.stretches().cut_at(cuts_ - 1); }

  /// From behind a cut to before it.
  void pull_cut() {
    const std::size_t k = --cuts_;
    auto& stretches = loop_.stretches();
    const cut& c = stretches.cut_at(k);
    if (c.begins) {
      double t_bar = moving_ ? -along_solution(c.t, *y_, lambda_) : 0.0;
      const cut_states<Loop, Y, P> states(loop_, k, before_[k]);
      t_bar = pull_chain<Loop>(loop_, c, states, weights_, t_bar, lambda_, g_.p, known_bar_, true);
      t_ = stretches.event(c.first).due >= 0 || c.theta == 1 ? c.end : c.t;
      if (c.step < 0) {
        g_.t0 += t_bar;
        moved_start_ = true;
        t_ = loop_.t0();
      }
    }
    stretches.use_parameters(k);
    y_ = &before_[k];
    moving_ = true;
  }

  double along_solution(double t, const Y& y, const Y& w) {
    Y slope = y;
    sys_(t, y, slope);
    return static_cast<double>(dot(slope, w));
  }
  void count(const evaluation_counts& before) {
    const evaluation_counts& now = sys_.counts;
    g_.reverse.field_evaluations = now.field_evaluations - before.field_evaluations;
    g_.reverse.vjp_evaluations = now.vjp_evaluations - before.vjp_evaluations;
    if constexpr (requires { sys_.vjp_source(); }) g_.reverse.vjp_source = sys_.vjp_source();
  }

  const solution<Y>& s_;
  const cotangents<Y>& w_;
  Loop& loop_;
  const std::vector<Y>& before_;
  System& sys_;
  checked_gradient<Y, P> g_;
  Y behind_;
  double direction_, t_;
  const Y* y_;
  Y& lambda_;
  std::size_t cuts_, points_ = 0;  // not pulled yet
  const double* weights_;
  std::vector<double> known_bar_;
  bool moving_ = false;  // does what lies behind t_ begin at a moving time?
  bool moved_start_ = false;
};

/// The status of a reverse solve as that of a gradient: its field and state are cotangents.
constexpr status of_cotangents(status s) {
  const bool infinite = s == status::non_finite_field || s == status::non_finite_state;
  return infinite ? status::non_finite_gradient : s;
}

/// Runs a reverse solve to its end; after each step visit(loop). z: the state there.
/// errors  std::invalid_argument: a method that does not take the equation (splittings take halves)
template <class M, class F, class Z, class Visit>
status run_backwards(const problem<F, Z>& q, const M& m, const options& o, statistics& total, Z& z,
                     Visit&& visit) {
  check_problem(m, q);
  const threads_of<Z> working(o.threads);
  stepper<M, std::remove_cvref_t<F>, Z, vec<scalar_t<Z>, 0>> loop(q, m, o);
  while (!loop.finished()) {
    const index i = loop.position();
    loop.step(loop.work_tape());
    if (loop.position() > i) visit(loop);
  }
  const solution<Z>& s = loop.result();
  total.accepted += s.stats.accepted;
  total.rejected += s.stats.rejected;
  total.field_evaluations += s.stats.field_evaluations;
  total.jacobian_evaluations += s.stats.jacobian_evaluations;
  total.factorizations += s.stats.factorizations;
  total.linear_solves += s.stats.linear_solves;
  total.newton_iterations += s.stats.newton_iterations;
  total.jvp_evaluations += s.stats.jvp_evaluations;
  z = s.y;
  return s.status;
}

}  // namespace revode
