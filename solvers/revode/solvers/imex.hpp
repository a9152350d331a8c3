// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/implicit/esdirk.hpp>
#include <revode/solvers/implicit/imex_tableau.hpp>
