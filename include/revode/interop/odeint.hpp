// SPDX-License-Identifier: Apache-2.0
#pragma once

// Boost.Odeint, both ways.
//   from_odeint(system)                    its systems as fields, as they are (solve/adapters.hpp);
//   odeint::from_parameters, autonomous    with parameters to differentiate by; without t
//   odeint::method<Stepper>                its one-step steppers as methods, with their exact derivative
//   odeint::as_stepper<Method, State>      methods as steppers for its integrate_* functions;
//   as_controlled_stepper, as_dense_output_stepper

#include <revode/interop/odeint/array.hpp>
#include <revode/interop/odeint/as_controlled_stepper.hpp>
#include <revode/interop/odeint/as_stepper.hpp>
#include <revode/interop/odeint/field.hpp>
#include <revode/interop/odeint/method.hpp>
#include <revode/solve/adapters.hpp>
