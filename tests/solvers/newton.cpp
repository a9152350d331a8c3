// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include <revode/problems/e5.hpp>
#include <revode/solvers/implicit/implicit.hpp>
#include <revode/solvers/rodas3.hpp>

#include "implicit_fields.hpp"

namespace revode {
namespace {

/// y' = λ (y − 1) that states its Jacobian: the true one, or `stated` in its place.
struct stated_jacobian {
  double lambda, stated;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    dy[0] = lambda * (y[0] - 1.0);
  }
  template <class T, class Y, class P, class J>
  void jacobian(const T&, const Y&, const P&, J& j) const {
    j(0, 0) = stated;
  }
};

/// Finite up to t = 1.
struct field_that_ends {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P&, Y& dy) const {
    using std::sqrt;
    dy[0] = sqrt(1.0 - t) - y[0];
  }
};

template <class Check>
void for_both(Check&& check) {
  check(radau_iia5{});
  check(esdirk547{});
}

TEST_CASE("Newton: a Jacobian with NaN ends the solve with a status, at the last good state") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for_both([&](const auto& m) {
    problem q{stated_jacobian{-2.0, nan}, vec{3.0}, 0.0, 1.0};
    const auto s = solve(q, m, {});
    CHECK(s.status == status::non_finite_field);
    CHECK(s.y[0] == 3.0);
    CHECK(s.t == 0.0);
    CHECK(solve(q, m, options{.fixed_step = 0.1}).status == status::non_finite_field);
  });
}

/// Makes its Jacobian a row too large.
struct resizing_jacobian {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P&, Y& dy) const {
    for (std::size_t i = 0; i < y.size(); ++i) dy[i] = -y[i];
  }
  template <class T, class Y, class P, class J>
  void jacobian(const T&, const Y& y, const P&, J& j) const {
    j.resize(static_cast<int>(y.size()) + 1);
  }
};

TEST_CASE("a Jacobian of another size than the state is refused with both sizes") {
  const problem q{resizing_jacobian{}, std::vector<double>(5, 1.0), 0.0, 1.0};
  const char* text =
      "a Jacobian of size 6 for a state of 5 (it is square, a row an equation) leave its size as "
      "it "
      "is given?";
  for_both([&](const auto& m) { CHECK_THROWS_WITH_AS(solve(q, m), text, std::invalid_argument); });
  CHECK_THROWS_WITH_AS(solve(q, rodas3{}), text, std::invalid_argument);
}

TEST_CASE("e5 with an absolute tolerance below every double ends with a status, all of it finite") {
  for_both([](const auto& m) {
    const e5 f{};
    const auto s = solve(problem{f, f.y0(), f.t0, f.t1, f.parameters()}, m,
                         {.rtol = 1e-10, .atol = 1e-320, .max_steps = 5000});
    CHECK(s.stats.accepted + s.stats.rejected <= 5000);
    CHECK(all_finite(s.y));
    CHECK((s.status == status::success) == (s.t == f.t1));
  });
}

TEST_CASE("Newton: iterations that diverge however short the step are a status, not a hang") {
  for_both([](const auto& m) {
    problem q{stated_jacobian{-1e40, 0.0}, vec{3.0}, 0.5, 1.0};
    const auto s = solve(q, m, options{.first_step = 1e-3});
    CHECK(s.status == status::newton_failure);
    CHECK(s.stats.rejected < 200);
    CHECK(s.y[0] == 3.0);
  });
}

TEST_CASE("Newton: a wrong Jacobian costs steps, not correctness") {
  for_both([](const auto& m) {
    problem right{stated_jacobian{-50.0, -50.0}, vec{3.0}, 0.0, 1.0};
    problem wrong{stated_jacobian{-50.0, 40.0}, vec{3.0}, 0.0, 1.0};
    const auto s = solve(right, m, {}), t = solve(wrong, m, {});
    CHECK(t.status == status::success);
    CHECK(std::abs(t.y[0] - 1) < 1e-5);
    CHECK(t.stats.rejected + t.stats.accepted > s.stats.rejected + s.stats.accepted);
  });
}

TEST_CASE("Newton: a singular matrix is a status") {
  const double h = 0.125;
  problem radau{stated_jacobian{1.0, radau_numbers<3>::gamma / h}, vec{3.0}, 0.0, 1.0};
  problem esdirk{stated_jacobian{1.0, 1 / (h * tr_bdf2::tableau.a[1][1])}, vec{3.0}, 0.0, 1.0};
  CHECK(solve(radau, radau_iia5{}, options{.fixed_step = h}).status ==
        status::linear_solve_failure);
  CHECK(solve(esdirk, tr_bdf2{}, options{.fixed_step = h}).status == status::linear_solve_failure);
  // A shorter step is regular: adaptive solves get by.
  CHECK(solve(radau, radau_iia5{}, options{.first_step = h}).status == status::success);
}

TEST_CASE("Newton: a field that stops being finite ends the solve there") {
  for_both([](const auto& m) {
    problem q{field_that_ends{}, vec{0.5}, 0.0, 2.0};
    const auto s = solve(q, m, {});
    CHECK(s.status != status::success);
    CHECK(s.t <= 1.0);
    CHECK(s.t > 0.9);
    CHECK(all_finite(s.y));
  });
}

TEST_CASE("Newton: a solve backwards in time, and one of no length") {
  for_both([](const auto& m) {
    problem q{stiff_pair{}, vec{0.5, 1.0}, 1.0, 0.5, vec{4.0, 1.3}};
    const auto s = solve(q, m, options{.rtol = 1e-8, .atol = 1e-10});
    problem forward{stiff_pair{}, s.y, 0.5, 1.0, vec{4.0, 1.3}};
    const auto back = solve(forward, m, options{.rtol = 1e-8, .atol = 1e-10});
    REQUIRE(s.status == status::success);
    CHECK(std::abs(back.y[0] - 0.5) < 1e-5);
    CHECK(std::abs(back.y[1] - 1.0) < 1e-5);
    q.t1 = q.t0;
    CHECK(solve(q, m, {}).y == q.y0);
  });
}

TEST_CASE("Newton: a Jacobian is taken at accepted states only, once at most") {
  problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e4, 1.3}};
  const auto s = solve(q, radau_iia5{}, options{.first_step = 1.0});  // too long: it is rejected
  CHECK(s.stats.rejected > 2);
  CHECK(s.stats.jacobian_evaluations <= s.stats.accepted);
}

}  // namespace
}  // namespace revode
