// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/solvers/esdirk547.hpp>
#include <revode/solvers/radau_iia5.hpp>

#include <vector>

#include "implicit_fields.hpp"

namespace revode {
namespace {

TEST_CASE("Radau: the order is 5, that of dense output inside a step 3, hence 4 over a solve") {
  for (const auto& f : {pendulum, driven_pair}) {
    const law_result end = order_law(radau_iia5{}, f), inside = dense_order_law(radau_iia5{}, f, 4);
    CHECK_MESSAGE(end.holds, end.what);
    CHECK_MESSAGE(inside.holds, inside.what);
  }
}

TEST_CASE(
    "Radau: replays, products and duals agree, for fixed and dynamic states, mild and stiff") {
  for (const double stiffness : {40.0, 4e4}) {
    check_implicit_laws(radau_iia5{}, vec{0.5, 1.0}, vec{stiffness, 1.3});
    check_implicit_laws(radau_iia5{}, std::vector{0.5, 1.0}, std::vector{stiffness, 1.3});
  }
}

/// Stiff until t = 1, and then not at all: across a step the Jacobian changes by itself.
struct released {
  template <class T, class Y, class P>
  void operator()(const T& t, const Y& y, const P& p, Y& dy) const {
    using std::cos;
    using std::exp;
    dy[0] = p[0] / (1.0 + exp(40.0 * (t - 1.0))) * (cos(p[1] * t) - y[0]);
  }
};

TEST_CASE("Radau: duals agree where no one Jacobian serves the stages of a step") {
  const problem q{released{}, vec{0.5}, 0.0, 3.0, vec{3e4, 1.3}};
  for (const double rtol : {1e-1, 1e-2, 1e-4}) {
    const options o{.rtol = rtol, .atol = rtol};
    CHECK(frozen_grid_law(q, radau_iia5{}, o, recursive_checkpoint{.slots = 3}).worst < 1e-10);
  }
}

TEST_CASE("Radau: finite differences of tightly solved stages agree with the gradient") {
  problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  options o{.rtol = 1e-2, .atol = 1e-4};
  o.save.ts = {0.213, 1.413};

  const auto loose = finite_difference_check(q, radau_iia5{}, o, recursive_checkpoint{});
  const auto tight =
      finite_difference_check(q, radau_iia5{.newton = 1e-8}, o, recursive_checkpoint{});
  CHECK(tight.worst < 1e-7);
  CHECK(loose.worst > 100 * tight.worst);  // differences see the iterations, the gradient does not
}

/// Published: steps tried, field evaluations, Jacobians, factorisations of RADAU5 with a first step
/// of 1e-6 and atol = 1e-6 rtol on [0, 1e11]. At 1e-4 seven steps take a second correction where RADAU5
/// trusts the rate of the step before, and three of them find that it is not below 0.001.
struct published_counts {
  double rtol, tried, fields, jacobians, factorizations;
};

void check_count(double found, double published) {
  CHECK(std::abs(found - published) <= 0.01 * published + 0.5);
}
template <class Counts = evaluation_counts>
double factorizations(const statistics& s, double published) {
  if constexpr (requires(Counts c) { c.factorizations; })
    return static_cast<double>(s.factorizations);
  else
    return published;
}

TEST_CASE("Radau: on Robertson's problem steps, f, J and LU are those of RADAU5 within 1 %") {
  for (const auto& p : {published_counts{1e-4, 138, 994 + 7 * 3, 128 + 3, 138},
                        published_counts{1e-6, 262, 1953, 251, 261},
                        published_counts{1e-10, 1143, 8608, 481, 525}}) {
    problem q{robertson{}, vec{1.0, 0.0, 0.0}, 0.0, 1e11, robertson_rates};
    const auto s =
        solve(q, radau_iia5{}, options{.rtol = p.rtol, .atol = 1e-6 * p.rtol, .first_step = 1e-6});
    CAPTURE(p.rtol);
    REQUIRE(s.status == status::success);
    check_count(static_cast<double>(s.stats.accepted + s.stats.rejected), p.tried);
    check_count(static_cast<double>(s.stats.field_evaluations), p.fields);
    check_count(static_cast<double>(s.stats.jacobian_evaluations), p.jacobians);
    check_count(factorizations(s.stats, p.factorizations), p.factorizations);
    // source of the reference: Hairer & Wanner's stiff test set
    CHECK(std::abs(s.y[0] / 0.2083340149701255e-7 - 1) < 5 * std::pow(p.rtol, 0.9));
  }
}

TEST_CASE("Radau: a gradient of 100,000 stiff steps in 32 snapshots, its bits the same in 24") {
  problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 200.0, vec{1000.0, 1.3}};
  const options o{.fixed_step = 0.002};
  auto many = solve(q, radau_iia5{}, o, recursive_checkpoint{.slots = 32});
  auto few = solve(q, radau_iia5{}, o, recursive_checkpoint{.slots = 24});
  REQUIRE(many.stats.accepted == 100'000);
  const auto g = many.pullback(vec{1.0, -1.0}), other = few.pullback(vec{1.0, -1.0});

  CHECK(g.reverse.peak_states <= 32);
  CHECK(equal_bits(g.y0, other.y0));
  CHECK(equal_bits(g.p, other.p));
  CHECK(equal_bits(g.t1, other.t1));
}

template <class M>
void check_replays_by_the_controller(const M& m) {
  problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{4e4, 1.3}};
  for (const double first : {0.0, 1.0}) {  // chosen; far too long, so that trials are rejected
    options o{.rtol = 1e-6, .atol = 1e-8, .first_step = first};
    o.save.ts = {0.213, 0.2131, 1.413};
    const recursive_checkpoint logged{.slots = 3};
    CHECK(equal_gradients_law(q, m, o, logged, {.slots = 2, .log = step_replay::controller}).what ==
          "");
    CHECK(equal_gradients_law(q, m, o, logged, {.budget = 6000}).what == "");
  }
}

TEST_CASE("Radau and ESDIRK: replays that repeat the attempts give the same bits") {
  check_replays_by_the_controller(radau_iia5{});
  check_replays_by_the_controller(esdirk547{});
}

template <bool Transposed>
void check_two_ways(double change, bool converges) {
  using Y = vec<double, 3>;
  random_numbers random(4);
  radau_scratch<dense_algebra, Y, 3> w(Y{});
  const double h = 0.3;
  const auto base = random.like(w.jacobian[0]);
  for (auto& j : w.jacobian) {
    j = base;
    axpy(change, random.like(base), j);
  }
  REQUIRE(w.factors.factor(w.jacobian[2], h, no_mass));
  for (Y& part : w.right) part = random.like(part);
  CHECK(solve_radau_derivative<Transposed>(no_mass, h, w, 12) == converges);
  const Y refined[3] = {w.x[0], w.x[1], w.x[2]};
  solve_radau_derivative_whole<Transposed>(no_mass, h, w);
  for (int i = 0; i < 3; ++i) {
    if (converges) CHECK(relative_difference(w.x[i], refined[i]) < 1e-14);
    Y rest = w.right[i];  // right + J x − A⁻¹ x / h
    if (Transposed)
      add_transposed_product(w.jacobian[i], w.x[i], rest);
    else
      add_product(w.jacobian[i], w.x[i], rest);
    for (int j = 0; j < 3; ++j)
      axpy(-(Transposed ? radau_numbers<3>::inverse[j][i] : radau_numbers<3>::inverse[i][j]) / h,
           w.x[j], rest);
    CHECK(std::sqrt(dot(rest, rest)) < 1e-12);
  }
}

TEST_CASE("Radau: where refinement does not converge, one matrix of all stages solves the same") {
  check_two_ways<false>(0.1, true);
  check_two_ways<true>(0.1, true);
  check_two_ways<false>(30, false);
  check_two_ways<true>(30, false);
}

TEST_CASE("Radau: linear maps commute with it up to rounding") {
  problem q{stiff_pair{}, vec{0.5, 1.0}, 0.0, 1.5, vec{40.0, 1.3}};
  for (const auto map : {change_of_variables::scaling, change_of_variables::shear})
    CHECK(equivariance_law(q, radau_iia5{}, {.fixed_step = 0.01}, map, 1e-13).holds);
}

}  // namespace
}  // namespace revode
