// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include <Eigen/Core>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/linalg/krylov/bicgstab.hpp>
#include <revode/solvers/imex.hpp>
#include <revode/solvers/kencarp3.hpp>
#include <revode/solvers/kvaerno3.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas4.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode {
namespace {

// What goes wrong in the linear systems of a derivative is its status, and there are no numbers.

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// y₀' = −p y₀ + y₁ y₀, y₁' = −rate y₁ + y₀² with derivatives of its own, which may be wrong.
struct pair_of_words {
  static constexpr double rate = 1000;
  struct fault {
    double sign = 1;          ///< of the transposed product
    double before = -1;       ///< the transposed product is NaN up to this time
    bool alternates = false;  ///< it has another sign every time
    double of_jacobian = 0;   ///< added to an entry of the Jacobian
    bool equal_rows = false;  ///< all entries of the Jacobian are the same huge number
  } * wrong;

  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = -p[0] * y[0] + y[1] * y[0];
    dy[1] = -rate * y[1] + y[0] * y[0];
  }
  template <class T, class Y, class P, class W, class GT, class GY, class GP>
  void vjp(const T& t, const Y& y, const P& p, const W& w, GT&, GY& gy, GP& gp) const {
    if (wrong->alternates) wrong->sign = -wrong->sign;
    const double factor = value_of(t) < wrong->before ? nan : wrong->sign;
    gy[0] += factor * ((-p[0] + y[1]) * w[0] + 2 * y[0] * w[1]);
    gy[1] += factor * (y[0] * w[0] - rate * w[1]);
    gp[0] -= y[0] * w[0];
  }
  template <class T, class Y, class P, class DY, class DP>
  void jvp(const T&, const Y& y, const P& p, const T&, const DY& v, const DP& dp, Y& out) const {
    out[0] = (-p[0] + y[1]) * v[0] + y[0] * v[1] + wrong->of_jacobian * v[1];
    if (dp.size() > 0) out[0] = out[0] - y[0] * dp.data()[0];
    out[1] = 2 * y[0] * v[0] - rate * v[1];
  }
  template <class T, class Y, class P, class J>
  void jacobian(const T&, const Y& y, const P& p, J& j) const {
    const bool equal = wrong->equal_rows;
    j(0, 0) = equal ? T(1e40) : T(-p[0] + y[1]);
    j(0, 1) = equal ? T(1e40) : T(y[0] + wrong->of_jacobian);
    j(1, 0) = equal ? T(1e40) : T(2 * y[0]);
    j(1, 1) = equal ? T(1e40) : T(-rate);
  }
};
using fault = pair_of_words::fault;

/// The gradient where the fault arises behind the solve.
template <class Y, class M>
auto gradient_with(const M& m, const fault& of_pull,
                   const recursive_checkpoint& a = {.schedule = schedule_kind::store_all}) {
  CAPTURE(std::string(M::name));
  static fault wrong;
  wrong = {};
  Y y0 = [] {
    if constexpr (static_size_v<Y> == 2)
      return Y{1.0, 0.5};
    else
      return Y(Eigen::Vector2d(1.0, 0.5));
  }();
  const problem q{pair_of_words{&wrong}, y0, 0.0, 1.0, vec{2.0}};
  auto s = solve(q, m, options{.rtol = 1e-4, .atol = 1e-6}, a);
  REQUIRE(s.status == status::success);
  wrong = of_pull;
  const auto g = s.pullback(y0);
  CHECK(g.status != status::success);
  CHECK(std::isnan(g.y0[0]));
  CHECK(std::isnan(g.p[0]));
  CHECK(g.reverse.pulled_steps >= 1);
  CHECK(g.reverse.pulled_steps <= s.stats.accepted);
  wrong = {};
  const auto after = s.pullback(y0);  // nothing of it is left
  CHECK(after.status == status::success);
  CHECK(std::isfinite(after.y0[0]));
  return g;
}

template <class M>
auto banded_of(const M& m) {
  return with_algebra<M, banded>{m, {1, 1}};
}
using small = vec<double, 2>;
using large = Eigen::VectorXd;

