// SPDX-License-Identifier: Apache-2.0
#include "odeint_laws.hpp"

namespace revode {
namespace {

TEST_CASE("odeint: the laws hold for every error stepper, adaptive and fixed") {
  for (const options& o : {fixed, adaptive}) {
    check_laws(odeint::method<library::runge_kutta_cash_karp54<state>>{}, o);
    check_laws(odeint::method<library::runge_kutta_dopri5<state>>{}, o);
    check_laws(odeint::method<library::runge_kutta_fehlberg78<state>>{}, o);
    check_laws(odeint::method<library::extrapolation_stepper<6, state>>{}, o);
  }
}

}  // namespace
}  // namespace revode
