// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/adjoint/course/differentiable_stepper.hpp>
#include <revode/adjoint/error/checked_gradient.hpp>

namespace revode {

template <class M, class F, class Y, class P>
class reversible_solution;

/// The discrete adjoint of a method whose steps can be undone, step_back(m, sys, t, t_new, carry,
/// tape): no state is kept but the last one. A step is undone to rounding only, and rounding may grow
/// on the way back; so the state is hashed every `segment` steps of the solve, and the reverse pass
/// compares. Where it misses by more than `limit` tolerances it ends with reconstruction_failure.
///   segment  steps between hashes, 8 bytes each
///   limit    in tolerances (rtol, atol of the solve, whether or not it controls its steps)
/// The hash is a sum of the state's elements with random weights: its difference is as large as
/// that of the states themselves, but for chance, and rounding does not change it at once.
struct reversible {
  index segment = 100;
  double limit = 1;

  static constexpr const char* name = "reversible";
  static constexpr bool exact = true;

  template <class M, class F, class Y, class P>
  using solution_of = reversible_solution<M, F, Y, P>;

  void check(const options& o) const {
    refuse_stops(name, o);
    if (segment < 1)
      throw std::invalid_argument("reversible with segment = " + std::to_string(segment) +
                                  " (steps between two hashes) give segment >= 1?");
    if (!(limit > 0))
      throw std::invalid_argument("reversible with limit = " + std::to_string(limit) +
                                  " tolerances (steps are undone to rounding) give a positive "
                                  "limit?");
  }
};

/// Σ rᵢ xᵢ over all elements of a state, with rᵢ in [−1, 1) from splitmix64 of i, and how large a
/// difference of one tolerance in every element makes it: √(Σ (rᵢ (atol + rtol |xᵢ|))²).
struct state_hash {
  double sum = 0, spread = 0;

  template <class State>
  static state_hash of(const State& state, const tolerance& tol) {
    state_hash hash;
    std::uint64_t i = 0;
    hash.take(state, tol, i);
    hash.spread = std::sqrt(hash.spread);
    return hash;
  }

 private:
  template <class Part>
  void take(const Part& part, const tolerance& tol, std::uint64_t& i) {
    if constexpr (requires { Part::parts(part, [](const auto&) {}); }) {
      Part::parts(part, [&](const auto& inner) { take(inner, tol, i); });
    } else {
      for (int j = 0, n = length(part); j < n; ++j) {
        const double x = static_cast<double>(part.data()[j]), r = weight(++i);
        const double one = r * (tol.atol + tol.rtol * std::abs(x));
        sum += r * x;
        spread += one * one;
      }
    }
  }
  static double weight(std::uint64_t i) {
    std::uint64_t z = i * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-52 - 1;
  }
};

/// The steps of a method can be undone: the carry after a step becomes the one before it, and the
/// tape that of the step, both to rounding.
template <class M, class System, class Y>
concept steps_back = requires(const M& m, System& sys, carry<M, Y>& c,
                              typename step_tape<M, Y>::stages_type& tape) {
  step_back(m, sys, 0.0, 1.0, c, tape);
};

/// A solution with the adjoint `reversible`. Refers to the problem unless it is `own`.
template <class M, class F, class Y, class P>
class reversible_solution : public solution<Y> {
  static_assert(steps_back<M, system<F, Y, P>, Y>,
                "the steps of this method cannot be undone (it has no step_back): use "
                "reversible_heun, or the adjoint recursive_checkpoint?");

 public:
  template <class Field>
  reversible_solution(const problem<Field, Y, P>& q, const M& m, const options& o,
                      const reversible& a, std::shared_ptr<const problem<Field, Y, P>> own = {})
      : own_(own),
        adjoint_(a),
        tolerance_{o.rtol, o.atol},
        loop_(std::make_unique<loop>(q, m, o, 0)) {
    const bool equal = loop_->log().fixed_steps() > 0;
    while (!loop_->finished()) {
      const index i = loop_->position();
      if (i % a.segment == 0) hashes_.push_back(state_hash::of(loop_->state(), tolerance_).sum);
      loop_->step(loop_->work_tape());
      if (!equal && loop_->position() > i) ends_.push_back(loop_->time());
    }
    static_cast<solution<Y>&>(*this) = loop_->result();
  }

  /// cost    one undone step (reversible Heun: one field evaluation) and one pull a step
  /// errors  as differentiable_solution::pullback
  /// status  of the gradient: success, reconstruction_failure, or as with recursive_checkpoint
  checked_gradient<Y, P> pullback(const cotangents<Y>& w) {
    check_cotangents<Y>(*this, w);
    const threads_of<Y> working(loop_->threads());
    auto& sys = loop_->sys();
    const evaluation_counts before = sys.counts;
    checked_gradient<Y, P> g;
    loop_->seed(w);
    auto c = make_carry(loop_->scheme(), loop_->y0());
    c.state = loop_->state();
    c.memo = loop_->carries().now.memo;
    refresh(loop_->scheme(), sys, this->t, c);
    auto& tape = loop_->work_tape();
    const auto goes_on = [&](index i) {
      return g.status == status::success && !loop_->pulled_in_vain(i + 1);
    };
    for (index i = loop_->count() - 1; i >= 0 && goes_on(i); --i) {
      tape.t = time(i);
      tape.t_new = time(i + 1);
      step_back(loop_->scheme(), sys, tape.t, tape.t_new, c, tape.stages);
      ++g.reverse.replayed_steps;
      if (i % adjoint_.segment == 0) compare(i, c.state, g);
      loop_->pull_step(i, tape);
      ++g.reverse.pulled_steps;
    }
    const reverse_statistics done = g.reverse;
    const status missed = g.status;
    static_cast<gradient<Y, P>&>(g) = loop_->finish();
    g.reverse = done;
    g.reverse.log_bytes = static_cast<index>(8 * (ends_.capacity() + hashes_.capacity()));
    g.reverse.work_bytes = loop_->work_bytes();
    g.reverse.peak_bytes = g.reverse.log_bytes + g.reverse.work_bytes;
    g.reverse.field_evaluations = sys.counts.field_evaluations - before.field_evaluations;
    g.reverse.vjp_evaluations = sys.counts.vjp_evaluations - before.vjp_evaluations;
    g.reverse.vjp_source = sys.vjp_source();
    if (missed != status::success) spoil(missed, g);
    return g;
  }
  template <std::convertible_to<Y> W = braced_state<Y>>
  checked_gradient<Y, P> pullback(const W& y_bar) {
    return pullback(cotangents<Y>{.y = y_bar});
  }

 private:
  using loop = differentiable_stepper<M, F, Y, P>;

  double time(index i) const {
    if (i == 0) return loop_->t0();
    return loop_->log().fixed_steps() > 0 ? loop_->log().fixed_end(i - 1)
                                          : ends_[static_cast<std::size_t>(i - 1)];
  }

  template <class State>
  void compare(index i, const State& state, checked_gradient<Y, P>& g) const {
    const state_hash back = state_hash::of(state, tolerance_);
    const double then = hashes_[static_cast<std::size_t>(i / adjoint_.segment)];
    const double off = back.sum == then ? 0 : std::abs(back.sum - then) / back.spread;
    g.reconstruction_error = std::max(g.reconstruction_error, off - off == 0 ? off : HUGE_VAL);
    if (!(off <= adjoint_.limit)) g.status = status::reconstruction_failure;
  }

  std::shared_ptr<const void> own_;
  reversible adjoint_;
  tolerance tolerance_;
  std::unique_ptr<loop> loop_;
  std::vector<double> ends_, hashes_;
};

}  // namespace revode
