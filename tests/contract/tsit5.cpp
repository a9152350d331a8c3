// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/problems/lotka_volterra.hpp>
#include <revode/solvers/tsit5.hpp>
#include <revode/testing/order.hpp>
#include <revode/testing/references.hpp>

namespace revode {
namespace {

/// y' = p y cos t, and the latest time it was asked at.
struct watched_field {
  double* latest;
  index* calls;
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    *latest = std::fmax(*latest, static_cast<double>(value_of(t)));
    ++*calls;
    dy[0] = p[0] * y[0] * cos(t);
    dy[1] = -p[1] * y[1] * y[0] * t;
  }
};

options with_save_points() {
  options o{.rtol = 1e-7, .atol = 1e-9};
  o.save.ts = {0.3, 0.31, 1.7};
  return o;
}

TEST_CASE("tsit5: a solve costs six evaluations an attempt, one to begin, two for a first step") {
  double latest = -1e9;
  index calls = 0;
  problem q{watched_field{&latest, &calls}, vec{1.0, 1.0}, 0.0, 2.1, vec{1.0, 0.5}};

  const auto s = solve(q, tsit5{}, {.rtol = 1e-8, .atol = 1e-8});

  CHECK(s.status == status::success);
  CHECK(s.stats.field_evaluations == 6 * (s.stats.accepted + s.stats.rejected) + 1 + 2);
  CHECK(calls == s.stats.field_evaluations);
}

TEST_CASE("tsit5: the stages with c = 1 of the last step see t1 itself, and none sees more") {
  for (const double t1 : {2.1, 0.7, 1.1, 3.3, 2.7}) {
    double latest = -1e9;
    index calls = 0;
    problem q{watched_field{&latest, &calls}, vec{1.0, 1.0}, 0.1, t1, vec{1.0, 0.5}};

    const auto s = solve(q, tsit5{}, {.first_step = 0.01});

    CHECK(s.t == t1);
    CHECK(latest == t1);
  }
}

TEST_CASE("tsit5: the laws hold with a non-autonomous field, adaptive and fixed steps") {
  double latest = 0;
  index calls = 0;
  problem q{watched_field{&latest, &calls}, vec{1.0, 1.0}, 0.0, 2.1, vec{1.0, 0.5}};
  for (const double fixed : {0.0, 0.05}) {
    options o = with_save_points();
    o.fixed_step = fixed;
    const recursive_checkpoint adjoint{.slots = 3};

    CHECK(replay_law(q, tsit5{}, o).holds);
    CHECK(dot_product_law(q, tsit5{}, o, adjoint, 5).holds);
    CHECK(frozen_grid_law(q, tsit5{}, o, adjoint).holds);
    CHECK(finite_difference_check(q, tsit5{}, o, adjoint).worst < 1e-8);
    CHECK(
        equal_gradients_law(q, tsit5{}, o, adjoint, {.schedule = schedule_kind::store_all}).holds);
  }
}

TEST_CASE("tsit5: fixed steps commute with linear maps, and both orders are observed") {
  const lotka_volterra f;
  problem q{f, f.y0(), 0.0, 2.0, f.parameters()};

  CHECK(equivariance_law(q, tsit5{}, {.fixed_step = 0.01}, change_of_variables::scaling, 0).holds);
  CHECK(
      equivariance_law(q, tsit5{}, {.fixed_step = 0.01}, change_of_variables::shear, 1e-13).holds);
  CHECK(order_law(tsit5{}, pendulum).holds);
  CHECK(dense_order_law(tsit5{}, driven_pair).holds);
}

}  // namespace
}  // namespace revode
