// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include <any/problems.hpp>
#include <any/same_bits.hpp>
#include <contract/stormer_verlet.hpp>
#include <revode/any.hpp>
#include <revode/any/functions_of.hpp>
#include <revode/interop/eigen.hpp>
#include <revode/problems/erased_events.hpp>
#include <revode/revode.hpp>
#include <revode/solvers/all.hpp>

// Methods by name share the loops that drive them: what these do is what loops of a method alone do, in its bits.

namespace revode {
namespace {

using vector = Eigen::VectorXd;

/// A pendulum, and what moves it down where it falls through 0.6.
struct swing {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = y[1];
    dy[1] = -p[0] * sin(y[0]) - p[1] * y[1];
  }
  template <class T, class Y, class P>
  void implicit_part(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = 0.0 * y[0];
    dy[1] = -p[1] * y[1];
  }
  template <class T, class Y, class P>
  void explicit_part(const T&, const Y& y, const P& p, Y& dy) const {
    using std::sin;
    dy[0] = y[1];
    dy[1] = -p[0] * sin(y[0]);
  }
};
struct falls {
  static constexpr const char* name = "falls";
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0] - 0.6; }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[0] = p[2] * y[0];
    y_new[1] = 3.0 * p[2] * y[1];
  }
};

const vector start{{1.2, 0.0}}, constants{{4.0, 0.1, 0.5}}, weights{{1.0, -2.0}};

any_problem by_name() {
  any_problem q{.f = std::make_shared<const erased_field>(swing{}),
                .y0 = {1.2, 0.0},
                .t1 = 3,
                .p = {4.0, 0.1, 0.5}};
  q.events.push_back(std::make_shared<const erased_event>(falls{}));
  return q;
}
options with(double rtol) { return {.rtol = rtol, .atol = rtol, .save = {.ts = {0.3, 1.1, 2.9}}}; }

template <class M>
void has_the_bits_of_its_own_loops() {
  CAPTURE(M::name);
  const problem typed{swing{}, start, 0.0, 3.0, constants};
  const options o = with(1e-5);
  auto expected = solve(typed, M{}, o, events(falls{}), recursive_checkpoint{.slots = 4});
  const auto s = solve(by_name(), M::name, o, recursive_checkpoint{.slots = 4});
  REQUIRE(s.events.size() == expected.events.size());
  REQUIRE(s.events.size() == 1);
  for (std::size_t i = 0; i < s.events.size(); ++i) CHECK(s.events[i].t == expected.events[i].t);
  for (std::size_t k = 0; k < s.ys.size(); ++k) CHECK(same_bits(s.ys[k], expected.ys[k]));
  CHECK(s.stats.accepted == expected.stats.accepted);
  CHECK(s.stats.rejected == expected.stats.rejected);
  CHECK(s.stats.field_evaluations == expected.stats.field_evaluations);
  const std::vector<double> of_events(s.events.size(), 0.5);
  const auto bar = expected.pullback(
      cotangents<vector>{.y = weights, .ys = {weights, weights, weights}, .events = of_events});
  const any_state w{1.0, -2.0};
  const auto g = s.pullback({.y = w, .ys = {w, w, w}, .events = of_events});
  CHECK(g.status == status::success);
  CHECK(same_bits(g.y0, bar.y0));
  CHECK(same_bits(g.p, bar.p));
  CHECK(g.t1 == bar.t1);
  CHECK(g.ts == bar.ts);
}

TEST_CASE("methods by name have the bits of their own loops, through events and back") {
  has_the_bits_of_its_own_loops<bosh3>();
  has_the_bits_of_its_own_loops<rodas3>();
  has_the_bits_of_its_own_loops<rosenbrock23>();
  has_the_bits_of_its_own_loops<kvaerno3>();
  has_the_bits_of_its_own_loops<imex<kencarp4>>();
  has_the_bits_of_its_own_loops<radau_iia5>();
  has_the_bits_of_its_own_loops<rkc>();
  has_the_bits_of_its_own_loops<tsit5_rodas5p>();
  has_the_bits_of_its_own_loops<bdf5>();
}

