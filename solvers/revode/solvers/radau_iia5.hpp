// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/radau_adjoint.hpp>
#include <revode/solvers/radau_dense.hpp>
#include <revode/solvers/radau_step.hpp>
