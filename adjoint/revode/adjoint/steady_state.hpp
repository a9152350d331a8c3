// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/error/checked_gradient.hpp>
#include <revode/linalg/dense/dense_lu.hpp>
#include <revode/linalg/refinement.hpp>

namespace revode {

template <class M, class F, class Y, class P>
class steady_solution;

/// The state y* with f(t, y*, p) = 0, and its derivative with respect to p by the implicit function
/// theorem: one transposed linear solve, nothing of the way there is kept. Found by marching in time
/// until f is below 100 (rtol |y| + atol) of the solve, or t1 is reached, then by Newton's iteration;
/// with march = false by Newton's iteration from q.y0 alone.
///   rtol, atol   of y*: Newton ends with a correction below them
///   iterations   of Newton, at the most
/// y* does not depend on y0, t0 and t1, whose derivatives are 0. t is the time reached: f should not
/// depend on it.
struct steady_state {
  bool march = true;
  double rtol = 1e-10;
  double atol = 1e-13;
  index iterations = 20;

  static constexpr const char* name = "steady_state";
  static constexpr bool exact = true;

  template <class M, class F, class Y, class P>
  using solution_of = steady_solution<M, F, Y, P>;

  void check(const options& o) const {
    refuse_stops(name, o);
    if (o.save.t0 || o.save.t1 || !o.save.ts.empty() || o.save.every > 0)
      throw std::invalid_argument(
          "steady_state with save points (there is one state, the steady "
          "one) leave options::save empty?");
    if (!(rtol >= 0) || !(atol >= 0) || rtol + atol == 0)
      throw std::invalid_argument("steady_state with rtol=" + std::to_string(rtol) +
                                  ", atol=" + std::to_string(atol) +
                                  " (Newton ends with a correction below them) give at least one "
                                  "> 0?");
    if (iterations < 1)
      throw std::invalid_argument("steady_state with iterations = " + std::to_string(iterations) +
                                  " (the residual is known after one) give iterations >= 1?");
  }
};

/// The gradient of a loss of y*, and how well its linear system was solved.
template <class Y, class P>
struct steady_gradient : gradient<Y, P> {
  double linear_residual = 0;  ///< ‖w − Jᵀu‖ / ‖w‖
};

/// The steady state of a problem. Refers to the problem unless it is `own`.
/// status  newton_failure; linear_solve_failure: the Jacobian at y* (or on the way) is singular to
///         rounding, as with a conserved quantity; max_steps and others of the march
template <class M, class F, class Y, class P>
class steady_solution : public solution<Y> {
  static_assert(state_in_one_place<Y>::there);

 public:
  double residual = 0;   ///< the largest |fᵢ(y*)|
  double condition = 0;  ///< ‖J‖₁ ‖J⁻¹‖₁ at y*, estimated from below

  template <class Field>
  steady_solution(const problem<Field, Y, P>& q, const M& m, const options& o,
                  const steady_state& a, std::shared_ptr<const problem<Field, Y, P>> own = {})
      : own_(own),
        sys_(std::make_unique<system<F, Y, P>>(q.f, q.p)) {
    this->t = q.t0;
    this->y = q.y0;
    if (a.march) march(q, m, o);
    if (this->status == revode::status::success) newton(a);
    statistics& s = this->stats;
    s.field_evaluations += sys_->counts.field_evaluations;
    s.jacobian_evaluations += sys_->counts.jacobian_evaluations;
    s.jvp_evaluations += sys_->counts.jvp_evaluations;
  }

  /// p̄ = −uᵀ f_p, f_yᵀ u = w
  /// cost    one transposed solve (two with its correction), one VJP
  /// status  of the gradient: linear_solve_failure where that left too much; non_finite_gradient
  /// errors  std::invalid_argument: no steady state was found; a cotangent of another size
  steady_gradient<Y, P> pullback(const cotangents<Y>& w) {
    check_cotangents<Y>(*this, w);
    steady_gradient<Y, P> g{{.y0 = zero_like(this->y), .p = zero_like(sys_->p)}};
    if (!w.y) return g;
    const index before = sys_->counts.vjp_evaluations;
    Y u = *w.y, off = u, unused = u;
    factors_.solve_transposed(u);
    off = missing(*w.y, u);
    factors_.solve_transposed(off);
    add(off, u);
    off = missing(*w.y, u);
    const double size = largest(*w.y);
    g.linear_residual = size > 0 ? largest(off) / size : 0;
    const status solved = trouble_of_solution(&*w.y, &u, &off, 1, largest_element(jacobian_),
                                              jacobian_, [&] { off = missing(*w.y, u); });
    for (int i = 0, n = length(u); i < n; ++i) u.data()[i] = -u.data()[i];
    sys_->vjp(this->t, this->y, u, nullptr, unused, g.p);
    g.reverse.vjp_evaluations = sys_->counts.vjp_evaluations - before;
    settle(solved, g);
    return g;
  }
  template <std::convertible_to<Y> W = braced_state<Y>>
  steady_gradient<Y, P> pullback(const W& y_bar) {
    return pullback(cotangents<Y>{.y = y_bar});
  }

