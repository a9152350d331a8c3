// SPDX-License-Identifier: Apache-2.0
// What times do to consistent states that depend on them: terminal events, save points at t0 beside an event there.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/hessian_vector_product.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

/// x' = p₀ x, 0 = z − x² − p₁ t²
struct driven_by_time {
  template <class Matrix>
  void mass(Matrix& m) const {
    m(0, 0) = 1;
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * y[0];
    dy[1] = y[1] - y[0] * y[0] - p[1] * t * t;
  }
};
using two = vec<double, 2>;
const problem q{driven_by_time{}, two{0.8, 0.1}, 0.5, 1.5, two{0.7, 1.0}};
constexpr double x = 0.8, a = 0.7;

/// Ends the solve at z = 2.
struct at_two {
  static constexpr bool terminal = true;
  auto condition(const auto&, const auto& y, const auto&) const { return y[1] - 2.0; }
};
/// … at p₁.
struct at_p {
  static constexpr bool terminal = true;
  auto time(const auto& p) const { return p[1]; }
};
struct nothing_happens {
  std::vector<double> times{0.5};
  void jump(const auto&, const auto& y, const auto&, auto& y_new) const { y_new[0] = y[0]; }
};

template <class M, class Event>
gradient<two, two> check_end(const M& m, const Event& event) {
  CAPTURE(std::string(M::name));
  const options o{.rtol = 1e-9, .atol = 1e-9};
  auto s = solve(q, m, o, events(event), recursive_checkpoint{.slots = 2});
  REQUIRE(s.status == status::terminal_event);
  const auto of_x = s.pullback(two{1, 0}), of_z = s.pullback(two{0, 1});
  const tangents<two, two> v{.y0 = {0.3, 0.7}, .p = {-0.4, 0.6}, .t0 = 0.2};
  const auto pushed = solve(q, m, o, events(event), v);
  const auto along = [&](const auto& g) { return dot(g.y0, v.y0) + dot(g.p, v.p) + 0.2 * g.t0; };
  CHECK(along(of_x) == doctest::Approx(pushed.y_dot[0]).epsilon(1e-10));
  CHECK(std::abs(along(of_z) - pushed.y_dot[1]) <= 1e-10);
  return of_z;
}

TEST_CASE_TEMPLATE("a terminal event moves the consistent state that it ends at", M, rodas5p, bdf5,
                   radau_iia5) {
  const auto at_level = check_end(M{}, at_two{});  // z is 2 whatever moves
  CHECK(std::abs(at_level.y0[0]) + std::abs(at_level.p[0]) + std::abs(at_level.p[1]) <= 1e-4);
  const auto at_time = check_end(M{}, at_p{});  // z = x² + p₁³ at p₁ = 1
  const double end = x * std::exp(a * 0.5);
  CHECK(at_time.p[1] == doctest::Approx(2 * a * end * end + 3).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("second derivatives by times of a save point at t0, beside an event or not", M,
                   rodas5p, radau_iia5) {
  // z = x² exp(2 a (ts − t0)) + p₁ ts²: its rows of y0, p₀, t0, ts
  const double exact[4][4] = {{2, 0, -4 * a * x, 4 * a * x},
                              {0, 0, -2 * x * x, 2 * x * x},
                              {-4 * a * x, -2 * x * x, 4 * a * a * x * x, -4 * a * a * x * x},
                              {4 * a * x, 2 * x * x, -4 * a * a * x * x, 4 * a * a * x * x + 2}};
  const auto loss = [](const auto&, const auto& ys) { return ys[0][1]; };
  const auto check = [&](const options& o, const auto& happens, double bound) {
    for (int k = 0; k < 4; ++k) {
      tangents<two, two> v{.y0 = {k == 0 ? 1.0 : 0.0, 0}, .p = {k == 1 ? 1.0 : 0.0, 0}};
      v.t0 = k == 2 ? 1 : 0;
      v.ts = {k == 3 ? 1.0 : 0.0};
      const auto h = hessian_vector_product(q, M{}, o, happens, loss, v);
      const double row[] = {h.product->y0[0], h.product->p[0], h.product->t0, h.product->ts[0]};
      for (int j = 0; j < 4; ++j) CHECK(std::abs(row[j] - exact[k][j]) <= bound);
    }
  };
  const options o{.rtol = 1e-11, .atol = 1e-11, .save = {.ts = {0.5}}};
  check(o, events(nothing_happens{}), 1e-13);
  options jumps = o;
  jumps.discontinuities = {0.5};
  check(jumps, no_events{}, 1e-13);
  check(o, no_events{}, 1e-5);  // by dense output
}

}  // namespace
}  // namespace revode
