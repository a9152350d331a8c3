// SPDX-License-Identifier: Apache-2.0
#pragma once

// All of revode that needs no other library: solve, methods, adjoints, loops.
#include <revode/adjoint/all.hpp>
#include <revode/adjoint/pull_save_values.hpp>
#include <revode/loop/bounded_while_loop.hpp>
#include <revode/loop/inner_loops.hpp>
#include <revode/loop/scan.hpp>
#include <revode/problem.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solve/step_by_step.hpp>
#include <revode/solvers/all.hpp>
