// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/value_and_gradient.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

template <class T>
struct rates {
  T prandtl, rayleigh, shape;
  T* data() { return &prandtl; }
  const T* data() const { return &prandtl; }
  static constexpr int size() { return 3; }
};
struct by_name {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p.prandtl * (y[1] - y[0]);
    dy[1] = y[0] * (p.rayleigh - y[2]) - y[1];
    dy[2] = y[0] * y[1] - p.shape * y[2];
  }
};
struct by_number {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (y[1] - y[0]);
    dy[1] = y[0] * (p[1] - y[2]) - y[1];
    dy[2] = y[0] * y[1] - p[2] * y[2];
  }
};
const auto loss = [](const auto& y) { return y[0] * y[1] + y[2]; };
const problem named{by_name{}, vec{1.0, 0.0, 0.0}, 0.0, 2.0, rates<double>{10, 28, 8.0 / 3}};
const problem numbered{by_number{}, vec{1.0, 0.0, 0.0}, 0.0, 2.0, vec{10.0, 28.0, 8.0 / 3}};

template <class M>
void the_same_bits(const M& m) {
  const auto a = value_and_gradient(named, m, {}, loss, {.slots = 5});
  const auto b = value_and_gradient(numbered, m, {}, loss, {.slots = 5});
  CHECK(a.value == b.value);
  CHECK(a.gradient->y0 == b.gradient->y0);
  CHECK(a.gradient->p.prandtl == b.gradient->p[0]);
  CHECK(a.gradient->p.rayleigh == b.gradient->p[1]);
  CHECK(a.gradient->p.shape == b.gradient->p[2]);
}

}  // namespace

TEST_CASE("parameters with names have the bits of an array of them") {
  static_assert(static_size_v<rates<double>> == 3);
  the_same_bits(tsit5{});
  the_same_bits(rodas5p{});
  const vec<double, 3> still{0, 0, 0};
  const auto u = hessian_vector_product(named, tsit5{}, {}, loss, {.y0 = still, .p = {0, 1, 0}});
  const auto v = hessian_vector_product(numbered, tsit5{}, {}, loss, {.y0 = still, .p = {0, 1, 0}});
  CHECK(u.product->p.shape == v.product->p[2]);
}

TEST_CASE("a field without parameters may leave them out, named or not") {
  const auto with = [](auto t, const auto& y, const auto&, auto& dy) { dy[0] = -t * y[0]; };
  const auto without = [](auto t, const auto& y, auto& dy) { dy[0] = -t * y[0]; };
  const problem a{with, vec{1.0}, 0.0, 2.0};
  const problem b{without, vec{1.0}, 0.0, 2.0};
  const auto g = value_and_gradient(a, rodas5p{}, {}, [](const auto& y) { return y[0]; });
  const auto h = value_and_gradient(b, rodas5p{}, {}, [](const auto& y) { return y[0]; });
  CHECK(g.value == h.value);
  CHECK(g.gradient->y0 == h.gradient->y0);
  CHECK(h.gradient->p.size() == 0);
  auto s =
      solve(problem{[](auto t, const auto& y, auto& dy) { dy[0] = -t * y[0]; }, vec{1.0}, 0.0, 2.0},
            tsit5{}, {}, recursive_checkpoint{});
  CHECK(s.pullback({1.0}).y0[0] == doctest::Approx(s.y[0]).epsilon(1e-14));
}

}  // namespace revode
