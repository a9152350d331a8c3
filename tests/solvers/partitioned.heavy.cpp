// SPDX-License-Identifier: Apache-2.0
#include "partitioned_laws.hpp"

#include <revode/solvers/kahan_li.hpp>
#include <revode/solvers/mclachlan_atela5.hpp>

namespace revode {

TEST_CASE("symplectic methods of orders 5, 6, 8: evaluations, the laws, and order in fixed steps") {
  check_symplectic(mclachlan_atela5{}, 12 * 100);
  check_symplectic(kahan_li6{}, 2 * 9 * 100 + 1);
  check_symplectic(kahan_li8{}, 2 * 17 * 100 + 1);
}

}  // namespace revode
