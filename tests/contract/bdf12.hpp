// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bdf12_adjoint.hpp"
#include "bdf12_step.hpp"