TEST_CASE("every method goes through events, and its gradient back") {
  const auto accurate = solve(by_name(), "dop853", with(1e-12), recursive_checkpoint{});
  const any_gradient expected = accurate.pullback({.y = any_state{1.0, -2.0}});
  for (const std::string& name : any_method_names()) {
    CAPTURE(name);
    options o = with(1e-6);
    const compiled::method_entry* m = compiled::find_method_entry(name);
    if (m != nullptr && !m->has_estimate) o.fixed_step = m->order == 1 ? 1e-4 : 1e-3;
    any_problem q = by_name();
    if (takes_halves(name)) q.p[1] = 0;
    const auto s = solve(q, name, o, recursive_checkpoint{.slots = 20});
    REQUIRE(s.status == status::success);
    const any_gradient g = s.pullback({.y = any_state{1.0, -2.0}});
    CHECK(g.status == status::success);
    if (q.p[1] == 0) continue;
    CHECK(s.events.size() == accurate.events.size());
    CHECK(s.y[0] == doctest::Approx(accurate.y[0]).epsilon(2e-3));
    CHECK(g.p[0] == doctest::Approx(expected.p[0]).epsilon(2e-2));
  }
}

/// x' = z − p₀ x, 0 = x² + z − p₁, and what halves x where it rises through 0.8.
struct constrained {
  template <class T, class Y, class P>
  void operator()(const T&, const Y& y, const P& p, Y& dy) const {
    dy[0] = y[1] - p[0] * y[0];
    dy[1] = y[0] * y[0] + y[1] - p[1];
  }
  void mass(auto& m) const { m(0, 0) = 1; }
};
struct rises {
  static constexpr const char* name = "rises";
  static constexpr auto direction = crossing::rising;
  auto condition(const auto&, const auto& y, const auto&) const { return y[0] - 0.8; }
  void jump(const auto&, const auto& y, const auto&, auto& y_new) const { y_new[0] = 0.5 * y[0]; }
};

template <class M>
void has_them_with_a_mass_matrix() {
  CAPTURE(M::name);
  const vector y0{{0.1, 1.0}}, p{{0.3, 1.5}};
  const problem typed{constrained{}, y0, 0.0, 3.0, p};
  const options o = with(1e-5);
  auto expected = solve(typed, M{}, o, events(rises{}), recursive_checkpoint{.slots = 4});
  any_problem q{.f = std::make_shared<const erased_field>(constrained{}),
                .y0 = {0.1, 1.0},
                .t1 = 3,
                .p = {0.3, 1.5}};
  q.events.push_back(std::make_shared<const erased_event>(rises{}));
  const auto s = solve(q, M::name, o, recursive_checkpoint{.slots = 4});
  REQUIRE(s.events.size() > 1);
  REQUIRE(s.events.size() == expected.events.size());
  CHECK(same_bits(s.y, expected.y));
  const auto bar = expected.pullback(weights);
  const any_gradient g = s.pullback({.y = any_state{1.0, -2.0}});
  CHECK(same_bits(g.y0, bar.y0));
  CHECK(same_bits(g.p, bar.p));
  CHECK(solve(q, M::name, o).y == s.y);
  q.events.clear();
  CHECK(same_bits(solve(q, M::name, o).y, solve(typed, M{}, o).y));
}

TEST_CASE("methods by name have the bits of their own loops with a mass matrix and events") {
  has_them_with_a_mass_matrix<rodas4p2>();
  has_them_with_a_mass_matrix<radau_iia9>();
  has_them_with_a_mass_matrix<ndf5>();
}

TEST_CASE("a method without dense output refuses events, also as a library brings it") {
  const compiled::described_method m = compiled::described<contract::stormer_verlet>();
  const erased_field field(swing{});
  const compiled::initial_value_problem posed{field, start, 0.0, 3.0, constants};
  erased_events falling;
  falling.each.emplace_back(falls{});
  const options steps{.fixed_step = 0.1};
  CHECK(m.entry.plain.solve(posed, steps, {}).status == status::success);
  CHECK_THROWS_WITH_AS(m.entry.with_events.solve(posed, steps, falling),
                       "method stormer_verlet with located events (it has no dense output to find "
                       "them on) choose a method such as tsit5?",
                       std::invalid_argument);
}

}  // namespace
}  // namespace revode
