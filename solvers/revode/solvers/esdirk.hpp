// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/esdirk_adjoint.hpp>
#include <revode/solvers/esdirk_dense.hpp>
#include <revode/solvers/esdirk_step.hpp>
