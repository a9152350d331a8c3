// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <revode/solve/dense_request.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// The piecewise polynomial through the accepted steps, between t0 and the time reached, its ends
/// included: at the end of a step it is the state there, elsewhere what a save point would have given,
/// in the same bits. It is as smooth as the method's dense output. At the time of an event it is the
/// state before it unless asked for side::behind; at t0 it is y0, the consistent state with a mass matrix, unless events there are to be
/// behind. Its gradient is that of save points at the same times.
/// memory  a tape for each step: its stages and a state; a state for each cut
/// errors  std::invalid_argument for a time outside
template <class M, class F, class Y, class P, class Events = no_events>
class dense_solution : public solution<Y> {
 public:
  template <class Field>
  dense_solution(const problem<Field, Y, P>& q, const M& m, const options& o,
                 std::shared_ptr<const problem<Field, Y, P>> own = {}, const Events& events = {})
      : own_(std::move(own)),
        loop_(std::make_unique<loop>(q, m, o, std::nullopt, events)),
        direction_(q.t1 < q.t0 ? -1 : 1),
        start_(start_of_solve(q.y0)),
        y_(start_),
        zero_(make_part<state_type>(m, zeros_like(q.y0))),
        scratch_(make_part<scratch_type>(m, zeros_like(q.y0))) {
    if (cuts().cut_count() > 0) before_.push_back(start_);  // a cut at t0
    loop_->keep_before_cuts(before_);
    while (!loop_->finished()) {
      const index before = loop_->position();
      loop_->step(loop_->work_tape());
      if (loop_->position() > before) pieces_.push_back(loop_->work_tape());
    }
    static_cast<solution<Y>&>(*this) = loop_->result();
  }

  /// y(t)
  /// cost    a search among the steps; where the method has stages for dense output alone, these
  ///         evaluations, once for all calls in a row within one step
  Y operator()(double t, side which = side::before) {
    evaluate(t, which);
    return y_;
  }

  /// y at each of these times, in any order.
  std::vector<Y> at(const std::vector<double>& ts, side which = side::before) {
    std::vector<Y> ys;
    ys.reserve(ts.size());
    for (const double t : ts) ys.push_back((*this)(t, which));
    return ys;
  }

  /// dy/dt of the polynomial; at the end of a step that of the step behind it, at a cut that of the
  /// side asked for (the field's, where there is no step on it).
  Y derivative(double t, side which = side::before) {
    check(t, "derivative");
    std::size_t piece = pieces_.size();
    const cut* c = cut_at(t, which);
    if (c == nullptr) {
      if (!pieces_.empty()) piece = piece_of(t);
    } else if (which == side::behind || c->step >= 0) {
      piece = static_cast<std::size_t>(c->step + (which == side::behind ? 1 : 0));
    }
    if (piece == pieces_.size()) return slope(t, c, which);
    const auto& step = extended(piece);
    const double h = step.t_new - step.t, end = c != nullptr && c->theta >= 0 ? c->theta : 1.0;
    const double theta = c == nullptr ? (t - step.t) / h : which == side::behind ? 0.0 : end;
    push_interpolate(loop_->scheme(), step.t, step.t_new, step.stages, scratch_, theta,
                     static_cast<scalar_t<Y>>(1 / h), step_ends<scalar_t<Y>>{}, zero_, y_);
    return y_;
  }

  /// The number of steps.
  index steps() const { return static_cast<index>(pieces_.size()); }

 private:
  using loop = stepper<M, F, Y, P, Events>;
  using piece_type = typename loop::tape_type;
  using state_type = typename method_types<M, Y>::state;
  using scratch_type = typename method_types<M, Y>::scratch;

  static Y zeros_like(Y y) {
    fill(y, scalar_t<Y>(0));
    return y;
  }
  /// y0, or where a solve with a mass matrix begins, before an event there.
  Y start_of_solve(Y y) {
    if constexpr (has_mass_v<F>) {
      if (loop_->finished() && !is_complete(loop_->status())) return y;
      auto& stretches = loop_->stretches();
      if (stretches.cut_count() == 0) return loop_->y();
      stretches.use_parameters(0);
      make_consistent(loop_->sys(), loop_->t0(), y);
      stretches.use_parameters(stretches.cut_count());
    }
    return y;
  }
  const cut_list& cuts() const { return loop_->stretches(); }
  bool reached(double t, double other) const { return direction_ * (t - other) >= 0; }

