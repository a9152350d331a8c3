// SPDX-License-Identifier: Apache-2.0
// Where a loss is at its optimum its cotangents are 0 and move: what solves for them is judged by how they do.
#include <doctest/doctest.h>

#include <string>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/linalg/refinement.hpp>
#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/radau_iia9.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/state/vec.hpp>

namespace revode {
namespace {

struct oscillator {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1];
    dy[1] = p[0] * (1.0 - y[0] * y[0]) * y[1] - y[0];
  }
};

TEST_CASE_TEMPLATE("at the optimum of a fit second derivatives are those beside it", M, radau_iia5,
                   radau_iia9, esdirk547, rodas5p) {
  CAPTURE(std::string(M::name));
  const problem q{oscillator{}, vec{1.2, 0.3}, 0.0, 1.0, vec{5.0}};
  const options o{.fixed_step = 0.1};
  const auto end = solve(q, M{}, o).y;
  using inputs = tangents<vec<double, 2>, vec<double, 1>>;
  const auto product = [&](double off, const inputs& v) {
    const auto loss = [&](const auto& y) {
      const auto a = y[0] - (end[0] - off), b = y[1] - (end[1] + off);
      return 0.5 * (a * a + b * b);
    };
    return *hessian_vector_product(q, M{}, o, loss, v).product;
  };
  const inputs by_y0{.y0 = {1, 0}, .p = {0}}, by_p{.y0 = {0, 0}, .p = {1}};
  const auto row = product(0, by_y0), column = product(0, by_p);
  CHECK(row.p[0] == doctest::Approx(column.y0[0]).epsilon(1e-12));
  const auto before = product(-1e-3, by_y0), behind = product(1e-3, by_y0);  // linear in the offset
  CHECK(row.y0[0] == doctest::Approx((before.y0[0] + behind.y0[0]) / 2).epsilon(1e-12));
  CHECK(row.p[0] == doctest::Approx((before.p[0] + behind.p[0]) / 2).epsilon(1e-12));
}

TEST_CASE("refinement goes on until derivatives of every order are found") {
  using D = dual<dual<double, 1>, 1>;
  const auto moving = [](double value, double a, double b, double c) {
    D x(value);
    x.value.d[0] = a;
    x.d[0].value = b;
    x.d[0].d[0] = c;
    return x;
  };
  const D matrix = moving(2, 0.5, -0.3, 0.7);
  for (const D& right :
       {moving(0, 3, 0, 0), moving(0, 0, 2, 1), moving(0, 0, 0, 5), moving(1, 2, 3, 4)}) {
    vec<D, 1> x[1] = {{D(0.0)}}, rest[1];
    const auto residual = [&] { rest[0][0] = right - matrix * x[0][0]; };
    const auto correct = [&] { rest[0][0] = rest[0][0] * 0.45; };  // 1/2 is right
    REQUIRE(refine(x, rest, residual, correct, 30));
    const D exact = right / matrix;
    CHECK(x[0][0].value.value == doctest::Approx(exact.value.value).epsilon(1e-14));
    CHECK(x[0][0].value.d[0] == doctest::Approx(exact.value.d[0]).epsilon(1e-14));
    CHECK(x[0][0].d[0].value == doctest::Approx(exact.d[0].value).epsilon(1e-14));
    CHECK(x[0][0].d[0].d[0] == doctest::Approx(exact.d[0].d[0]).epsilon(1e-13));
  }
}

}  // namespace
}  // namespace revode
