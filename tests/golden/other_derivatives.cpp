// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/gradients.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/solvers/tsit5.hpp>

#include "hashes.hpp"

namespace revode::golden {
namespace {

const auto loss = [](const auto& y, const auto& ys) {
  auto sum = y[0] * y[1] + y[2];
  for (const auto& at : ys) sum += at[3] * at[0];
  return sum;
};
template <class R>
void print_product(const char* what, const R& r) {
  hash of_gradient, of_product;
  put(of_gradient, *r.gradient);
  put(of_product, *r.product);
  print(what, of_gradient, of_product);
}

}  // namespace

void print_other_derivatives() {
  const auto q = oscillation();
  const options o{.rtol = 1e-5, .atol = 1e-7, .save = {.ts = {0.4, 1.9}}};
  const tangents<state, parameters> along{.y0 = {1, 0.5, -1, 2}, .p = {0.3, -0.2}, .t1 = 0.5};
  tangents<state, parameters> still = along;
  still.t1 = 0;

  const auto pushed = solve(q, tsit5{}, o, events(turn{}), along);
  hash of_solution, of_tangent;
  put(of_solution, pushed);
  of_tangent(pushed.y_dot)(pushed.ys_dot)(pushed.events_dot);
  print("tsit5, forward mode", of_solution, of_tangent);

  print_product("tsit5, Hessian and gradient",
                hessian_vector_product(q, tsit5{}, o, loss, still, 4));
  print_product("tsit5, Hessian through an event",
                hessian_vector_product(q, tsit5{}, o, events(turn{}), loss, along, 4));

  const std::vector<cotangents<state>> weights{
      {.y = state{1, 1, 1, 1}, .ys = {{0, 0, 0, 0}, {1, 2, 3, 4}}}, {.y = state{0, 1, 0, 2}}};
  const auto both = gradients(q, tsit5{}, o, weights, {.slots = 4});
  hash of_first, of_second;
  put(of_first, both[0]);
  put(of_second, both[1]);
  print("tsit5, two gradients at once", of_first, of_second);
  print_pulled("tsit5, backsolve", solve(q, tsit5{}, o, events(turn{}), backsolve{}));
}

}  // namespace revode::golden
