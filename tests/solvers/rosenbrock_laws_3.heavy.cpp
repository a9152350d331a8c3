// SPDX-License-Identifier: Apache-2.0
#include "rosenbrock_laws.hpp"

namespace revode {
namespace {

TEST_CASE("Rosenbrock laws for states whose size is known when it runs") {
  const Eigen::VectorXd y0{{0.5, 1.0}}, p{{40.0, 1.3}};
  const problem dynamic{stiff_pair{}, y0, 0.0, 1.5, p};
  check_laws(rosenbrock23{}, dynamic);
  check_laws(rodas3p{}, dynamic);
  check_laws(rodas4p2{}, dynamic);
}

}  // namespace
}  // namespace revode