 private:
  using T = scalar_t<Y>;

  static double sum_of(const Y& y) {
    double sum = 0;
    for (int i = 0, n = length(y); i < n; ++i) sum += std::abs(static_cast<double>(y.data()[i]));
    return sum;
  }

  template <class Field>
  void march(const problem<Field, Y, P>& q, const M& m, const options& o) {
    stepper<M, F, Y, P> loop(q, m, o);
    Y slope = q.y0, scaled = q.y0;
    const auto still = [&](double t, const Y& y) {
      (*sys_)(t, y, slope);
      for (int i = 0, n = length(y); i < n; ++i) scaled.data()[i] = slope.data()[i] + y.data()[i];
      return tolerances_apart(scaled, y, {o.rtol, o.atol}) <= 100;
    };
    while (!loop.finished() && !still(loop.time(), value(m, loop.state())))
      loop.step(loop.work_tape());
    static_cast<solution<Y>&>(*this) = loop.result();
  }

  void newton(const steady_state& a) {
    Y slope = this->y, next = this->y;
    (*sys_)(this->t, this->y, slope);
    residual = largest(slope);
    for (index k = 0; k < a.iterations; ++k) {
      if (!factor()) return fail(revode::status::linear_solve_failure);
      Y correction = slope;
      factors_.solve(correction);
      T share(1);
      double size = std::numeric_limits<double>::infinity();
      for (int halvings = 0; halvings < 20 && !(size < residual || size == 0); ++halvings) {
        copy(this->y, next);
        axpy(-share, correction, next);
        (*sys_)(this->t, next, slope);
        size = all_finite(slope) ? largest(slope) : std::numeric_limits<double>::infinity();
        share /= 2;
      }
      const bool small = tolerances_apart(next, this->y, {a.rtol, a.atol}) <= 1 && share == T(0.5);
      if (!(size < residual) && !small && residual > 0) return fail(revode::status::newton_failure);
      if (size < residual) {
        copy(next, this->y);
        residual = size;
      } else {
        (*sys_)(this->t, this->y, slope);
      }
      if (!small && residual > 0) continue;
      if (!factor()) return fail(revode::status::linear_solve_failure);
      return;
    }
    fail(revode::status::newton_failure);
  }

  void fail(revode::status s) { this->status = s; }

  /// The Jacobian at y, its factors and condition; false when it is singular to rounding.
  bool factor() {
    const int n = length(this->y);
    if constexpr (requires { jacobian_.resize(n); }) jacobian_.resize(n);
    sys_->jacobian(this->t, this->y, jacobian_);
    if (!factors_.factor(jacobian_)) return false;
    double norm = 0;
    for (int j = 0; j < n; ++j) {
      double column = 0;
      for (int i = 0; i < n; ++i) column += std::abs(static_cast<double>(jacobian_(i, j)));
      norm = std::fmax(norm, column);
    }
    condition = norm * inverse_norm();
    const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    return condition * eps * 4 < 1;
  }

  /// ‖J⁻¹‖₁ from below.
  /// source  Hager, SIAM J. Sci. Stat. Comput. 5 (1984) 311–316
  double inverse_norm() const {
    const int n = length(this->y);
    Y x = this->y;
    fill(x, T(1) / static_cast<T>(n > 0 ? n : 1));
    double found = 0;
    for (int round = 0; round < 5; ++round) {
      factors_.solve(x);
      const double size = sum_of(x);
      if (!(size > found)) return size - size == 0 ? found : size;
      found = size;
      for (int i = 0; i < n; ++i) x.data()[i] = static_cast<T>(x.data()[i] < 0 ? -1 : 1);
      factors_.solve_transposed(x);
      int most = 0;
      for (int i = 1; i < n; ++i)
        if (std::abs(x.data()[i]) > std::abs(x.data()[most])) most = i;
      fill(x, T(0));
      x.data()[most] = T(1);
    }
    return found;
  }

  /// w − Jᵀ u
  Y missing(const Y& w, const Y& u) const {
    Y off = w;
    const int n = length(w);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        off.data()[j] = muladd(-jacobian_(i, j), u.data()[i], off.data()[j]);
    return off;
  }

  std::shared_ptr<const void> own_;
  std::unique_ptr<system<F, Y, P>> sys_;
  jacobian_t<Y> jacobian_{};
  lu_t<Y> factors_{};
};

}  // namespace revode
