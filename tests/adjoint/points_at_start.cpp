// SPDX-License-Identifier: Apache-2.0
// Save points listed at t0 where an event happens at t0, too: they see the state before it, and where t0 or they
// move they do so along the solution from y0.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/interpolating.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/adams.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

/// y' = −p y² + sin(t) y, and y becomes p y² + 1 at t0.
struct falling {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = -p[0] * y[0] * y[0] + sin(t) * y[0];
  }
};
struct squared {
  std::vector<double> times{0.0};
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[0] = p[0] * y[0] * y[0] + 1.0;
  }
};

using inputs = tangents<vec<double, 1>, vec<double, 1>>;
const problem q{falling{}, vec{1.5}, 0.0, 1.0, vec{0.5}};
const options o{.rtol = 1e-10, .atol = 1e-10, .save = {.t0 = true, .ts = {0.0, 0.6}}};
const inputs u{.y0 = {0.4}, .p = {-0.6}, .t0 = 0.7, .ts = {0.2, 0.5}};
const inputs v{.y0 = {-0.3}, .p = {0.5}, .t0 = 0.2, .ts = {0.6, -0.5}};

template <class Gradient>
double along(const Gradient& g, const inputs& by) {
  return g.y0[0] * by.y0[0] + g.p[0] * by.p[0] + g.t0 * by.t0 + g.ts[0] * by.ts[0] +
         g.ts[1] * by.ts[1];
}

template <class M, class Adjoint>
void check(const M& m, const Adjoint& adjoint, double bound) {
  CAPTURE(std::string(M::name));
  auto s = solve(q, m, o, events(squared{}), adjoint);
  REQUIRE(s.ys.size() == 3);
  CHECK(s.ys[0][0] == 1.5);
  CHECK(s.ys[1][0] == 1.5);
  cotangents<vec<double, 1>> w;
  w.y = vec{1.0};
  w.ys = {vec{0.3}, vec{0.9}, vec{-0.4}};
  const auto g = s.pullback(w);
  CHECK(g.ts[0] == doctest::Approx(0.9 * (-0.5 * 1.5 * 1.5)).epsilon(1e-14));
  const auto pushed = solve(q, m, o, events(squared{}), u);
  double forwards = pushed.y_dot[0];
  for (std::size_t k = 0; k < 3; ++k) forwards += w.ys[k][0] * pushed.ys_dot[k][0];
  CHECK(forwards == doctest::Approx(along(g, u)).epsilon(bound));
}

TEST_CASE("save points at t0 before an event there: forwards, backwards and continuously") {
  check(tsit5{}, recursive_checkpoint{.slots = 2}, 1e-12);
  check(adams12{}, recursive_checkpoint{.slots = 2}, 1e-12);
  check(rodas5p{}, recursive_checkpoint{.slots = 2}, 1e-12);
  check(tsit5{}, backsolve{}, 1e-7);
  check(tsit5{}, interpolating{}, 1e-7);
}

TEST_CASE("save points at t0 before an event there: second derivatives") {
  const auto loss = [](const auto& y, const auto& ys) {
    return y[0] * ys[1][0] * ys[1][0] + ys[0][0] * ys[2][0] * ys[1][0];
  };
  const auto of_u = hessian_vector_product(q, tsit5{}, o, events(squared{}), loss, u);
  const auto of_v = hessian_vector_product(q, tsit5{}, o, events(squared{}), loss, v);
  CHECK(along(*of_u.product, v) == doctest::Approx(along(*of_v.product, u)).epsilon(1e-12));

  const auto at_start = [](const auto&, const auto& ys) { return ys[1][0] * ys[1][0]; };
  const auto h = hessian_vector_product(q, tsit5{}, o, events(squared{}), at_start, u);
  // of the point: y + f (ts − t0) + f' (ts − t0)²/2, f' = y + 2 p² y³ along the solution
  const double y = 1.5, f = -0.5 * y * y, left = u.ts[0] - u.t0;
  const double moved = u.y0[0] + f * left;
  const double f_dot = -2 * 0.5 * y * u.y0[0] - y * y * u.p[0] + (-2 * 0.5 * y) * f * left;
  CHECK(h.product->y0[0] ==
        doctest::Approx(2 * moved + 2 * y * (-2 * 0.5 * y) * left).epsilon(1e-12));
  CHECK(h.product->p[0] == doctest::Approx(2 * y * (-y * y) * left).epsilon(1e-12));
  CHECK(h.product->ts[0] ==
        doctest::Approx(2 * moved * f + 2 * y * (f_dot + y * u.ts[0])).epsilon(1e-12));
}

}  // namespace
}  // namespace revode
