// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/interop/odeint.hpp>
#include <revode/testing/order.hpp>

namespace revode {
namespace {

namespace library = boost::numeric::odeint;

TEST_CASE("odeint: every stepper shows its order") {
  using pair = vec<double, 2>;
  CHECK(order_law(odeint::method<library::euler<pair>>{}, pendulum).holds);
  CHECK(order_law(odeint::method<library::modified_midpoint<pair>>{}, pendulum).holds);
  CHECK(order_law(odeint::method<library::runge_kutta4<pair>>{}, pendulum).holds);
  CHECK(order_law(odeint::method<library::runge_kutta_cash_karp54<pair>>{}, pendulum).holds);
  CHECK(order_law(odeint::method<library::runge_kutta_dopri5<pair>>{}, pendulum).holds);
  CHECK(order_law(odeint::method<library::runge_kutta_fehlberg78<pair>>{}, pendulum).holds);
}

}  // namespace
}  // namespace revode
