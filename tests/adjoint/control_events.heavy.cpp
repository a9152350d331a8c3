// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/problems/vdpol_stiff.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

using two = vec<double, 2>;
using one = vec<double, 1>;

/// At every crossing, in the slow phases and the fast ones.
struct throw_back {
  static constexpr bool passes = true;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0] + 1.5; }
  void jump(const auto&, const auto& y, const auto&, auto& y_new) const { y_new[0] = y[0] - 0.1; }
};

}  // namespace

TEST_CASE("control_gradient_error: a relaxation oscillation thrown back at every crossing") {
  const problem<vdpol_stiff, two, one> q{vdpol_stiff{}, {2, 0}, 0, 2, {1e-6}};
  const options o{.rtol = 1e-4, .atol = 1e-4};
  const tangents<two, one> along{.y0 = {}, .p = {1}};
  const auto sum = [](const auto& y) { return y[0] + y[1]; };
  const double right = -823.2706;  // at 1e-8 and at 1e-9
  const auto list = events(throw_back{});
  const auto plain = solve(q, rodas5p{}, o, list, along);
  CHECK(plain.events.size() == 7);
  CHECK(std::abs(sum(plain.y_dot) / right - 1) > 100);  // 146 steps, −377,683
  const auto s = solve(q, rodas5p{}, o, list, control_gradient_error{along});
  CHECK(std::abs(sum(s.y_dot) / right - 1) < 10 * o.rtol);
  CHECK(s.stats.accepted < 4000);
  const auto r = value_and_gradient(q, rodas5p{}, o, list, sum, control_gradient_error{along});
  CHECK(std::abs(r.gradient->p[0] / right - 1) < 10 * o.rtol);
}

}  // namespace revode
