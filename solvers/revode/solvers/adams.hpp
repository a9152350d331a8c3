// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/multistep/adams_dense.hpp>

namespace revode {

using adams12 = adams<12>;

}  // namespace revode
