// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <stdexcept>
#include <utility>

#include <revode/adjoint/continuous_pass.hpp>
#include <revode/adjoint/forward.hpp>

namespace revode {

/// Forward mode whose error norm contains the tangent: steps are short enough for y and for its
/// derivative. A gradient that is exact for the steps taken can be exact and useless where y itself
/// has no error (an equilibrium, a linear invariant), since then nothing bounds the steps.
///   auto s = solve(q, tsit5{}, {}, control_gradient_error{tangents{.y0 = v, .p = u}});
/// For explicit methods. On its steps the derivative along y0 and p is that of the computed solution;
/// t0, t1 and the save times move along the solution: f(t, y) times their tangents. Stops and
/// discontinuities stand still.
/// cost    one field evaluation and one JVP a stage and attempt
template <class Y, class P>
struct control_gradient_error {
  tangents<Y, P> along;

  static constexpr const char* name = "control_gradient_error";
  static constexpr bool exact = true;
};
template <class Y, class P>
control_gradient_error(tangents<Y, P>) -> control_gradient_error<Y, P>;

/// (y, ẏ)' = (f, f_y ẏ + f_p ṗ)
template <class F, class Y, class P>
struct tangent_field {
  system<F, Y, P>* sys;
  const P* p_dot;
  Y *y, *y_dot, *slope;

  template <class Z>
  [[gnu::noinline]] void operator()(const scalar_t<Z>& t, const Z& z, const vec<scalar_t<Z>, 0>&,
                                    Z& dz) const {
    using T = scalar_t<Z>;
    const int n = length(*y);
    const double time = static_cast<double>(t);
    unstack(z, 0, *y);
    unstack(z, n, *y_dot);
    (*sys)(time, *y, *slope);
    stack(*slope, T(1), 0, dz);
    sys->jvp(time, *y, T(0), *y_dot, *p_dot, *slope);
    stack(*slope, T(1), n, dz);
  }
};

/// errors  std::invalid_argument for misuse, tangents of another size included
template <method M, class F, class Y, class P>
pushed_solution<Y> solve(const problem<F, Y, P>& q, const M& m, const options& o,
                         const control_gradient_error<Y, P>& controlled) {
  using Z = stacked_t<Y, vec<scalar_t<Y>, 0>, 2>;
  const tangents<Y, P>& along = controlled.along;
  validate(q, m, o);
  check(q, o, along);
  for (const double moved : along.stops)
    if (moved != 0)
      throw std::invalid_argument(
          "control_gradient_error with a stop or discontinuity that moves (they stand still for "
          "it) "
          "leave tangents::stops at 0, or push the tangents alone?");
  system<std::remove_cvref_t<F>, Y, P> sys(q.f, q.p);
  Y y = q.y0, y_dot = q.y0, slope = q.y0;
  const int n = length(y);
  const auto move = [&](double t, const Y& at, double t_dot, Y& dot_of) {
    if (t_dot == 0) return;
    sys(t, at, slope);
    axpy(static_cast<scalar_t<Y>>(t_dot), slope, dot_of);
  };
  Z z = stacked<Z>(2 * n);
  y_dot = along.y0;
  move(q.t0, q.y0, -along.t0, y_dot);
  stack(q.y0, scalar_t<Y>(1), 0, z);
  stack(y_dot, scalar_t<Y>(1), n, z);
  const tangent_field<std::remove_cvref_t<F>, Y, P> f{&sys, &along.p, &y, &y_dot, &slope};
  options of_both = o;  // a tangent has the tolerances of its element
  for (auto each : {&error_norm::rtol, &error_norm::atol})
    for (const double own : o.norm.*each) (of_both.norm.*each).push_back(own);
  const auto both = revode::solve(problem{f, z, q.t0, q.t1}, m, of_both);

  pushed_solution<Y> s;
  s.status = both.status;
  s.t = both.t;
  s.ts = both.ts;
  s.stats = both.stats;
  s.y = s.y_dot = q.y0;
  unstack(both.y, 0, s.y);
  unstack(both.y, n, s.y_dot);
  const bool complete = s.status == status::success;
  if (complete) move(s.t, s.y, along.t1, s.y_dot);
  const std::size_t first = o.save.t0 ? 1 : 0, size = both.ys.size();
  for (std::size_t k = 0; k < size; ++k) {
    s.ys.push_back(q.y0);
    s.ys_dot.push_back(along.y0);
    unstack(both.ys[k], 0, s.ys[k]);
    if (k < first) continue;
    unstack(both.ys[k], n, s.ys_dot[k]);
    const bool last = complete && o.save.t1 && k + 1 == size;
    const double ts_dot = last ? along.t1 : along.ts.empty() ? 0.0 : along.ts[k - first];
    move(both.ts[k], s.ys[k], ts_dot, s.ys_dot[k]);
  }
  return s;
}

}  // namespace revode
