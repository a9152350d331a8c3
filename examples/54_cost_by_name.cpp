// SPDX-License-Identifier: Apache-2.0
// A running cost by the compiled interface: a tank is filled through a valve and leaks, and what counts is how full it is
// at the end and what the pump has used on the way. How do both depend on how far the valve is opened, and on the leak?
//
// prints: value 0\.6411, of the valve 3\.4002 and of the leak -0\.1812
// prints: at half time 0\.3200
#include <cmath>
#include <cstdio>

#include <revode/any.hpp>

int main() {
  using namespace revode;
  // y' = u - k √y with p = (u, k); the pump uses u² a time.
  any_problem tank;
  tank.f = any_callbacks{
      .f = [](double, auto y, auto p, auto dy) { dy[0] = p[0] - p[1] * std::sqrt(y[0]); },
      .vjp =
          [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
            gy[0] -= w[0] * p[1] / (2 * std::sqrt(y[0]));
            gp[0] += w[0];
            gp[1] -= w[0] * std::sqrt(y[0]);
          }};
  tank.y0 = {0.5};
  tank.t1 = 4;
  tank.p = {0.4, 0.3};

  const any_loss_with_running_cost loss{
      .terminal =
          [](const any_solution& s, any_cotangents& bar) {
            bar.y = any_state{2 * (s.y[0] - 1)};
            return (s.y[0] - 1) * (s.y[0] - 1);
          },
      .running = {.f = [](double, auto, auto p, auto dq) { dq[0] = p[0] * p[0]; },
                  .vjp = [](double, auto, auto p, auto w, double&, auto,
                            auto gp) { gp[0] += w[0] * 2 * p[0]; }}};
  const options accurate{.rtol = 1e-8, .atol = 1e-10};
  const auto r = value_and_gradient(tank, "tsit5", accurate, loss);
  std::printf("value %.4f, of the valve %.4f and of the leak %.4f\n", *r.value, r.gradient->p[0],
              r.gradient->p[1]);

  // The same integral as a state: what the pump has used is known at every time.
  const auto s = solve(with_quadrature(tank, loss.running), "tsit5", accurate, dense_output{});
  std::printf("at half time %.4f\n", s(2.0)[1]);
  return std::abs(s(2.0)[1] - 2 * 0.16) < 1e-12 ? 0 : 1;
}
