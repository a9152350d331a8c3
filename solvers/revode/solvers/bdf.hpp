// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/multistep/bdf_adjoint.hpp>
#include <revode/solvers/multistep/bdf_control.hpp>
#include <revode/solvers/multistep/nordsieck_dense.hpp>

namespace revode {

using bdf2 = bdf<2>;
using bdf5 = bdf<5>;

}  // namespace revode
