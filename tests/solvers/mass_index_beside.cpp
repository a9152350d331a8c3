// SPDX-License-Identifier: Apache-2.0
// M y' = f of index 3 with other norms, and in other coordinates.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/testing/laws.hpp>

namespace revode {
namespace {

const problem swing{pendulum_index3{}, pendulum_index3{}.y0(), 0.0, 2.0, vec{9.81, 1.0}};
const options tight{.rtol = 1e-9, .atol = 1e-9};

TEST_CASE("components may have tolerances of their own, or be outside the norm") {
  options o = tight;
  o.norm.rtol.assign(5, 1e-9);
  o.norm.atol.assign(5, 1e-9);
  CHECK(equal_bits(solve(swing, radau_iia5{}, o).y, solve(swing, radau_iia5{}, tight).y));
  o.norm.atol[4] = std::numeric_limits<double>::infinity();
  const auto s = solve(swing, radau_iia5{}, o);
  REQUIRE(s.status == status::success);
  for (int i = 0; i < 2; ++i) CHECK(std::abs(s.y[i] - pendulum_index3{}.reference()[i]) <= 1e-7);
  CHECK(equal_gradients_law(swing, radau_iia5{}, o, recursive_checkpoint{.slots = 2},
                            recursive_checkpoint{})
            .holds);
}

/// The pendulum by z = Q (x, y), Q (u, v), c λ, with rows of f mixed and lengths in other units.
struct turned_pendulum : pendulum_index3 {
  double angle = 0.7, length = 1, force = 1;

  template <class Y>
  Y turned(const Y& y, double by) const {
    const double c = std::cos(by), s = std::sin(by);
    return {c * y[0] - s * y[1], s * y[0] + c * y[1], c * y[2] - s * y[3], s * y[2] + c * y[3],
            y[4]};
  }
  template <class Y>
  Y from_plain(Y y) const {
    y = turned(y, angle);
    for (int i = 0; i < 4; ++i) y[i] = length * y[i];
    y[4] = force * y[4];
    return y;
  }
  template <class Matrix>
  void mass(Matrix& m) const {  // rows (1, 2) and (3, 4) mixed, the constraint in all of them
    for (int i = 0; i < 4; ++i) {
      m(i, i) = 1;
      m(4, i) = 0.5;
    }
    m(0, 1) = 0.3, m(2, 3) = -0.4;
  }
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& z, const P& p, Y& dz) const {
    Y y = z;
    for (int i = 0; i < 4; ++i) y[i] = z[i] / length;
    y[4] = z[4] / force;
    y = turned(y, -angle);
    Y f = y;
    pendulum_index3::operator()(t, y, p, f);
    const auto rest = f[4];
    f = turned(f, angle);
    for (int i = 0; i < 4; ++i) f[i] = length * f[i];
    dz[0] = f[0] + 0.3 * f[1];
    dz[1] = f[1];
    dz[2] = f[2] - 0.4 * f[3];
    dz[3] = f[3];
    dz[4] = 0.5 * (f[0] + f[1] + f[2] + f[3]) + length * rest;
  }
};

TEST_CASE("coordinates, units and rows may be others: the same steps and gradient") {
  const options o{.rtol = 1e-8, .atol = 0};
  const auto plain = [&] {
    auto q = swing;
    q.y0 = {0.8, -0.6, 0.3, 0.4, 0.25 + 9.81 * 0.6};
    return q;
  }();
  for (const double length : {1.0, 1e6, 1e-6}) {
    turned_pendulum f;
    f.length = length, f.force = 1 / length;
    const problem q{f, f.from_plain(plain.y0), 0.0, 1.5, plain.p};
    auto mixed = solve(q, radau_iia5{}, o, recursive_checkpoint{});
    auto other = plain;
    other.t1 = 1.5;
    auto straight = solve(other, radau_iia5{}, o, recursive_checkpoint{});
    REQUIRE(mixed.status == status::success);
    const auto end = f.from_plain(straight.y);
    for (int i = 0; i < 2; ++i) CHECK(std::abs(mixed.y[i] - end[i]) <= 1e-6 * length);
    vec<double, 5> w{1 / length, 0.5 / length, 0.2 / length, 0, 0};
    const auto g = mixed.pullback(w);
    const double c = std::cos(f.angle), s = std::sin(f.angle);
    const auto h = straight.pullback(vec{c + 0.5 * s, 0.5 * c - s, 0.2 * c, -0.2 * s, 0.0});
    for (int i = 0; i < 2; ++i) CHECK(g.p[i] == doctest::Approx(h.p[i]).epsilon(1e-5));
  }
}

}  // namespace
}  // namespace revode