TEST_CASE("a transposed product of the wrong sign overflows, and that is told") {
  const auto g = gradient_with<small>(tsit5{}, {.sign = -1});
  CHECK(g.status == status::non_finite_gradient);
}

TEST_CASE("a Jacobian that is not finite in the reverse pass is found where it enters") {
  for (const double bad : {nan, infinity, -infinity}) {
    const fault wrong{.of_jacobian = bad};
    const auto check = [](const auto& g) { CHECK(g.status == status::non_finite_field); };
    check(gradient_with<small>(kvaerno3{}, wrong));
    check(gradient_with<small>(radau_iia5{}, wrong));
    check(gradient_with<small>(rodas4{}, wrong));
    check(gradient_with<large>(kvaerno3{}, wrong));
    check(gradient_with<large>(banded_of(kvaerno3{}), wrong));
  }
}

TEST_CASE("a matrix that is singular in the reverse pass is a linear_solve_failure") {
  const fault wrong{.equal_rows = true};
  CHECK(gradient_with<small>(kvaerno3{}, wrong).status == status::linear_solve_failure);
  CHECK(gradient_with<small>(rodas4{}, wrong).status == status::linear_solve_failure);
  CHECK(gradient_with<large>(kvaerno3{}, wrong).status == status::linear_solve_failure);
  CHECK(gradient_with<small>(radau_iia5{}, wrong).status == status::linear_solve_failure);
}

template <class M>
void check_krylov(const M& m) {
  CHECK(gradient_with<small>(m, {.before = 2}).status == status::non_finite_gradient);
  CHECK(gradient_with<small>(m, {.alternates = true}).status == status::linear_solve_failure);
}
TEST_CASE("Krylov spaces of transposed products: NaN in them, and an iteration that does not end") {
  check_krylov(with_algebra<kvaerno3, gmres<>>{});
  check_krylov(with_algebra<radau_iia5, gmres<>>{});
  check_krylov(with_algebra<rodas4, gmres<>>{});
  check_krylov(with_algebra<kvaerno3, bicgstab<>>{});
}

TEST_CASE("a transposed solve that fails ends at the same step for every schedule") {
  const auto m = with_algebra<kvaerno3, gmres<>>{};
  const fault half{.before = 0.5};
  const auto expected = gradient_with<small>(m, half);
  CHECK(expected.reverse.pulled_steps > 3);
  for (const auto kind : {schedule_kind::online, schedule_kind::nested, schedule_kind::binomial}) {
    const auto g = gradient_with<small>(m, half, {.slots = 5, .schedule = kind});
    CHECK(g.status == expected.status);
    CHECK(g.reverse.pulled_steps == expected.reverse.pulled_steps);
  }
}

/// A part of a split field whose derivative is not finite once that is asked for.
struct split_root {
  const bool* spoil;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    implicit_part(t, y, p, dy);
    dy[0] = dy[0] + p[1];
  }
  template <class T, class Y, class P>
  void implicit_part(const T&, const Y& y, const P& p, Y& dy) const {
    using S = scalar_t<Y>;
    dy[0] = -p[0] * y[0];
    if constexpr (!std::is_same_v<S, double>)
      if (*spoil) dy[0] = dy[0] * S(infinity);
  }
  template <class T, class Y, class P>
  void explicit_part(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[1] + 0.0 * y[0];
  }
};

TEST_CASE("IMEX: a part whose derivative is not finite") {
  bool spoil = false;
  const problem q{split_root{&spoil}, vec{1.0}, 0.0, 1.0, vec{50.0, 1.0}};
  auto s = solve(q, imex<kencarp3>{}, options{.rtol = 1e-4},
                 recursive_checkpoint{.schedule = schedule_kind::store_all});
  REQUIRE(s.status == status::success);
  spoil = true;
  const auto g = s.pullback(vec{1.0});
  CHECK(g.status == status::non_finite_field);
  CHECK(std::isnan(g.y0[0]));
  CHECK(g.reverse.pulled_steps == 1);
  spoil = false;
  CHECK(s.pullback(vec{1.0}).status == status::success);
}