  void evaluate(double t, side which) {
    check(t, "dense output");
    if (const cut* c = cut_at(t, which)) {
      if (which == side::before)
        y_ = before_[static_cast<std::size_t>(c - &cuts().cut_at(0))];
      else
        start_of(static_cast<std::size_t>(c->step + 1));
    } else if (t == loop_->t0()) {
      y_ = start_;
    } else if (t == this->t) {
      y_ = this->y;
    } else {
      const auto& step = extended(piece_of(t));
      interpolate(loop_->scheme(), step.t, step.t_new, step.stages, scratch_,
                  (t - step.t) / (step.t_new - step.t), y_);
    }
  }
  void start_of(std::size_t piece) {
    if (piece == pieces_.size()) {
      y_ = this->y;
    } else {
      const auto& step = extended(piece);
      interpolate(loop_->scheme(), step.t, step.t_new, step.stages, scratch_, 0.0, y_);
    }
  }
  Y slope(double t, const cut* c, side which) {
    evaluate(t, which);
    loop_->stretches().use_parameters(c != nullptr && which == side::before ? 0
                                                                            : cuts().cut_count());
    Y out = y_;
    slope_of(loop_->sys(), t, y_, out);
    return out;
  }

  void check(double t, const char* what) const {
    const double from = loop_->t0(), to = this->t;
    if (!(std::fmin(from, to) <= t && t <= std::fmax(from, to))) refuse_time(what, t, from, to);
  }

  /// The first or the last of the cuts at t; null: none. A discontinuity lies between two times.
  const cut* cut_at(double t, side which) const {
    const cut* found = nullptr;
    std::size_t low = 0, high = cuts().cut_count();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (reached(cuts().cut_at(middle).t, t))
        high = middle;
      else
        low = middle + 1;
    }
    for (; low < cuts().cut_count(); ++low) {
      const cut& c = cuts().cut_at(low);
      if (!reached(t, c.theta >= 0 && c.theta < 1 ? c.t : c.end)) break;
      found = &c;
      if (which == side::before) break;
    }
    return found;
  }

  /// The last step that begins at t or before.
  std::size_t piece_of(double t) const {
    const auto behind = std::partition_point(pieces_.begin() + 1, pieces_.end(),
                                             [&](const piece_type& p) { return reached(t, p.t); });
    return static_cast<std::size_t>(behind - pieces_.begin()) - 1;
  }

  const piece_type& extended(std::size_t k) {
    const piece_type& piece = pieces_[k];
    if (std::exchange(extended_, &piece) != &piece) {
      loop_->stretches().use_parameters(cuts().cuts_before(static_cast<index>(k)));
      extend(loop_->scheme(), loop_->sys(), piece.t, piece.t_new, piece.stages, scratch_);
    }
    return piece;
  }

  std::shared_ptr<const void> own_;
  std::unique_ptr<loop> loop_;
  double direction_;
  std::deque<piece_type> pieces_;  // a piece never moves
  std::vector<Y> before_;          // the states before the cuts
  const piece_type* extended_ = nullptr;
  Y start_, y_;
  state_type zero_;
  [[no_unique_address]] scratch_type scratch_;  // of zeros: the tangents of everything but the time
};

/// Integrates q and keeps every step, to be asked for the solution at any time. A named problem is
/// referred to and must outlive the result; a temporary is moved in.
/// errors  std::invalid_argument: a method without dense output, and whatever `solve` refuses
template <method M, class F, class Y, class P>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, dense_output) {
  static_assert(has_dense_output_v<M>, "this method has no dense output; choose one such as tsit5");
  validate(q, m, o);
  return dense_solution<M, std::remove_cvref_t<F>, Y, P>(q, m, o);
}
template <method M, class F, class Y, class P>
auto solve(problem<F, Y, P>&& q, const M& m, const options& o, dense_output) {
  static_assert(has_dense_output_v<M>, "this method has no dense output; choose one such as tsit5");
  validate(q, m, o);
  const auto own = std::make_shared<const problem<F, Y, P>>(std::move(q));
  return dense_solution<M, std::remove_cvref_t<F>, Y, P>(*own, m, o, own);
}

/// The same with events, which are copied.
template <method M, class F, class Y, class P, class... E>
auto solve(const problem<F, Y, P>& q, const M& m, const options& o, const event_list<E...>& events,
           dense_output) {
  static_assert(has_dense_output_v<M>, "this method has no dense output; choose one such as tsit5");
  validate(q, m, o, events);
  return dense_solution<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>(
      q, m, o, std::shared_ptr<const problem<F, Y, P>>{}, events);
}
template <method M, class F, class Y, class P, class... E>
auto solve(problem<F, Y, P>&& q, const M& m, const options& o, const event_list<E...>& events,
           dense_output) {
  static_assert(has_dense_output_v<M>, "this method has no dense output; choose one such as tsit5");
  validate(q, m, o, events);
  const auto own = std::make_shared<const problem<F, Y, P>>(std::move(q));
  return dense_solution<M, std::remove_cvref_t<F>, Y, P, event_list<E...>>(*own, m, o, own, events);
}

}  // namespace revode
