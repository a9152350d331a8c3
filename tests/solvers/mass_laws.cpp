// SPDX-License-Identifier: Apache-2.0
// Laws with a mass matrix: one of rank 2 of 3 without a zero and with an inconsistent start, and a regular one.
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas3.hpp>
#include <revode/solvers/rodas5p.hpp>

#include "mass_laws.hpp"

namespace revode {
namespace {

TEST_CASE("laws of derivatives and replays hold with a mass matrix: Rosenbrock") {
  check_mass_laws(rodas5p{}, blended{});
  check_mass_laws(rodas3{}, elements{});
}

TEST_CASE("laws of derivatives and replays hold with a mass matrix: Radau") {
  check_mass_laws(radau_iia5{}, blended{});
}

TEST_CASE("laws of derivatives and replays hold with a mass matrix: BDF") {
  check_mass_laws(bdf5{}, blended{});
}

}  // namespace
}  // namespace revode
