// SPDX-License-Identifier: Apache-2.0
#pragma once

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
      : q_t0_(q.t0), loop_(q, m, o, false), along_(along), state_dot_(loop_.state()) {
    push_begin(m, loop_.sys(), q.t0, q.y0, along.y0, along.p, state_dot_);
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
    if (loop_.count() == 0) push_no_step(at_start);
    pushed_solution<Y> s;
    static_cast<solution<Y>&>(s) = std::move(loop_.result());
    s.y_dot = push_value(loop_.scheme(), state_dot_);
    if (loop_.save_points().t1 && s.status == status::success) ys_dot_.push_back(s.y_dot);
    s.ys_dot = std::move(ys_dot_);
    return s;
  }

 private:
  step_ends<scalar> moving_ends(index i, double t_new) const {
    double from = 0, to = 0;
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
    const auto& tape = loop_.work_tape();
    auto& w = loop_.scratch();
    const std::size_t saved = loop_.saved();
    auto before = state_dot_;
    push(m, loop_.sys(), t, t_new, loop_.last_record(), tape, w, state_dot_, along_.p, ends);
    if (first_saved == saved) return;
    extend(m, loop_.sys(), t, t_new, tape, w);
    push_extend(m, loop_.sys(), t, t_new, tape, w, before, along_.p, ends);
    for (std::size_t k = first_saved; k < saved; ++k) push_save_point(k, t, t_new, before, ends);
  }

  template <class State>
  void push_save_point(std::size_t k, double t, double t_new, const State& before,
                       const step_ends<scalar>& ends) {
    const double h = t_new - t, theta = (loop_.save_points().ts[k] - t) / h;
    const double ts_dot = along_.ts.empty() ? 0.0 : along_.ts[k];
    const double theta_dot = (ts_dot - (1 - theta) * static_cast<double>(ends.t) -
                              theta * static_cast<double>(ends.t_new)) / h;
    Y out = along_.y0;
    push_interpolate(loop_.scheme(), t, t_new, loop_.work_tape(), loop_.scratch(), theta,
                     static_cast<scalar>(theta_dot), ends, before, out);
    ys_dot_.push_back(std::move(out));
  }

  void push_no_step(std::size_t saved) {
    Y slope = along_.y0;
    loop_.sys()(q_t0_, loop_.y0(), slope);
    for (std::size_t k = 0; k < saved; ++k) ys_dot_.push_back(along_.y0);
    axpy(static_cast<scalar>(along_.t1 - along_.t0), slope, state_dot_);
  }

  double q_t0_;
  stepper<M, F, Y, P> loop_;
  tangents<Y, P> along_;
  typename method_types<M, Y>::state state_dot_;
  std::vector<Y> ys_dot_;
};

/// Integrates q together with its derivative along a direction:
///   auto s = solve(q, tsit5{}, {}, tangents{.y0 = v, .p = u});    // s.y, s.y_dot, s.ys_dot
template <method M, class F, class Y, class P>
pushed_solution<Y> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                         const tangents<Y, P>& along) {
  validate(q, m, o);
  return forward_mode<M, std::remove_cvref_t<F>, Y, P>(q, m, o, along).run();
}

}  // namespace revode
