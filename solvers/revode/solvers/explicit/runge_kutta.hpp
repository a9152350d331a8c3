// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything an explicit Runge–Kutta method does; a method itself is a file of data.
#include <revode/solvers/explicit/runge_kutta_adjoint.hpp>
#include <revode/solvers/explicit/runge_kutta_columns.hpp>
#include <revode/solvers/explicit/runge_kutta_dense.hpp>
#include <revode/solvers/explicit/runge_kutta_step.hpp>
