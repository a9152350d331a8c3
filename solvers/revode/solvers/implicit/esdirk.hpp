// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk_adjoint.hpp>
#include <revode/solvers/implicit/esdirk_dense.hpp>
#include <revode/solvers/implicit/esdirk_step.hpp>