/// Gives a Jacobian with NaN at its k-th call.
struct stumbling {
  int *calls, k;
  double by;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = p[0] * (1.0 - y[0] * y[0]);
  }
  template <class T, class Y, class P, class J>
  void jacobian(const T&, const Y& y, const P& p, J& j) const {
    j(0, 0) = -2.0 * p[0] * y[0] + (++*calls == k ? T(by) : T(0));
  }
};

template <class M>
void stumble(const M& m) {
  CAPTURE(std::string(M::name));
  for (const double by : {nan, infinity})
    for (const int k : {1, 2, 5}) {
      int calls = 0;
      const problem q{stumbling{&calls, k, by}, vec{0.0}, 0.0, 1.0, vec{3.0}};
      const auto s = solve(q, m, options{.rtol = 1e-6, .atol = 1e-9});
      // It is rejected, and either the next attempt asks again or no attempt is accepted.
      if (s.status == status::success)
        CHECK(std::abs(s.y[0] - std::tanh(3.0)) < 1e-5);
      else
        CHECK(s.status == status::non_finite_field);
      const double reached = std::tanh(3.0 * s.t);
      CHECK(std::abs(s.y[0] - reached) < 1e-5);
    }
}
TEST_CASE("a solve notices a Jacobian that is not finite at its k-th call") {
  stumble(kvaerno3{});
  stumble(radau_iia5{});
  stumble(rodas4{});
}

/// Once a derivative by p was asked for its products alternate in sign, until the next step asks for f.
struct alternating_push {
  struct state {
    int sign = 0;  ///< 0: the products are those of f
    int fields = 0;
  } * now;
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    if (++now->fields > 1) now->sign = 0;  // a Jacobian of products asks once
    for (int i = 0; i < 2; ++i) dy[i] = 1 - p[0] * y[i] + 0.25 * y[i] * y[1 - i];
  }
  template <class T, class Y, class P, class DY, class DP>
  void jvp(const T&, const Y& y, const P& p, const T&, const DY& v, const DP& dp, Y& out) const {
    if (dp.size() > 0 && dp.data()[0] != 0) *now = {1, 0};
    const double factor = now->sign == 0 ? 1 : (now->sign = -now->sign);
    for (int i = 0; i < 2; ++i) {
      out[i] = factor * (-p[0] * v[i] + 0.25 * (v[i] * y[1 - i] + y[i] * v[1 - i]));
      if (dp.size() > 0) out[i] = out[i] - y[i] * dp.data()[0];
    }
  }
};

template <class M>
void push_alternating(const M& m) {
  CAPTURE(std::string(M::name));
  alternating_push::state now;
  const problem q{alternating_push{&now}, vec{1.0, 0.5}, 0.0, 1.0, vec{1000.0}};
  tangents<small, vec<double, 1>> along{.y0 = {1, 0}, .p = {0}};
  CHECK(solve(q, m, {}, along).tangent_status == status::success);
  along.p = {1};
  const auto s = solve(q, m, {}, along);
  CHECK(s.status == status::success);
  CHECK(s.tangent_status == status::linear_solve_failure);
  CHECK(std::isnan(s.y_dot[0]));
}
TEST_CASE("forward mode: linear systems of the derivative that fail are its status") {
  push_alternating(with_algebra<kvaerno3, gmres<>>{});
}

TEST_CASE("forward mode has the status of its linear systems") {
  fault wrong{.alternates = true};
  const problem q{pair_of_words{&wrong}, vec{1.0, 0.5}, 0.0, 1.0, vec{2.0}};
  const tangents<small, vec<double, 1>> along{.y0 = {1, 0}, .p = {0}};
  CHECK(solve(q, kvaerno3{}, {}, along).tangent_status == status::success);
  bool spoil = true;
  const problem split{split_root{&spoil}, vec{1.0}, 0.0, 1.0, vec{50.0, 1.0}};
  const auto s = solve(split, imex<kencarp3>{}, options{.fixed_step = 0.1},
                       tangents<vec<double, 1>, vec<double, 2>>{.y0 = {1}, .p = {0, 0}});
  CHECK(s.status == status::non_finite_field);
}

}  // namespace
}  // namespace revode
