// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <revode/solve/solve.hpp>

namespace revode {

/// Asks a solve for its solution at every time:
///   auto y = solve(q, tsit5{}, {}, dense_output{});
///   y(0.3), y.derivative(0.3), y.at({0.1, 0.7, 0.2})
struct dense_output {};

/// The piecewise polynomial through the accepted steps, between t0 and the time reached, its ends
/// included: at the end of a step it is the state there, elsewhere what a save point would have given,
/// in the same bits. It is as smooth as the method's dense output. Its gradient is that of save points
/// at the same times.
/// memory  a tape for each step: its stages and a state
/// errors  std::invalid_argument for a time outside
template <class M, class F, class Y, class P>
class dense_solution : public solution<Y> {
 public:
  template <class Field>
  dense_solution(const problem<Field, Y, P>& q, const M& m, const options& o,
                 std::shared_ptr<const problem<Field, Y, P>> own = {})
      : own_(std::move(own)),
        loop_(std::make_unique<loop>(q, m, o)),
        y_(q.y0),
        zero_(zeros_like(q.y0)),
        scratch_(make_like<scratch_type>(zero_)) {
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
  Y operator()(double t) {
    evaluate(t);
    return y_;
  }

  /// y at each of these times, in any order.
  std::vector<Y> at(const std::vector<double>& ts) {
    std::vector<Y> ys;
    ys.reserve(ts.size());
    for (const double t : ts) ys.push_back((*this)(t));
    return ys;
  }

  /// dy/dt of the polynomial; at the end of a step that of the step behind it.
  Y derivative(double t) {
    const auto* piece = find(t, "derivative");
    if (piece == nullptr) {
      loop_->sys()(t, loop_->y0(), y_);
      return y_;
    }
    extend_once(*piece);
    const double h = piece->t_new - piece->t;
    push_interpolate(loop_->scheme(), piece->t, piece->t_new, piece->stages, scratch_,
                     (t - piece->t) / h, static_cast<scalar_t<Y>>(1 / h), step_ends<scalar_t<Y>>{},
                     zero_, y_);
    return y_;
  }

  /// The number of steps.
  index steps() const { return static_cast<index>(pieces_.size()); }

 private:
  using loop = stepper<M, F, Y, P>;
  using piece_type = typename loop::tape_type;
  using scratch_type = typename method_types<M, Y>::scratch;

  static Y zeros_like(Y y) {
    fill(y, scalar_t<Y>(0));
    return y;
  }

  void evaluate(double t) {
    const auto* piece = find(t, "dense output");
    if (piece == nullptr || t == loop_->t0())
      y_ = loop_->y0();
    else if (t == this->t)
      y_ = this->y;
    else {
      extend_once(*piece);
      interpolate(loop_->scheme(), piece->t, piece->t_new, piece->stages, scratch_,
                  (t - piece->t) / (piece->t_new - piece->t), y_);
    }
  }

  /// The last step that begins at t or before; null when there is none at all.
  const piece_type* find(double t, const char* what) const {
    const double from = loop_->t0(), to = this->t;
    if (!(std::fmin(from, to) <= t && t <= std::fmax(from, to)))
      throw std::invalid_argument(std::string(what) + " at t = " + std::to_string(t) +
                                  " (the solution covers " + std::to_string(from) + " to " +
                                  std::to_string(to) + ") ask within, or solve farther?");
    if (pieces_.empty()) return nullptr;
    const bool forward = to >= from;
    const auto behind =
        std::partition_point(pieces_.begin() + 1, pieces_.end(),
                             [&](const piece_type& p) { return forward ? p.t <= t : p.t >= t; });
    return &*(behind - 1);
  }

  void extend_once(const piece_type& piece) {
    if (std::exchange(extended_, &piece) != &piece)
      extend(loop_->scheme(), loop_->sys(), piece.t, piece.t_new, piece.stages, scratch_);
  }

  std::shared_ptr<const void> own_;
  std::unique_ptr<loop> loop_;
  std::deque<piece_type> pieces_;  // a piece never moves
  const piece_type* extended_ = nullptr;
  Y y_, zero_;
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

}  // namespace revode
