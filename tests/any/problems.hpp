// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <revode/any.hpp>

namespace revode {

/// Lotka and Volterra's equations by callbacks, and generic, in the same order of operations.
struct predators {
  void operator()(const auto&, const auto& y, const auto& p, auto& dy) const {
    dy[0] = p[0] * y[0] - p[1] * y[0] * y[1];
    dy[1] = p[3] * y[0] * y[1] - p[2] * y[1];
  }
};
inline any_callbacks predators_alone() {
  return {.f = [](double t, auto y, auto p, auto dy) { predators{}(t, y, p, dy); }};
}
inline any_callbacks predators_with_vjp() {
  any_callbacks c = predators_alone();
  c.vjp = [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
    gy[0] += w[0] * (p[0] - p[1] * y[1]) + w[1] * p[3] * y[1];
    gy[1] += w[1] * (p[3] * y[0] - p[2]) - w[0] * p[1] * y[0];
    gp[0] += w[0] * y[0];
    gp[1] -= w[0] * y[0] * y[1];
    gp[2] -= w[1] * y[1];
    gp[3] += w[1] * y[0] * y[1];
  };
  return c;
}
inline any_callbacks predators_with_jvp() {
  any_callbacks c = predators_alone();
  c.jvp = [](double, auto y, auto p, double, auto v, auto u, auto out) {
    out[0] = (p[0] - p[1] * y[1]) * v[0] - p[1] * y[0] * v[1] + y[0] * u[0] - y[0] * y[1] * u[1];
    out[1] = p[3] * y[1] * v[0] + (p[3] * y[0] - p[2]) * v[1] - y[1] * u[2] + y[0] * y[1] * u[3];
  };
  return c;
}
inline any_callbacks predators_with_jacobian() {
  any_callbacks c = predators_alone();
  c.jacobian = [](double, auto y, auto p, auto jac) {
    jac[0] = p[0] - p[1] * y[1];
    jac[1] = -p[1] * y[0];
    jac[2] = p[3] * y[1];
    jac[3] = p[3] * y[0] - p[2];
  };
  return c;
}
inline any_callbacks predators_by_differences() {
  any_callbacks c = predators_alone();
  c.by_finite_differences = true;
  return c;
}
/// Is it one of the symplectic methods? They take fields whose halves depend on each other alone.
inline bool takes_halves(std::string_view method) {
  return method == "stormer_verlet" || method.starts_with("mclachlan_atela") ||
         method.starts_with("kahan_li");
}
/// … one of those of both parts, which callbacks do not have?
inline bool takes_parts(std::string_view method) { return method.ends_with("_imex"); }
inline any_problem of(any_callbacks c) {
  return {.f = std::move(c), .y0 = {1.0, 1.5}, .t1 = 3, .p = {1.5, 1.0, 3.0, 1.0}};
}

}  // namespace revode
