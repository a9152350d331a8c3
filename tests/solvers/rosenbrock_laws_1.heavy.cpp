// SPDX-License-Identifier: Apache-2.0
#include "rosenbrock_laws.hpp"

namespace revode {
namespace {

TEST_CASE("Rosenbrock laws: ros3p, rodas3, rodas3p, ros34pw2") {
  const problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  check_laws(ros3p{}, q);
  check_laws(rodas3{}, q);
  check_laws(rodas3p{}, q);
  check_laws(ros34pw2{}, q);
}

}  // namespace
}  // namespace revode
