// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include <Eigen/Core>

#include <revode/interop/eigen.hpp>
#include <revode/problems/e5.hpp>
#include <revode/problems/stiff_accuracy.hpp>
#include <revode/solve/solve.hpp>

#include "rosenbrock_methods.hpp"

namespace revode {
namespace {

/// y' = −y with a Jacobian that turns bad at t = 0.5.
template <class Value>
struct bad_jacobian {
  Value value;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    for (int i = 0; i < 2; ++i) dy.data()[i] = -y.data()[i];
  }
  template <class T, class Y, class P, class J>
  void jacobian(const T& t, const Y&, const P&, J& j) const {
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 2; ++k) j(i, k) = i == k ? -1.0 : 0.0;
    if (t > 0.5) j(0, 1) = value();
  }
};
struct not_a_number {
  double operator()() const { return std::numeric_limits<double>::quiet_NaN(); }
};
struct infinite {
  double operator()() const { return std::numeric_limits<double>::infinity(); }
};

template <class Y>
void ends_with_non_finite_field(const Y& y0) {
  const auto check = [&](const auto& field) {
    for_some_rosenbrock([&](const auto& m) {
      for (const double fixed : {0.0, 0.1}) {
        const auto s = solve(problem{field, y0, 0.0, 1.0}, m, options{.fixed_step = fixed});
        CHECK(s.status == status::non_finite_field);
        CHECK(s.t >= 0.5 - 1e-12);
        CHECK(std::isfinite(s.y[0]));
      }
    });
  };
  check(bad_jacobian<not_a_number>{});
  check(bad_jacobian<infinite>{});
}

TEST_CASE("a Jacobian with NaN or infinity ends the solve: what was reached before stays") {
  ends_with_non_finite_field(vec{1.0, 2.0});
  ends_with_non_finite_field(Eigen::VectorXd{{1.0, 2.0}});
}

/// J = 1/(h γ) for every h that is tried: W is singular.
struct always_singular {
  double gamma;
  mutable double h = 0.1;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = y[0];
  }
  template <class T, class Y, class P, class J>
  void jacobian(const T&, const Y&, const P&, J& j) const {
    j(0, 0) = 1 / (h * gamma);
  }
};

TEST_CASE("a singular matrix of fixed steps is a status, and its sentence says so") {
  const always_singular f{rodas4::rosenbrock.gamma};
  const auto s = solve(problem{f, vec{1.0}, 0.0, 0.1}, rodas4{}, options{.fixed_step = 0.1});

  CHECK(s.status == status::linear_solve_failure);
  CHECK(s.t == 0);
  CHECK(std::string(explain(s.status)) == "a linear system was singular");
}

TEST_CASE("an adaptive solve rejects a singular matrix and goes on with a shorter step") {
  const always_singular f{rodas4::rosenbrock.gamma};
  const auto s = solve(problem{f, vec{1.0}, 0.0, 0.1}, rodas4{}, options{.first_step = 0.1});

  CHECK(s.stats.rejected >= 1);
  CHECK(s.status == status::success);
}

TEST_CASE("a solution that leaves the finite numbers ends with a status") {
  const auto grows = [](const auto&, const auto& y, const auto&, auto& dy) { dy[0] = y[0] * y[0]; };
  const auto s = solve(problem{grows, vec{1.0}, 0.0, 2.0}, rodas5p{}, options{});

  CHECK(s.status != status::success);
  CHECK(s.t == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("Robertson by Rodas4: the attempts of Hairer's RODAS at every tolerance") {
  const auto f = [](const auto&, const auto& y, const auto& p, auto& dy) {
    const auto slow = p[0] * y[0], back = p[2] * y[1] * y[2], fast = p[1] * y[1] * y[1];
    dy[0] = back - slow;
    dy[1] = slow - back - fast;
    dy[2] = fast;
  };
  const problem q{f, vec{1.0, 0.0, 0.0}, 0.0, 1e11, vec{0.04, 3e7, 1e4}};
  const index of_rodas[] = {141, 240, 413, 718, 1410, 3665, 11255};
  double rtol = 1e-4;
  for (const index expected : of_rodas) {
    const options o{.rtol = rtol, .atol = 1e-6 * rtol, .first_step = 1e-6};
    const auto s = solve(q, rodas4{}, o);
    CHECK(s.stats.accepted + s.stats.rejected == expected);
    rtol /= 10;
  }
}

TEST_CASE("refined stages keep the invariant of e5, and with it the digits that were asked") {
  const e5 f{};
  for (int k = 4; k <= 8; ++k) {
    const double rtol = std::pow(10.0, -k);
    const problem q{f, f.y0(), f.t0, f.t1, f.parameters()};
    const options o{.rtol = rtol, .atol = f.atol(rtol)};
    const auto plain = solve(q, rodas5p{}, o), better = solve(q, refined<rodas5p>{}, o);
    CAPTURE(k);
    CHECK(mixed_digits(f, better.y, rtol) >= k - 2);
    CHECK(mixed_digits(f, better.y, rtol) > mixed_digits(f, plain.y, rtol) + 1);
    CHECK(better.stats.accepted - plain.stats.accepted <= plain.stats.accepted / 50);
  }
}

}  // namespace
}  // namespace revode
