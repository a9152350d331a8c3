// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/radau/variable_adjoint.hpp>
#include <revode/solvers/radau/variable_step.hpp>
