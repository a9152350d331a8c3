// SPDX-License-Identifier: Apache-2.0
#include "odeint_laws.hpp"

namespace revode {
namespace {

TEST_CASE("odeint: the laws hold for controlled steppers, which keep odeint's norm and step rule") {
  using library::controlled_runge_kutta;
  check_laws(odeint::method<controlled_runge_kutta<library::runge_kutta_dopri5<state>>>{},
             adaptive);
  check_laws(odeint::method<controlled_runge_kutta<library::runge_kutta_cash_karp54<state>>>{},
             adaptive);
  check_laws(odeint::method<controlled_runge_kutta<library::runge_kutta_fehlberg78<state>>>{},
             adaptive);
}

}  // namespace
}  // namespace revode
