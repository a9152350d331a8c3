// expect-error: this odeint stepper is a multi-step method
// expect-error: this odeint stepper is implicit
// expect-error: this odeint stepper is partitioned
// expect-error: this odeint stepper is a dense-output wrapper
// expect-error: this odeint stepper chooses its order
// expect-error: this is not one of odeint's explicit one-step steppers
// expect-error: this method has no error estimate
// expect-error: this method has no dense output
// links: revode::odeint
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <boost/numeric/odeint/stepper/adams_bashforth_moulton.hpp>
#include <boost/numeric/odeint/stepper/bulirsch_stoer.hpp>
#include <boost/numeric/odeint/stepper/dense_output_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/velocity_verlet.hpp>

#include <revode/interop/odeint.hpp>

namespace library = boost::numeric::odeint;
using state = std::vector<double>;

struct one_of_the_users {};
struct like_implicit_euler {  // whose own header needs uBLAS
  using stepper_category = library::stepper_tag;
  using pmatrix_type = int;
};
struct without_estimate {
  static constexpr const char* name = "fixed steps only";
  static constexpr int order = 1;
  template <class Y>
  struct types : revode::default_types<Y> {};
};

template struct revode::odeint::one_step<library::adams_bashforth_moulton<4, state>>;
template struct revode::odeint::one_step<library::velocity_verlet<state>>;
template struct revode::odeint::one_step<library::dense_output_runge_kutta<library::euler<state>>>;
template struct revode::odeint::one_step<library::bulirsch_stoer<state>>;
template struct revode::odeint::one_step<one_of_the_users>;
template struct revode::odeint::one_step<like_implicit_euler>;
template class revode::odeint::as_dense_output_stepper<without_estimate, state>;
