// SPDX-License-Identifier: Apache-2.0
#include "rosenbrock_laws.hpp"

namespace revode {
namespace {

TEST_CASE("Rosenbrock laws: rodas4p, rodas4p2, rodas5") {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  check_laws(rodas4p{}, q);
  check_laws(rodas4p2{}, q);
  check_laws(rodas5{}, q);
}

}  // namespace
}  // namespace revode
