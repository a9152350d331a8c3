// SPDX-License-Identifier: Apache-2.0
#include "two_units.hpp"

std::vector<derivatives_seen> seen_optimised() { return two_units::see_all(); }
