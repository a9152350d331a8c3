// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include <revode/adjoint/backsolve.hpp>
#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solve/quadrature.hpp>
#include <revode/solvers/rosenbrock23.hpp>
#include <revode/solvers/tr_bdf2.hpp>
#include <revode/solvers/tsit5.hpp>

// Arrays on the heap end where their elements do: an element too far, which a vec hides among its
// neighbours, the sanitizers see here. Without them: the numbers are those of a vec.

namespace revode {
namespace {

/// A nonlinear pair with three parameters.
struct pair_field {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (t - y[0]) + y[1] * y[1];
    dy[1] = p[1] * y[0] * y[1] - p[2] * y[1];
  }
};

struct on_heap {
  template <class... X>
  static std::vector<double> of(X... x) {
    return {x...};
  }
};
struct in_place {
  template <class... X>
  static vec<double, sizeof...(X)> of(X... x) {
    return {x...};
  }
};
template <class Where>
auto pair_problem() {
  return problem{pair_field{}, Where::of(0.5, 1.0), 0.0, 1.0, Where::of(2.0, 0.5, 1.5)};
}
const options moderate{.rtol = 1e-6, .atol = 1e-8};

void check_same(const auto& a, const auto& b) {
  REQUIRE(length(a) == length(b));
  for (int i = 0; i < length(a); ++i)
    CHECK(a.data()[i] == doctest::Approx(b.data()[i]).epsilon(1e-12));
}
void check_gradients(const auto& a, const auto& b) {
  check_same(a.y0, b.y0);
  check_same(a.p, b.p);
}

template <class Where>
auto pulled(const auto& m, const auto& adjoint) {
  return solve(pair_problem<Where>(), m, moderate, adjoint).pullback(Where::of(1.0, -2.0));
}

}  // namespace

TEST_CASE("heap arrays: gradients by ESDIRK methods and by integration backwards") {
  const recursive_checkpoint exact{.slots = 3};
  check_gradients(pulled<on_heap>(tr_bdf2{}, exact), pulled<in_place>(tr_bdf2{}, exact));
  const backsolve aside{.seminorm = true};
  check_gradients(pulled<on_heap>(tsit5{}, aside), pulled<in_place>(tsit5{}, aside));
}

TEST_CASE("heap arrays: tangents by Rosenbrock methods") {
  const auto pushed = [](auto where) {
    using W = decltype(where);
    const tangents<decltype(W::of(0., 0.)), decltype(W::of(0., 0., 0.))> along{
        .y0 = W::of(0.3, -1.0), .p = W::of(1.0, 0.5, -0.7), .t1 = 0.5};
    return solve(pair_problem<W>(), rosenbrock23{}, moderate, along).y_dot;
  };
  check_same(pushed(on_heap{}), pushed(in_place{}));
}

TEST_CASE("heap arrays: products with Hessians") {
  const auto product = [](auto where) {
    using W = decltype(where);
    const auto loss = [](const auto& y) { return y[0] * y[0] * y[1]; };
    return hessian_vector_product(pair_problem<W>(), tsit5{}, moderate, loss,
                                  {.y0 = W::of(1.0, 0.0), .p = W::of(0.0, 1.0, -1.0)});
  };
  const auto a = product(on_heap{});
  const auto b = product(in_place{});
  check_gradients(*a.gradient, *b.gradient);
  check_gradients(*a.product, *b.product);
}

TEST_CASE("heap arrays: the two parts of a solution with quadratures") {
  const auto squares = [](auto, const auto& y, const auto&, auto& dq) { dq[0] = y[0] * y[0]; };
  const auto parts = [&](auto where) {
    const auto z = with_quadrature(pair_problem<decltype(where)>(), squares, where.of(0.25));
    const auto s = solve(z, tsit5{}, moderate);
    return std::pair{z.f.state_of(s.y), z.f.integral_of(s.y)};
  };
  const auto a = parts(on_heap{});
  const auto b = parts(in_place{});
  check_same(a.first, b.first);
  check_same(a.second, b.second);
}

}  // namespace revode
