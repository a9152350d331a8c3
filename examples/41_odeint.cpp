// SPDX-License-Identifier: Apache-2.0
// prints: odeint +[0-9]+ steps
// prints: revode +[0-9]+ steps, the same end
// prints: dx/drho = .* the same bits with 8 states
// prints: tsit5 +[0-9]+ steps
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

#include <revode/interop/odeint.hpp>
#include <revode/revode.hpp>

using namespace revode;
using state = std::vector<double>;

// An odeint program as many are: the system with its parameters inside, a stepper, integrate_adaptive.
// What is new in it is the scalar S in place of double.
template <class S>
struct lorenz_system {
  S sigma, rho, beta;

  template <class State, class T>
  void operator()(const State& x, State& dxdt, const T&) const {
    dxdt[0] = sigma * (x[1] - x[0]);
    dxdt[1] = x[0] * (rho - x[2]) - x[1];
    dxdt[2] = x[0] * x[1] - beta * x[2];
  }
};
template <class S>
lorenz_system(S, S, S) -> lorenz_system<S>;

using fehlberg = boost::numeric::odeint::controlled_runge_kutta<
    boost::numeric::odeint::runge_kutta_fehlberg78<state>>;

int main() {
  using boost::numeric::odeint::integrate_adaptive;
  const lorenz_system<double> system{10.0, 28.0, 8.0 / 3};
  state x{1.0, 1.0, 1.0};
  const auto steps = integrate_adaptive(fehlberg(fehlberg::error_checker_type(1e-10, 1e-10)),
                                        system, x, 0.0, 5.0, 0.01);
  std::printf("odeint  %3zu steps to x = (%.9f, %.9f, %.9f)\n", steps, x[0], x[1], x[2]);

  // The same stepper as a method of revode takes the same steps, in odeint's own rule, …
  const problem q{odeint::from_parameters([](const auto& p) {
                    return lorenz_system{p[0], p[1], p[2]};
                  }),
                  state{1.0, 1.0, 1.0}, 0.0, 5.0, vec{10.0, 28.0, 8.0 / 3}};
  const options o{.rtol = 1e-10, .atol = 1e-10, .first_step = 0.01};
  const odeint::method<fehlberg> method;
  auto s = solve(q, method, o, recursive_checkpoint{});
  assert(s.stats.accepted == static_cast<long>(steps));
  for (std::size_t i = 0; i < 3; ++i) assert(std::abs(s.y[i] - x[i]) < 1e-9 * std::abs(x[i]));
  std::printf("revode  %3ld steps, the same end\n", static_cast<long>(s.stats.accepted));

  // … and can be pulled back through, in as little memory as there is.
  const state of_x{1.0, 0.0, 0.0};
  const auto g = s.pullback(of_x);
  const auto in_8 = solve(q, method, o, recursive_checkpoint{.slots = 8}).pullback(of_x);
  assert(in_8.p == g.p && in_8.y0 == g.y0);
  auto moved = q;
  const double by = 1e-6;
  moved.p[1] += by;
  const double slope = (solve(moved, method, o).y[0] - x[0]) / by;
  assert(std::abs(g.p[1] - slope) < 1e-3 * std::abs(slope));
  std::printf("        dx/drho = %.9f, the same bits with 8 states\n", g.p[1]);

  // The other way: odeint's loop with a method of revode.
  state z{1.0, 1.0, 1.0};
  const auto with_tsit5 = integrate_adaptive(
      odeint::as_controlled_stepper<tsit5, state>({.rtol = 1e-10, .atol = 1e-10}), system, z, 0.0,
      5.0, 0.01);
  for (std::size_t i = 0; i < 3; ++i) assert(std::abs(z[i] - x[i]) < 1e-5);
  std::printf("tsit5   %3zu steps in odeint's loop\n", with_tsit5);
}
