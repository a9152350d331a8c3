// SPDX-License-Identifier: Apache-2.0
// F(t, y, y', p) = 0 as an equation with a mass matrix, held beside y' = f.
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solve/mass/implicit_problem.hpp>
#include <revode/solvers/rodas5p.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

/// (1 + y₀²) y₀' + y₁ y₁' = −p₀ y₀, 2 y₁' − y₁ y₀' = p₁ sin t
const auto implicitly = [](const auto& t, auto y, auto slope, const auto& p, auto& left) {
  using std::sin;
  left[0] = (1.0 + y[0] * y[0]) * slope[0] + slope[1] * y[1] + p[0] * y[0];
  left[1] = 2.0 * slope[1] - y[1] * slope[0] - p[1] * sin(t);
};
const auto explicitly = [](const auto& t, const auto& y, const auto& p, auto& dy) {
  using std::sin;
  const auto a = 1.0 + y[0] * y[0], b = -p[0] * y[0], c = p[1] * sin(t);
  const auto determinant = 2.0 * a + y[1] * y[1];
  dy[0] = (2.0 * b - y[1] * c) / determinant;
  dy[1] = (a * c + y[1] * b) / determinant;
};

TEST_CASE("equations that are implicit in y' are those solved for it") {
  const vec p{0.5, 1.5};
  const auto q = implicit_problem(implicitly, vec{1.0, 0.5}, vec{0.0, 0.0}, 0.0, 2.0, p);
  const problem solved{explicitly, vec{1.0, 0.5}, 0.0, 2.0, p};
  const options o{.rtol = 1e-9, .atol = 1e-9};
  const law_result product = dot_product_law(q, rodas5p{}, o, recursive_checkpoint{.slots = 3}, 1);
  CHECK_MESSAGE(product.holds, product.worst);
  auto s = solve(q, rodas5p{}, o, recursive_checkpoint{});
  auto z = solve(solved, rodas5p{}, o, recursive_checkpoint{});
  const auto g = s.pullback(vec{1.0, -2.0, 0.0, 0.0});
  const auto h = z.pullback(vec{1.0, -2.0});
  vec<double, 2> slope{};
  explicitly(2.0, z.y, p, slope);
  for (int i = 0; i < 2; ++i) {
    CHECK(s.y[i] == doctest::Approx(z.y[i]).epsilon(1e-8));
    CHECK(s.y[2 + i] == doctest::Approx(slope[i]).epsilon(1e-7));
    CHECK(g.p[i] == doctest::Approx(h.p[i]).epsilon(1e-7));
    CHECK(g.y0[i] == doctest::Approx(h.y0[i]).epsilon(1e-7));
    CHECK(g.y0[2 + i] == 0);
  }
}

}  // namespace
}  // namespace revode
