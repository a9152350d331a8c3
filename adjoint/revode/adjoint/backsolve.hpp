// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <revode/adjoint/continuous/continuous_pass.hpp>

namespace revode {

template <class M, class F, class Y, class P, class Events>
class backsolve_solution;

/// The continuous adjoint that keeps nothing: y is integrated backwards along with λ and p̄, in
/// (2 n + np) numbers whatever the number of steps. Right where the solve can be run backwards;
/// a system that damps or is chaotic cannot, and then the gradient's status is
/// reconstruction_failure and its numbers are NaN.
///   reverse   tolerances and bound of the reverse solves; 0: those of the solve
///   seminorm  p̄ is left out of the error norm, since nothing depends on it
///   reset     y starts again from the saved state at every save point
///   limit     how many tolerances y may miss a saved state, or y0, before that is a failure
/// The method must be explicit.
/// sources  Chen, Rubanova, Bettencourt, Duvenaud, NeurIPS 2018, section 2; the seminorm: Kidger,
///          Chen, Lyons, ICML 2021, section 3
struct backsolve {
  reverse_options reverse{};
  bool seminorm = false;
  bool reset = true;
  double limit = 1000;

  static constexpr const char* name = "backsolve";
  static constexpr bool exact = false;

  template <class M, class F, class Y, class P, class Events = no_events>
  using solution_of = backsolve_solution<M, F, Y, P, Events>;

  void check(const options& o) const {
    check_reverse(name, reverse, o, seminorm);
    if (!(limit > 0))
      throw std::invalid_argument("backsolve with limit = " + std::to_string(limit) +
                                  " tolerances (a reconstruction that is exact has 0) give a "
                                  "positive limit?");
  }
};

/// (y, λ, μ)' = (f, −f_yᵀ λ, −f_pᵀ λ), μ in units of 1 / scale.
template <class F, class Y, class P>
struct backsolve_field {
  static_assert(!has_mass_v<F>,
                "a field with a mass matrix for a continuous adjoint (λ of algebraic variables "
                "jumps) take recursive_checkpoint, which is exact?");
  system<F, Y, P>* sys;
  Y *y, *lambda, *slope;
  P* p_bar;
  double scale;

  template <class Z>
  requires std::floating_point<scalar_t<Z>>
  [[gnu::noinline]] void operator()(const scalar_t<Z>& t, const Z& z, const vec<scalar_t<Z>, 0>&,
                                    Z& dz) const {
    using T = scalar_t<Z>;
    const int n = length(*y);
    const double time = static_cast<double>(t);
    unstack(z, 0, *y);
    unstack(z, n, *lambda);
    (*sys)(time, *y, *slope);
    stack(*slope, T(1), 0, dz);
    const bool finite = all_finite(*slope);
    fill(*slope, T(0));
    fill(*p_bar, T(0));
    sys->vjp(time, *y, *lambda, nullptr, *slope, *p_bar);
    stack(*slope, T(-1), n, dz);
    stack(*p_bar, static_cast<T>(-scale), 2 * n, dz);
    if (finite && !(all_finite(*slope) && all_finite(*p_bar)))
      report(*sys, status::non_finite_gradient);
  }

  /// What implicit methods ask for.
  template <class... A>
  void jacobian(const A&...) const {
    refuse<A...>();
  }
  template <class... A>
  void jvp(const A&...) const {
    refuse<A...>();
  }
  template <class... A>
  void implicit_part(const A&...) const {
    refuse<A...>();
  }
  template <class... A>
  void explicit_part(const A&...) const {
    refuse<A...>();
  }

 private:
  template <class... A>
  static void refuse() {
    static_assert(sizeof...(A) < 0,
                  "backsolve takes explicit methods (the equation that it solves backwards has no "
                  "Jacobian) choose one such as tsit5, or gauss, interpolating?");
  }
};

/// A solution with the adjoint `backsolve`. Refers to the problem unless it is `own`.
template <class M, class F, class Y, class P, class Events>
class backsolve_solution : public solution<Y> {
  static_assert(state_in_one_place<Y>::there);

