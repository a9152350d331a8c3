// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <revode/solvers/bdf.hpp>

namespace revode {

/// Numerical differentiation of orders 1 to K: BDF whose slope is moved by κ_q l₁ a, which makes errors of
/// orders 1 to 4 smaller by 0.63, 0.50, 0.40 and 0.57, and steps by so much longer. All else is bdf<K>'s, the
/// derivative, which has (1 − κ_q) l₁ in place of l₁, and the algebras among it. A(α)-stable at α = 90°, 90°,
/// 80°, 66° and 51°, BDF at 90°, 90°, 86°, 73° and 51°.
/// source  Shampine & Reichelt, The MATLAB ODE suite, SIAM J. Sci. Comput. 18 (1997) 1–22
template <int K>
struct ndf : bdf<K> {
  static constexpr const char* name = K == 1   ? "ndf1"
                                      : K == 2 ? "ndf2"
                                      : K == 3 ? "ndf3"
                                      : K == 4 ? "ndf4"
                                               : "ndf5";
  static constexpr const char* source = "Shampine & Reichelt, SIAM J. Sci. Comput. 18 (1997) 1-22";
  using formula = ndf_formula<K>;
};

using ndf5 = ndf<5>;

}  // namespace revode
