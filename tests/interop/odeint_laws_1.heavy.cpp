// SPDX-License-Identifier: Apache-2.0
#include "odeint_laws.hpp"

namespace revode {
namespace {

TEST_CASE("odeint: the laws hold for every stepper without an estimate") {
  check_laws(odeint::method<library::euler<state>>{}, fixed);
  check_laws(odeint::method{library::modified_midpoint<state>(3)}, fixed);
  check_laws(odeint::method<library::runge_kutta4<state>>{}, fixed);
  check_laws(odeint::method<library::runge_kutta4_classic<state>>{}, fixed);
}

}  // namespace
}  // namespace revode
