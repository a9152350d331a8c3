// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/stabilized/stabilized_adjoint.hpp>
