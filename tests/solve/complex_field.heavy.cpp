// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <vector>

#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/solve/complex_field.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

using complex = std::complex<double>;
using state = vec<complex, 2>;

/// z0' = (−p + 3i) z0, z1' = conj(z0) z1: not holomorphic.
constexpr auto coupled = [](auto, const auto& z, const auto& p, auto& dz) {
  dz[0] = -p[0] * z[0] + complex(0, 3) * z[0];
  dz[1] = conj(z[0]) * z[1];
};

/// The solution in closed form.
state exact(double t, const state& z0, double p) {
  const complex a(-p, 3), integral = std::conj(z0[0] * (std::exp(a * t) - 1.0) / a);
  return {z0[0] * std::exp(a * t), z0[1] * std::exp(integral)};
}

}  // namespace

TEST_CASE("complex numbers over scalars mix with real ones and with std::complex") {
  const complex_value<double> z(1, -2);
  const complex w(1, -2), i(0, 1);
  const auto same = [](const complex_value<double>& a, const complex& b) {
    CHECK(a.re == doctest::Approx(b.real()));
    CHECK(a.im == doctest::Approx(b.imag()));
  };
  same(2 * z + i * z - z / 4.0, 2.0 * w + i * w - w / 4.0);
  same((1 - z) / (z + i) * conj(z), (1.0 - w) / (w + i) * std::conj(w));
  same(exp(-z), std::exp(-w));
  CHECK(norm(z) == 5);
  CHECK(abs(z) == std::abs(w));
  CHECK(real(z) + imag(z) == -1);
}

TEST_CASE("a complex problem reaches its closed form, in fixed and dynamic containers") {
  const state z0{complex(1, 0.5), complex(0, 1)};
  const options o{.rtol = 1e-10, .atol = 1e-12};
  const state end = exact(2, z0, 0.25);
  const auto s = solve(complex_problem(coupled, z0, 0, 2, vec{0.25}), tsit5{}, o);
  const state z = as_complex(s.y, z0);
  const std::vector<complex> dynamic{z0[0], z0[1]};
  const auto d = solve(complex_problem(coupled, dynamic, 0, 2, vec{0.25}), tsit5{}, o);
  for (int i = 0; i < 2; ++i) {
    CHECK(std::abs(z[i] - end[i]) < 1e-8);
    CHECK(as_complex(d.y, dynamic)[static_cast<std::size_t>(i)] == z[i]);
  }
}

TEST_CASE(
    "the modulus scales both parts: turning the plane turns the solution and keeps the steps") {
  const auto turning = [](auto, const auto& z, const auto&, auto& dz) {
    dz[0] = complex(-0.1, 5) * z[0];
  };
  const auto steps = [&](complex start) {
    return solve(complex_problem(turning, vec<complex, 1>{start}, 0, 10), tsit5{},
                 options{.rtol = 1e-8, .atol = 0});
  };
  const auto a = steps(1), b = steps(std::polar(1.0, 0.7));
  CHECK(std::abs(a.stats.accepted - b.stats.accepted) <= 2);
  // by parts, an element that passes through 0 has no scale there
  const auto parts = [](auto, const auto& y, const auto&, auto& dy) {
    dy[0] = -0.1 * y[0] - 5 * y[1];
    dy[1] = 5 * y[0] - 0.1 * y[1];
  };
  const auto c =
      solve(problem{parts, vec{1.0, 0.0}, 0.0, 10.0}, tsit5{}, options{.rtol = 1e-8, .atol = 0});
  CHECK(c.stats.accepted > a.stats.accepted + 10);
}

TEST_CASE("a cotangent is dL/dRe + i dL/dIm: closed forms of L = |z1(t1)|²") {
  const state z0{complex(1, 0.5), complex(0, 1)};
  const options o{.rtol = 1e-11, .atol = 1e-13};
  auto s = solve(complex_problem(coupled, z0, 0, 2, vec{0.25}), tsit5{}, o,
                 recursive_checkpoint{.slots = 5});
  const state end = as_complex(s.y, z0);
  const auto g = s.pullback(as_pairs(state{0, 2.0 * end[1]}));
  const state bar = as_complex(g.y0, z0);
  // |z1|² = |z1(0)|² exp(2 Re(conj(z0 I))), I = (exp(at) − 1)/a: by z0, 2 |z1|² conj(I)
  const complex a(-0.25, 3), integral = (std::exp(a * 2.0) - 1.0) / a;
  const double loss = std::norm(end[1]);
  CHECK(std::abs(bar[0] - 2 * loss * std::conj(integral)) < 1e-8);
  CHECK(std::abs(bar[1] - 2 * loss * z0[1] / std::norm(z0[1])) < 1e-8);
  const double e = 1e-5;
  const auto at = [&](double p) { return std::norm(exact(2, z0, p)[1]); };
  CHECK(g.p[0] == doctest::Approx((at(0.25 + e) - at(0.25 - e)) / (2 * e)).epsilon(1e-7));
}

}  // namespace revode
