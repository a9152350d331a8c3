// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/solvers/all.hpp>
#include <revode/testing/references.hpp>

namespace revode {

/// A named problem over a short span, which every method can take in some forty steps.
struct short_problem {
  const char* name;
  double span;
};

inline constexpr short_problem short_problems[] = {
    {"decay", 2},        {"harmonic", 2},        {"rotation", 2},      {"lotka_volterra", 2},
    {"lorenz", 0.4},     {"vdpol", 2},           {"brusselator", 2},   {"brusselator_1d:6", 0.1},
    {"arenstorf", 0.2},  {"pleiades", 0.2},      {"lorenz96:6", 0.4},  {"kepler:0.5", 1},
    {"heat_1d:6", 0.02}, {"burgers_1d:6", 0.02}, {"neural_spiral", 1}, {"detest:A3", 2}};

/// The named problems do not know the time; this one does.
struct driven_pendulum {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::sin;
    dy[0] = y[1] + p[2] * t;
    dy[1] = -(p[0] * sin(y[0])) - p[1] * y[1] * cos(p[2] * t);
  }
};

inline std::vector<erased_problem> problems_of_the_laws() {
  std::vector<erased_problem> all;
  for (const short_problem& s : short_problems) {
    all.push_back(make_problem(s.name));
    all.back().t1 = all.back().t0 + s.span;
  }
  Eigen::VectorXd y0(2), p(3);
  y0 << 0.4, 1.0;
  p << 1.5, 0.2, 0.7;
  all.push_back({.name = "driven_pendulum",
                 .source = "",
                 .t0 = 0.3,
                 .t1 = 2.3,
                 .y0 = y0,
                 .p = p,
                 .f = erased_field(driven_pendulum{}),
                 .labels = {},
                 .reference_components = {},
                 .reference = {},
                 .digits = 0});
  return all;
}

/// What rounding leaves in the derivatives of so many steps, relative to them. In a step with h L = z an
/// error of ε in every product of a sum becomes
///   ε (1 + z Σ|bᵢ| + z² Σ|bᵢ| Σ|aᵢⱼ|),
/// those of the sum over stages and those of the stages, which a slope each brings into that sum. Where
/// coefficients cancel (vern6: Σ|bᵢ| = 354, the double sum 151,000) no order of the sums saves digits. Of
/// the weights Σⱼ wᵢⱼ θʲ of dense output, z Σ|wᵢⱼ| θʲ come in once, not at every step. z = 0.4 is
/// Kepler's problem at the pericentre with h = 1/40: the gradient of its force is 2/r³ = 16.
template <class M>
double rounding_of(int steps) {
  constexpr double z = 0.4, theta = 0.5, epsilon = std::numeric_limits<double>::epsilon();
  double step = 1, dense = 0;
  for (std::size_t i = 0; i < std::size(M::tableau.b); ++i) {
    double row = 0;
    for (const double x : M::tableau.a[i]) row += std::abs(x);
    step += z * std::abs(M::tableau.b[i]) * (1 + z * row);
  }
  for (const auto& weights : M::dense.weights) {
    double power = theta;
    for (const double x : weights) dense += z * std::abs(x) * std::exchange(power, power * theta);
  }
  return epsilon * (steps * step + dense);
}

/// Adaptive and fixed steps; save points at both ends and, two in one step, inside.
template <class M>
void check_laws(const M& m, const erased_problem& e) {
  const problem q{e.f, e.y0, e.t0, e.t1, e.p};
  const double span = e.t1 - e.t0;
  options o{.rtol = 1e-5, .atol = 1e-7, .fixed_step = span / 40};
  o.save.ts = {e.t0, e.t0 + 0.311 * span, e.t0 + 0.317 * span, e.t0 + 0.93 * span, e.t1};
  const recursive_checkpoint adjoint{.slots = 3};
  const std::string what = std::string(M::name) + " on " + e.name;
  CAPTURE(what);

  for (const bool adaptive : {false, true}) {
    if (adaptive && !has_estimate_v<M>) break;
    if (adaptive) o.fixed_step = 0;
    CAPTURE(adaptive);
    const law_result replayed = replay_law(q, m, o);
    CHECK_MESSAGE(replayed.holds, replayed.what);
    const law_result product = dot_product_law(q, m, o, adjoint, 7, 2e-13 + rounding_of<M>(1));
    CHECK_MESSAGE(product.holds, product.worst);
    const law_result frozen = frozen_grid_law(q, m, o, adjoint, 1e-12 + rounding_of<M>(40));
    CHECK_MESSAGE(frozen.holds, frozen.what, ": ", frozen.worst);
    const law_result same =
        equal_gradients_law(q, m, o, adjoint, {.schedule = schedule_kind::store_all});
    CHECK_MESSAGE(same.holds, same.what);
  }
  if (e.name != "driven_pendulum") return;
  o.fixed_step = span / 40;
  o.save.ts = {e.t0 + 0.311 * span, e.t0 + 0.317 * span};
  const law_result differences = finite_difference_check(q, m, o, adjoint, 1e-7);
  CHECK_MESSAGE(differences.holds, differences.worst);
}

/// The methods of one source file out of several, so that none takes long to compile.
template <int Part, class... Methods>
void check_laws_of_part(method_list<Methods...>) {
  constexpr int parts = 3;
  const auto problems = problems_of_the_laws();
  const auto check = [&]<int I, class M>(std::integral_constant<int, I>, const M& m) {
    if constexpr (I % parts == Part)
      for (const erased_problem& e : problems) check_laws(m, e);
  };
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (check(std::integral_constant<int, I>{}, Methods{}), ...);
  }
  (std::make_integer_sequence<int, sizeof...(Methods)>{});
}

}  // namespace revode
