// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/gradient.hpp>
#include <revode/solve/solve.hpp>

namespace revode {

/// A solution and its derivative in one direction.
template <class Y>
struct pushed_solution : solution<Y> {
  Y y_dot;
  std::vector<Y> ys_dot{};
};

/// Forward mode: the derivative of the computed solution along a direction of its inputs, carried
/// along with the solve in O(1) memory. The same grid semantics as the discrete adjoint.
/// cost    one JVP per stage and step on top of the solve
template <class M, class F, class Y, class P>
class forward_mode {
 public:
  using scalar = scalar_t<Y>;

  template <class Field>
  forward_mode(const problem<Field, Y, P>& q, const M& m, const options& o,
               const tangents<Y, P>& along)
      : q_t0_(q.t0),
        loop_(q, m, o),
        along_(along),
        state_dot_(loop_.state()) {
    Y y_dot = along.y0;
    if (is_multistep_v<M>) move_along(q.t0, q.y0, -along.t0, y_dot);
    const auto t_dot = static_cast<scalar>(is_multistep_v<M> ? 0 : along.t0);
    push_begin(m, loop_.sys(), q.t0, q.y0, y_dot, along.p, t_dot, state_dot_);
  }

  pushed_solution<Y> run() {
    if (loop_.save_points().t0) ys_dot_.push_back(along_.y0);
    const std::size_t at_start = loop_.saved();
    while (!loop_.finished()) {
      const double t = loop_.time();
      const index i = loop_.position();
      const std::size_t saved = loop_.saved();
      loop_.step(loop_.work_tape());
      if (loop_.position() > i) push_step(i, t, i == 0 ? 0 : saved);
    }
    pushed_solution<Y> s;
    static_cast<solution<Y>&>(s) = std::move(loop_.result());
    s.y_dot = push_value(loop_.scheme(), state_dot_);
    if (loop_.count() == 0)
      push_no_step(at_start, s.status == status::success, s.y_dot);
    else if (is_multistep_v<M> && s.t == loop_.t1())
      move_along(s.t, s.y, along_.t1, s.y_dot);
    if (loop_.save_points().t1 && s.status == status::success) ys_dot_.push_back(s.y_dot);
    s.ys_dot = std::move(ys_dot_);
    return s;
  }

 private:
  step_ends<scalar> moving_ends(index i, double t_new) const {
    double from = 0, to = 0;
    if (is_multistep_v<M>) return {};
    if (const index n = loop_.log().equal_steps(); n > 0) {
      const double a = static_cast<double>(i) / static_cast<double>(n);
      const double b = static_cast<double>(i + 1) / static_cast<double>(n);
      from = (1 - a) * along_.t0 + a * along_.t1;
      to = (1 - b) * along_.t0 + b * along_.t1;
    } else {
      if (i == 0) from = along_.t0;
      if (t_new == loop_.t1()) to = along_.t1;
    }
    return {static_cast<scalar>(from), static_cast<scalar>(to)};
  }

  void push_step(index i, double t, std::size_t first_saved) {
    const double t_new = loop_.time();
    const auto ends = moving_ends(i, t_new);
    const auto& m = loop_.scheme();
    const auto& tape = loop_.work_tape().stages;
    auto& w = loop_.scratch();
    const std::size_t saved = loop_.saved();
    auto before = state_dot_;
    push(m, loop_.sys(), t, t_new, loop_.work_tape().record, tape, w, state_dot_, along_.p, ends);
    if constexpr (has_dense_output_v<M>) {
      if (first_saved == saved) return;
      extend(m, loop_.sys(), t, t_new, tape, w);
      push_extend(m, loop_.sys(), t, t_new, tape, w, before, along_.p, ends);
      for (std::size_t k = first_saved; k < saved; ++k) push_save_point(k, t, t_new, before, ends);
    }
  }

  template <class State>
  void push_save_point(std::size_t k, double t, double t_new, const State& before,
                       const step_ends<scalar>& ends) {
    const double h = t_new - t, theta = (loop_.save_points().ts[k] - t) / h;
    const double ts_dot = along_.ts.empty() ? 0.0 : along_.ts[k];
    const double theta_dot = (ts_dot - (1 - theta) * static_cast<double>(ends.t) -
                              theta * static_cast<double>(ends.t_new)) /
                             h;
    Y out = along_.y0;
    push_interpolate(loop_.scheme(), t, t_new, loop_.work_tape().stages, loop_.scratch(), theta,
                     static_cast<scalar>(theta_dot), ends, before, out);
    ys_dot_.push_back(std::move(out));
  }

  /// y_dot += f(t, y) t_dot
  void move_along(double t, const Y& y, double t_dot, Y& y_dot) {
    if (t_dot == 0) return;
    Y slope = y;
    loop_.sys()(t, y, slope);
    axpy(static_cast<scalar>(t_dot), slope, y_dot);
  }

  /// No step, because t0 == t1 (moving an end makes one) or because none succeeded.
  void push_no_step(std::size_t saved, bool complete, Y& y_dot) {
    y_dot = along_.y0;
    ys_dot_.resize(ys_dot_.size() + saved, along_.y0);
    if (!complete) return;
    for (std::size_t k = 0; k < saved; ++k) {
      const double ts_dot = along_.ts.empty() ? 0.0 : along_.ts[k];
      move_along(q_t0_, loop_.y0(), ts_dot - along_.t0,
                 *(ys_dot_.end() - static_cast<long>(saved - k)));
    }
    move_along(q_t0_, loop_.y0(), along_.t1 - along_.t0, y_dot);
  }

  double q_t0_;
  stepper<M, F, Y, P> loop_;
  tangents<Y, P> along_;
  typename method_types<M, Y>::state state_dot_;
  std::vector<Y> ys_dot_;
};

/// Throws for a direction that is not one of this problem's.
template <class F, class Y, class P>
void check(const problem<F, Y, P>& q, const options& o, const tangents<Y, P>& along) {
  if (length(along.y0) != length(q.y0))
    throw std::invalid_argument("a tangent of " + std::to_string(length(along.y0)) +
                                " elements for a state of " + std::to_string(length(q.y0)) +
                                " (they have the same shape) resize it?");
  if (length(along.p) != length(q.p))
    throw std::invalid_argument("a tangent of " + std::to_string(length(along.p)) +
                                " elements for " + std::to_string(length(q.p)) +
                                " parameters (they have the same shape) resize it?");
  if (!along.ts.empty() && along.ts.size() != o.save.ts.size())
    throw std::invalid_argument(std::to_string(along.ts.size()) + " tangents for " +
                                std::to_string(o.save.ts.size()) +
                                " listed save times (one belongs to each) give as many, or none?");
}

/// Integrates q together with its derivative along a direction:
///   auto s = solve(q, tsit5{}, {}, tangents{.y0 = v, .p = u});    // s.y, s.y_dot, s.ys_dot
/// errors  std::invalid_argument for misuse, tangents of another size included
template <method M, class F, class Y, class P>
pushed_solution<Y> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                         const tangents<Y, P>& along) {
  validate(q, m, o);
  check(q, o, along);
  return forward_mode<M, std::remove_cvref_t<F>, Y, P>(q, m, o, along).run();
}

}  // namespace revode
