// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include <revode/adjoint/control_gradient_error.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/tr_bdf2.hpp>

namespace revode {
namespace {

constexpr int n = 20;
using state = vec<double, n>;
using two = vec<double, 2>;

/// Fisher's equation on a line, p = (diffusion, growth): its tangents' Jacobian has a part below the
/// diagonal.
struct fisher {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    for (int i = 0; i < n; ++i) {
      const auto &left = y[i > 0 ? i - 1 : i], &right = y[i + 1 < n ? i + 1 : i];
      dy[i] = p[0] * (left - 2 * y[i] + right) + p[1] * (y[i] * (1 - y[i]));
    }
  }
};

}  // namespace

TEST_CASE("control_gradient_error: one state's linear algebra serves its tangents as well") {
  state y0{};
  for (int i = 0; i < n; ++i) y0[i] = i < 3 ? 1 : 0.01;
  const problem<fisher, state, two> q{fisher{}, y0, 0, 1, {400, 5}};
  const tangents<state, two> along{.y0 = state{}, .p = {100, 1}};
  const options o{.rtol = 1e-5, .atol = 1e-5};
  const auto loss = [](const auto& y) {
    auto sum = y[0];
    for (int i = 1; i < n; ++i) sum = sum + double(i) * y[i];
    return sum;
  };
  const auto dense = solve(q, tr_bdf2{}, o, control_gradient_error{along});
  const auto compare = [&](const auto& m, const auto& known) {
    const auto s = solve(q, m, o, control_gradient_error{along});
    REQUIRE(s.status == status::success);
    CHECK(s.stats.accepted == known.stats.accepted);
    CHECK(s.stats.newton_iterations == known.stats.newton_iterations);
    CHECK(std::abs(loss(s.y_dot) / loss(known.y_dot) - 1) < 1e-9);
    const auto r = value_and_gradient(q, m, o, loss, control_gradient_error{along});
    CHECK(std::abs(dot(r.gradient->p, along.p) / loss(s.y_dot) - 1) < 1e-6);
  };
  compare(with_algebra<tr_bdf2, banded>{{}, {.lower = 1, .upper = 1}}, dense);
  compare(with_algebra<tr_bdf2, gmres<>>{{}, {.limits = {.goal = 0}}}, dense);
  const with_algebra<tr_bdf2, gmres<>> inexact{};  // whose goal every part's solve has
  const auto s = solve(q, inexact, o, control_gradient_error{along});
  CHECK(s.stats.newton_iterations < dense.stats.newton_iterations);
  CHECK(std::abs(loss(s.y_dot) / loss(dense.y_dot) - 1) < 1e-4);
  const auto r = value_and_gradient(q, inexact, o, loss, control_gradient_error{along});
  CHECK(std::abs(dot(r.gradient->p, along.p) / loss(s.y_dot) - 1) < 1e-6);
  const auto radau = solve(q, radau_iia5{}, o, control_gradient_error{along});
  compare(with_algebra<radau_iia5, banded>{{}, {.lower = 1, .upper = 1}}, radau);
}

}  // namespace revode