 public:
  template <class Field>
  backsolve_solution(const problem<Field, Y, P>& q, const M& m, const options& o,
                     const backsolve& a, std::shared_ptr<const problem<Field, Y, P>> own = {},
                     const Events& events = {})
      : own_(own),
        method_(m),
        tolerance_{o.rtol, o.atol},
        adjoint_(a),
        loop_(std::make_unique<loop>(q, m, o, std::nullopt, events)),
        sys_(std::make_unique<system<F, Y, P>>(q.f, loop_->stretches().parameters())) {
    if (loop_->stretches().cut_count() > 0) before_.push_back(q.y0);  // a cut at t0
    loop_->keep_before_cuts(before_);
    while (!loop_->finished()) loop_->step(loop_->work_tape());
    static_cast<solution<Y>&>(*this) = loop_->result();
    back_ = options_backwards(o, a.reverse, this->stats.accepted + this->stats.rejected);
  }

  /// cost    one field evaluation and one VJP a stage and attempt of the reverse solves
  /// errors  as differentiable_solution::pullback
  /// status  of the gradient: that of a reverse solve (of y backwards), reconstruction_failure, or
  ///         non_finite_gradient
  checked_gradient<Y, P> pullback(const cotangents<Y>& w) {
    check_cotangents<Y>(*this, w);
    using Z = stacked_t<Y, P, 2>;
    const int n = length(this->y), np = length(sys_->p), size = 2 * n + np;
    Y y = this->y, lambda = y, slope = y;
    P p_bar = sys_->p;
    options o = back_;
    const double scale = adjoint_.seminorm ? unseen::scale : 1;
    if (adjoint_.seminorm) unseen::leave_out(size, 2 * n, o);
    const backsolve_field<F, Y, P> f{sys_.get(), &y, &lambda, &slope, &p_bar, scale};
    Z z = stacked<Z>(size);
    bool fresh = true;
    const auto advance = [&](double t, double to, const Y& from, const Y& there, Y& bar, P& sum,
                             checked_gradient<Y, P>& g) {
      if (std::exchange(fresh, false) || adjoint_.reset) stack(from, scalar_t<Y>(1), 0, z);
      stack(bar, scalar_t<Y>(1), n, z);
      stack(sum, static_cast<scalar_t<Y>>(scale), 2 * n, z);
      const problem q{f, z, t, to};
      sys_->counts.trouble = status::success;
      status s = run_backwards(q, method_, o, g.backward, z, [](auto&) {});
      if (s != status::success && sys_->counts.trouble != status::success) s = of_cotangents(s);
      unstack(z, 0, y);
      const double off = s == status::success ? tolerances_apart(y, there, tolerance_)
                                              : std::numeric_limits<double>::infinity();
      g.reconstruction_error = std::max(g.reconstruction_error, off);
      if (s == status::success && !(off <= adjoint_.limit)) s = status::reconstruction_failure;
      unstack(z, n, bar);
      unstack(z, 2 * n, sum);
      if (scale != 1)
        for (int j = 0; j < np; ++j) sum.data()[j] /= static_cast<scalar_t<P>>(scale);
      return s;
    };
    checked_gradient<Y, P> g = continuous_pass(*this, w, *loop_, before_, *sys_)
                                   .run([&](std::size_t) { fresh = true; }, advance);
    g.reverse.work_bytes = static_cast<index>(sizeof(scalar_t<Y>)) * size;
    return g;
  }
  template <std::convertible_to<Y> W = braced_state<Y>>
  checked_gradient<Y, P> pullback(const W& y_bar) {
    return pullback(cotangents<Y>{.y = y_bar});
  }

 private:
  using loop = stepper<M, F, Y, P, Events>;

  std::shared_ptr<const void> own_;
  M method_;
  options back_;
  tolerance tolerance_;
  backsolve adjoint_;
  std::unique_ptr<loop> loop_;
  std::vector<Y> before_;  // the states before the cuts
  std::unique_ptr<system<F, Y, P>> sys_;
};

}  // namespace revode
