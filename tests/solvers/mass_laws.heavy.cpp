// SPDX-License-Identifier: Apache-2.0
// Every method that takes a mass matrix, on every problem of mass_problems.hpp.
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/ndf.hpp>
#include <revode/solvers/radau_iia13.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rodas3.hpp>
#include <revode/solvers/rodas3p.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/rodas4p.hpp>
#include <revode/solvers/rodas4p2.hpp>
#include <revode/solvers/rodas5.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/ros34pw2.hpp>
#include <revode/solvers/ros3p.hpp>
#include <revode/solvers/rosenbrock23.hpp>

#include "mass_laws.hpp"

namespace revode {
namespace {

static_assert(takes_mass_v<rodas3> && takes_mass_v<rodas3p> && takes_mass_v<rodas4> &&
              takes_mass_v<rodas4p> && takes_mass_v<rodas4p2> && takes_mass_v<rodas5> &&
              takes_mass_v<rodas5p>);
static_assert(!takes_mass_v<rosenbrock23> && !takes_mass_v<ros3p> && !takes_mass_v<ros34pw2>);

TEST_CASE_TEMPLATE("laws with a mass matrix, all methods", M, rodas3p, rodas4, rodas4p, rodas4p2,
                   rodas5, refined<rodas5p>, radau_iia9, radau_iia13, bdf<1>, bdf<2>) {
  check_mass_laws(M{}, blended{});
}

TEST_CASE_TEMPLATE("laws with a mass matrix, all problems", M, rodas5p, radau_iia5, bdf5, ndf5) {
  check_mass_laws(M{}, semi_explicit{});
  check_mass_laws(M{}, elements{});
}

TEST_CASE("second derivatives go through the consistent start, eight stages") {
  check_mass_hessian(rodas5p{});
}

}  // namespace
}  // namespace revode
