// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/imex_adjoint.hpp>
#include <revode/solvers/imex_dense.hpp>
#include <revode/solvers/imex_step.hpp>
