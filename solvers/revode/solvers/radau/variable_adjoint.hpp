// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/radau/radau_adjoint.hpp>
#include <revode/solvers/radau/radau_basis.hpp>
#include <revode/solvers/radau/variable_types.hpp>

namespace revode {

// The derivative of a step is that of the method of its number of stages, and so is its dense output.

template <variable_radau_method M, class System, class Y, class P>
void pull(const M& m, System& sys, double t, double t_new, const variable_radau_record& r,
          const variable_radau_tape<Y>& tape, variable_radau_scratch<algebra_t<M>, Y>& w,
          const variable_radau_tape<Y>* seeds, Y& state_bar, P& p_bar,
          step_ends<scalar_t<Y>>* ends) {
  with_stages(r.stages, [&](auto s) {
    auto& own = w.template of<s()>();
    radau_scratch<algebra_t<M>, Y, s()>& scratch = own;
    copy_stages(tape, own.stages);
    if (seeds != nullptr) copy_stages(*seeds, own.seeds);
    pull(radau_of<s()>(m), sys, t, t_new, r.of_step(), own.stages, scratch,
         seeds != nullptr ? &std::as_const(own.seeds) : nullptr, state_bar, p_bar, ends);
  });
}

template <variable_radau_method M, class System, class Y, class P>
void push(const M& m, System& sys, double t, double t_new, const variable_radau_record& r,
          const variable_radau_tape<Y>& tape, variable_radau_scratch<algebra_t<M>, Y>& w, Y& y_dot,
          const P& p_dot, const step_ends<scalar_t<Y>>& ends) {
  with_stages(r.stages, [&](auto s) {
    auto& own = w.template of<s()>();
    radau_scratch<algebra_t<M>, Y, s()>& scratch = own;
    copy_stages(tape, own.stages);
    push(radau_of<s()>(m), sys, t, t_new, r.of_step(), own.stages, scratch, y_dot, p_dot, ends);
  });
}

/// y = y_n + Σ Lᵢ(θ) zᵢ: the collocation polynomial.
template <variable_radau_method M, class Y>
void interpolate(const M&, double, double, const variable_radau_tape<Y>& tape,
                 const variable_radau_scratch<algebra_t<M>, Y>&, double theta, Y& y) {
  with_stages(static_cast<int>(tape.stages), [&](auto s) {
    const radau_basis<s()> at(theta);
    copy(tape.y, y);
    for (int i = 0; i < s(); ++i) axpy(scalar_t<Y>(at.value[i]), tape.z[i], y);
  });
}

template <variable_radau_method M, class Y>
void pull_interpolate(const M&, double, double, const variable_radau_tape<Y>& tape,
                      const variable_radau_scratch<algebra_t<M>, Y>&, double theta, const Y& y_bar,
                      variable_radau_tape<Y>* seeds, interpolation_bar<scalar_t<Y>>& bar) {
  using T = scalar_t<Y>;
  with_stages(static_cast<int>(tape.stages), [&](auto s) {
    const radau_basis<s()> at(theta);
    for (int i = 0; i < s(); ++i)
      bar.theta = muladd(T(at.slope[i]), dot(y_bar, tape.z[i]), bar.theta);
    if (seeds == nullptr) return;
    add(y_bar, seeds->y);
    for (int i = 0; i < s(); ++i) axpy(T(at.value[i]), y_bar, seeds->z[i]);
  });
}

/// The tangents of the stages lie where push has left them.
template <variable_radau_method M, class Y>
void push_interpolate(const M&, double, double, const variable_radau_tape<Y>& tape,
                      const variable_radau_scratch<algebra_t<M>, Y>& w, double theta,
                      scalar_t<Y> theta_dot, const step_ends<scalar_t<Y>>&, const Y& y_dot,
                      Y& out) {
  using T = scalar_t<Y>;
  with_stages(static_cast<int>(tape.stages), [&](auto s) {
    const radau_basis<s()> at(theta);
    const auto& own = w.template of<s()>();
    copy(y_dot, out);
    for (int i = 0; i < s(); ++i) {
      axpy(T(at.value[i]), own.x[i], out);
      axpy(T(at.slope[i]) * theta_dot, tape.z[i], out);
    }
  });
}

}  // namespace revode
