// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything a Rosenbrock method does; a method itself is a file of data.
//
// The order that is left on stiff problems, measured with fixed steps 1/20 … 1/160 (first on Prothero
// and Robinson's problem with λ = 10⁶, then on heat with moving boundary values, 20 points):
//   rosenbrock23 2, 2   ros3p 2, 2.8    rodas3 1, 2     rodas3p 2, 2.9   rodas4 0.9, 2.3
//   rodas4p 3, 4        rodas4p2 3, 4   rodas5 1.1, 2.4 rodas5p 3, 4     ros34pw2 2, 2.9
#include <revode/solvers/rosenbrock/rosenbrock_adjoint.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_control.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_dense.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_push.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_rows.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_slices.hpp>
#include <revode/solvers/rosenbrock/rosenbrock_step.hpp>
