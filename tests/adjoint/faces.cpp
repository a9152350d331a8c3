// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <complex>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/solve/adapters.hpp>
#include <revode/solve/complex_field.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp4.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/testing/laws.hpp>
#include <revode/testing/order.hpp>

#include "parted_fields.hpp"

// What is made of a field has its faces: parts, and the derivatives that it brings.
namespace revode {
namespace {

using namespace parted_fields;

struct returning {
  template <class T, class Y>
  Y operator()(const T& t, const Y& y) const {
    return implicit_part(t, y) + explicit_part(t, y);
  }
  template <class T, class Y>
  Y implicit_part(const T&, const Y& y) const {
    return -50.0 * y;
  }
  template <class T, class Y>
  Y explicit_part(const T& t, const Y& y) const {
    return Y(0.5 * y + Y::Constant(y.size(), t));
  }
};
struct rotating {
  template <class T, class Z, class P, class D>
  void operator()(const T&, const Z& z, const P& p, D& dz) const {
    using C = std::remove_cvref_t<decltype(dz[0])>;
    dz[0] = C(-p[1], p[0]) * z[0];
  }
  template <class T, class Z, class P, class D>
  void implicit_part(const T&, const Z& z, const P& p, D& dz) const {
    dz[0] = -(p[1] * z[0]);
  }
  template <class T, class Z, class P, class D>
  void explicit_part(const T&, const Z& z, const P& p, D& dz) const {
    using C = std::remove_cvref_t<decltype(dz[0])>;
    using S = decltype(dz[0].re);
    dz[0] = C(S(0), p[0]) * z[0];
  }
};
}  // namespace

TEST_CASE("parts reach a running cost and a quadrature, whose gradients obey the laws") {
  const auto q = problem_of(parted{});
  const imex<kencarp4> m{};
  const loss_with_running_cost loss{terminal, cost};
  check_near(*value_and_gradient(q, m, tight, loss).gradient,
             *value_and_gradient(q, tsit5{}, tight, loss).gradient, 1e-8);
  const auto z = with_quadrature(
      q, [](auto t, const auto& y, const auto& p, auto& dq) { dq[0] = cost(t, y, p); }, vec{0.});
  const recursive_checkpoint adjoint{.slots = 3};
  CHECK(replay_law(z, m, {.rtol = 1e-4}).what == "");
  CHECK(dot_product_law(z, m, {.rtol = 1e-4}, adjoint, 1).worst < 1e-12);
  CHECK(equal_gradients_law(z, m, {.rtol = 1e-4}, adjoint, {.slots = 1}).what == "");
}

TEST_CASE("a running cost takes the vjp of the field, of the cost, and of both") {
  const auto generic = problem_of(parted{});
  const auto own = problem_of(closed_with_vjp{});
  const auto expected =
      *value_and_gradient(generic, tsit5{}, tight, loss_with_running_cost{terminal, cost}).gradient;
  const auto check = [&](const auto& q, const auto& m, const auto& running) {
    const loss_with_running_cost loss{terminal, running};
    check_near(*value_and_gradient(q, m, tight, loss).gradient, expected, 1e-8);
  };
  check(own, tsit5{}, cost);
  check(generic, tsit5{}, closed_cost{});
  check(own, tsit5{}, closed_cost{});
  check(generic, imex<kencarp4>{}, closed_cost{});
}

TEST_CASE("parts reach the field in other variables: a step is the transformed step") {
  const auto q = problem_of(parted{});
  const options o{.fixed_step = 0.05};
  CHECK(equivariance_law(q, imex<kencarp4>{}, o, change_of_variables::shear, 1e-12).holds);
}

TEST_CASE(
    "parts reach fields that return, and complex ones, which a cost leaves measured by moduli") {
  const problem r{from_returning(returning{}), Eigen::VectorXd{{1., 2.}}, 0.0, 1.0};
  CHECK(solve(r, imex<kencarp4>{}, tight).y[1] ==
        doctest::Approx(solve(r, tsit5{}, tight).y[1]).epsilon(1e-7));

  const vec<std::complex<double>, 1> z0{1.0};
  const auto q = complex_problem(rotating{}, z0, 0.0, 2.0, vec{2.0, 0.5});
  const auto exact = std::exp(std::complex<double>(-1, 4));
  const auto by_parts = as_complex(solve(q, imex<kencarp4>{}, tight).y, z0)[0];
  CHECK(std::abs(by_parts - exact) < 1e-7);
  const auto none = [](const auto& y) { return 0 * y[0]; };
  const auto re = [](const auto&, const auto& y, const auto&) { return y[0]; };
  const auto alone = solve(q, tsit5{}, tight);
  const auto beside = value_and_gradient(q, tsit5{}, tight, loss_with_running_cost{none, re, true});
  CHECK(beside.solution.stats.accepted == alone.stats.accepted);
  // Re ∫₀² e^{(2i − ½)t} dt
  const std::complex<double> rate(-0.5, 2);
  CHECK(*beside.value == doctest::Approx(((exact - 1.0) / rate).real()).epsilon(1e-8));
}

}  // namespace revode
