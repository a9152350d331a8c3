// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/imex_adjoint.hpp>
#include <revode/solvers/implicit/imex_dense.hpp>
#include <revode/solvers/implicit/imex_step.hpp>
