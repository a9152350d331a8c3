// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solve/mass/mass_matrix.hpp>

namespace revode {

/// x ← the vector with M x = f, f in x, and 0 where M leaves it open; its transpose.
template <bool Transposed, class System, class Y>
void solve_open_slope(System& sys, Y& x) {
  Y other = zero_like(x);
  if constexpr (Transposed)
    sys.mass.elimination().pull(x, other);
  else
    sys.mass.elimination().solve(x, other);
  copy(other, x);
}

}  // namespace revode
