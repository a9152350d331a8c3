// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/radau/radau_adjoint.hpp>
#include <revode/solvers/radau/radau_dense.hpp>
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

template <class Y, class Do>
void with_stages_of(const variable_radau_tape<Y>& tape, Do&& act) {
  with_stages(static_cast<int>(tape.stages), act);
}
template <int S, class L, class Y>
const auto& stage_tangents(const variable_radau_scratch<L, Y>& w) {
  return w.template of<S>().x;
}

}  // namespace revode
