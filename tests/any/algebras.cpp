// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <any/chain.hpp>
#include <any/same_bits.hpp>
#include <revode/any.hpp>
#include <revode/any/compiled.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/linalg/gmres.hpp>
#include <revode/linalg/ilu0.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/revode.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/esdirk547.hpp>

namespace revode {
namespace {

using vector = Eigen::VectorXd;

any_problem erased_chain() {
  any_problem q = of_chain(chain_alone());
  q.f = std::make_shared<const erased_field>(chain{});
  return q;
}
problem<chain, vector, vector> template_chain() {
  const any_problem q = of_chain(chain_alone());
  return {chain{}, as_vector(q.y0), q.t0, q.t1, as_vector(q.p)};
}

/// Those of every pair for y' = f without events, with what callbacks have to say of the chain.
std::vector<any_method> pairs() {
  const chain_pattern of(12);
  std::vector<any_method> all;
  for (const compiled::algebra_entry& e : compiled::algebra_table())
    if (!e.kind.massive)
      all.push_back(
          any_method(std::string(e.method), {.name = std::string(e.algebra),
                                             .lower = 1,
                                             .upper = 1,
                                             .pattern = any_pattern(of.starts, of.rows)}));
  return all;
}

const options o{.rtol = 1e-6, .atol = 1e-9};
const any_cotangents weights{.y = any_state{1, -2, 3, -4, 5, -6, 6, -5, 4, -3, 2, -1}};

/// A pair by name has the bits of the templates: state, gradient, counts.
template <class M>
void check_bits(const char* name, const any_algebra& algebra, const M& m) {
  CAPTURE(name);
  CAPTURE(algebra.name);
  auto expected = solve(template_chain(), m, o, recursive_checkpoint{});
  const auto bar = expected.pullback(as_vector(*weights.y));
  for (const recursive_checkpoint& a : {recursive_checkpoint{}, recursive_checkpoint{.slots = 3}}) {
    const auto s = solve(erased_chain(), any_method(name, algebra), o, a);
    CHECK(s.status == status::success);
    CHECK(same_bits(s.y, expected.y));
    CHECK(s.stats.jacobian_evaluations == expected.stats.jacobian_evaluations);
    CHECK(s.stats.jvp_evaluations == expected.stats.jvp_evaluations);
    CHECK(s.stats.factorizations == expected.stats.factorizations);
    const any_gradient g = s.pullback(weights);
    CHECK(same_bits(g.y0, bar.y0));
    CHECK(same_bits(g.p, bar.p));
  }
}

TEST_CASE("algebras by name have the bits of the templates: solves, gradients, counts") {
  const auto pattern = std::make_shared<const sparsity>(sparsity_of(template_chain()));
  check_bits("bdf5", {.name = "banded"}, with_algebra<bdf5, banded>{{}, {1, 1, true}});
  check_bits("esdirk547", {.name = "gmres_ilu0"},
             with_algebra<esdirk547, gmres<ilu0>>{{}, {.preconditioner = {pattern}}});
}

TEST_CASE(
    "every pair solves as its method does with dense matrices, from each kind of derivative") {
  for (const any_method& m : pairs()) {
    CAPTURE(m.name());
    CAPTURE(m.algebra().name);
    const bool by_products = m.algebra().name.starts_with("gmres");
    const any_state dense = solve(erased_chain(), m.name(), o).y;
    any_callbacks differences = chain_alone();
    differences.by_finite_differences = true;
    std::vector<any_problem> all{erased_chain(), of_chain(chain_with_jvp()), of_chain(differences)};
    if (!by_products) all.push_back(of_chain(chain_with_vjp()));
    for (const any_problem& q : all) {
      const any_solution s = solve(q, m, o);
      REQUIRE(s.status == status::success);
      for (std::size_t i = 0; i < dense.size(); ++i) CHECK(std::abs(s.y[i] - dense[i]) < 2e-6);
    }
  }
}

TEST_CASE("every pair keeps the dot-product law, and equal bits of gradients in every memory") {
  any_tangents along{.y0 = any_state(12), .p = {0.5, -1}};
  for (std::size_t i = 0; i < 12; ++i) along.y0[i] = std::cos(static_cast<double>(i));
  for (const any_method& m : pairs()) {
    CAPTURE(m.name());
    CAPTURE(m.algebra().name);
    const any_problem q = erased_chain();
    const auto s = solve(q, m, o, recursive_checkpoint{});
    const any_gradient g = s.pullback(weights);
    const any_pushed_solution pushed = solve(q, m, o, along);
    double forward = 0, reverse = g.p[0] * 0.5 - g.p[1];
    for (std::size_t i = 0; i < 12; ++i) {
      forward += (*weights.y)[i] * pushed.y_dot[i];
      reverse += g.y0[i] * along.y0[i];
    }
    CHECK(std::abs(forward - reverse) < 1e-9 * std::abs(forward));
    std::vector<recursive_checkpoint> memories{{.slots = 2}, {.budget = 100000}};
    memories[0].schedule = schedule_kind::binomial;
    memories[0].log = step_replay::steps;
    for (const recursive_checkpoint& a : memories) {
      const any_gradient again = solve(q, m, o, a).pullback(weights);
      CHECK(again.y0 == g.y0);
      CHECK(again.p == g.p);
    }
  }
}

TEST_CASE(
    "the field's own Jacobian in a band or on a pattern, and pulls of rows, cost no products") {
  const chain_pattern of(12);
  const any_algebra band{.name = "banded", .lower = 1, .upper = 1};
  const any_solution products = solve(of_chain(chain_with_jvp()), any_method("bdf5", band), o);
  CHECK(products.stats.jvp_evaluations == 3 * products.stats.jacobian_evaluations);
  for (const any_callbacks& c : {chain_with_band(), chain_with_vjp()}) {
    const any_solution s = solve(of_chain(c), any_method("bdf5", band), o);
    CHECK(s.stats.jvp_evaluations == 0);
    CHECK(s.stats.jacobian_evaluations == products.stats.jacobian_evaluations);
    for (std::size_t i = 0; i < 12; ++i)
      CHECK(s.y[i] == doctest::Approx(products.y[i]).epsilon(1e-9));
  }
  for (const std::string& name : any_algebra_names()) {
    if (name != "klu") continue;
    const any_algebra klu{.name = name, .pattern = any_pattern(of.starts, of.rows)};
    for (const any_callbacks& c : {chain_with_entries(), chain_with_vjp()}) {
      const any_solution s = solve(of_chain(c), any_method("bdf5", klu), o);
      CHECK(s.stats.jvp_evaluations == 0);
      for (std::size_t i = 0; i < 12; ++i)
        CHECK(s.y[i] == doctest::Approx(products.y[i]).epsilon(1e-7));
    }
  }
}

TEST_CASE(
    "a Rosenbrock method, whose formula has the Jacobian, tells a wrong one: each way gives one") {
  const chain_pattern of(12);
  any_callbacks band = chain_with_jvp(), entries = chain_with_jvp();
  band.banded_jacobian = chain_with_band().banded_jacobian;
  entries.sparse_jacobian = chain_with_entries().sparse_jacobian;
  const any_state dense = solve(of_chain(chain_with_jvp()), "rodas5p", o).y;
  for (const std::string& name : any_algebra_names()) {
    if (name != "banded" && name != "klu") continue;
    CAPTURE(name);
    const any_method m(
        "rodas5p",
        {.name = name, .lower = 1, .upper = 1, .pattern = any_pattern(of.starts, of.rows)});
    const any_callbacks& own = name == "klu" ? entries : band;
    for (const any_callbacks& c : {chain_with_jvp(), chain_with_vjp(), own}) {
      const any_solution s = solve(of_chain(c), m, o);
      for (std::size_t i = 0; i < 12; ++i) CHECK(std::abs(s.y[i] - dense[i]) < 1e-12);
    }
  }
}

TEST_CASE("bands and patterns are found of typed fields, and dense output is there") {
  const auto found = any_pattern(erased_chain());
  CHECK(found->entries() == 12 + 2 * 11);
  CHECK(found->colours() == 3);
  const any_method m("radau_iia5", {.name = "banded"});
  const auto path = solve(erased_chain(), m, o, dense_output{});
  const auto dense = solve(erased_chain(), "radau_iia5", o, dense_output{});
  CHECK(path(0.2)[3] == doctest::Approx(dense(0.2)[3]).epsilon(1e-6));
  CHECK(solve(erased_chain(), any_method("automatic", {.name = "banded"}), o).y ==
        solve(erased_chain(), any_method("bdf5", {.name = "banded"}), o).y);
}

void says(const any_problem& q, const any_method& m, const char* text) {
  CHECK_THROWS_WITH_AS(solve(q, m, o), text, std::invalid_argument);
}

TEST_CASE("algebras that are not there are refused in words, before any work") {
  const any_problem q = erased_chain(), told = of_chain(chain_with_jvp());
  says(q, any_method("bdf5", {.name = "bandet"}),
       "unknown algebra 'bandet' (it is not among any_algebra_names()) did you mean 'banded'?");
  says(q, any_method("tsit5", {.name = "banded"}),
       "method tsit5 with algebra banded (it solves no linear systems) leave the algebra out, or "
       "take one of the methods bdf5, esdirk547, rodas5p, radau_iia5?");
  says(q, any_method("kvaerno5", {.name = "gmres"}),
       "method kvaerno5 with algebra gmres (it is compiled with dense) choose one of these, or one "
       "of the methods bdf5, esdirk547, radau_iia5?");
  says(told, any_method("bdf5", {.name = "banded"}),
       "algebra banded without lower and upper (callbacks do not tell where their Jacobian is not "
       "0) give it?");
  says(told, any_method("bdf5", {.name = "gmres_ilu0"}),
       "algebra gmres_ilu0 without a sparsity pattern (callbacks do not tell where their Jacobian "
       "is not 0) give it?");
  says(told, any_method("bdf5", {.name = "banded", .lower = 1, .upper = 12}),
       "a band with 12 diagonals above the main one for a state of 12 (a matrix has from 0 to 11) "
       "give those, or band_of(problem)?");
  const chain_pattern small(5);
  says(q,
       any_method("bdf5", {.name = "gmres_ilu0", .pattern = any_pattern(small.starts, small.rows)}),
       "a sparsity pattern of size 5 for a state of 12 (a Jacobian is square) give one of the "
       "state's size?");
  says(of_chain(chain_with_vjp()), any_method("bdf5", {.name = "gmres"}),
       "algebra gmres on callbacks without a jvp (it solves by products with the Jacobian) give "
       "it, or by_finite_differences?");
  says(of_chain(chain_with_band()), any_method("bdf5", {.name = "gmres_ilu0"}),
       "algebra gmres_ilu0 on callbacks without a jvp (it solves by products with the Jacobian) "
       "give it, or by_finite_differences?");
  says(of_chain(chain_alone()), any_method("bdf5", {.name = "banded", .lower = 1, .upper = 1}),
       "algebra banded on callbacks without a Jacobian in its shape (it would be n × n) give "
       "banded_jacobian, jvp or vjp, or by_finite_differences?");
}

TEST_CASE("ensembles with every pair have the bits of their solves, on however many threads") {
  any_problem q = erased_chain();
  q.t1 = 0.05;
  std::vector<any_point> points(4);
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k].p = {40 - 10 * static_cast<double>(k), static_cast<double>(k % 3)};
    if (k % 2 == 1) points[k].y0 = any_state(12, 0.1 * static_cast<double>(k));
  }
  const any_loss sum = [](const any_solution& s, any_cotangents& bar) {
    bar.y = any_state(12, 1.0);
    double all = 0;
    for (const double y : s.y) all += y;
    return all;
  };
  std::vector<any_method> methods = pairs();
  methods.push_back(any_method("bdf5", {.name = "banded"}));  // found of each
  methods.push_back(any_method("rodas5p", {.name = "banded"}));
  for (const any_method& m : methods) {
    CAPTURE(m.name());
    CAPTURE(m.algebra().name);
    std::vector<any_value_and_gradient> alone;
    for (const any_point& point : points) {
      any_problem one = q;
      if (!point.y0.empty()) one.y0 = point.y0;
      one.p = point.p;
      alone.push_back(value_and_gradient(one, m, o, sum, {.slots = 4}));
    }
    const auto solved = solve_each(q, m, o, points, 1);
    const auto pulled = value_and_gradient_each(q, m, o, points, sum, {.slots = 4}, 4);
    for (std::size_t k = 0; k < points.size(); ++k) {
      CHECK(solved[k].y == alone[k].solution.y);
      REQUIRE(pulled[k].gradient);
      CHECK(pulled[k].gradient->y0 == alone[k].gradient->y0);
      CHECK(pulled[k].gradient->p == alone[k].gradient->p);
    }
  }
  CHECK_THROWS_WITH_AS(solve_each(q, any_method("bdf5", {.name = "bandet"}), o, points),
                       "unknown algebra 'bandet' (it is not among any_algebra_names()) did you "
                       "mean 'banded'?",
                       std::invalid_argument);
}

TEST_CASE("callbacks on a pattern share it between threads, also one that was made by rows") {
  const auto by_rows = std::make_shared<const sparsity>(sparsity_of(template_chain()));
  any_callbacks c = chain_with_jvp();
  c.sparse_jacobian = [](double, auto y, auto p, auto entries) {  // by columns, each downwards
    std::size_t e = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (j > 0) entries[e++] = 0.75 * p[0];
      entries[e++] = on_diagonal(y, p, j);
      if (j + 1 < y.size()) entries[e++] = 1.25 * p[0];
    }
  };
  const any_problem q = of_chain(c);
  const std::vector<any_point> points(6);
  const any_method m("bdf5", {.name = "gmres_ilu0", .pattern = by_rows});
  const auto all = solve_each(q, m, o, points, 4);
  for (const any_solution& s : all) CHECK(s.y == all[0].y);
  const any_state dense = solve(q, "bdf5", o).y;
  for (std::size_t i = 0; i < dense.size(); ++i) CHECK(std::abs(all[0].y[i] - dense[i]) < 2e-6);
}

TEST_CASE("other adjoints, and patterns that are none, are refused with another algebra") {
  CHECK_THROWS_WITH_AS(
      solve(erased_chain(), any_method("rodas5p", {.name = "banded"}), o, any_adjoint{"gauss"}),
      "adjoint gauss with algebra banded (gradients by it are those of recursive_checkpoint) take "
      "that, or the algebra dense?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      any_pattern(std::vector<int>{0, 2, 1}, std::vector<int>{0, 1}),
      "a sparsity pattern of 2 rows whose starts are not from 0 to that, in order (column j has "
      "the rows starts[j] to starts[j + 1] - 1) give n + 1 of them?",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(any_pattern(of_chain(chain_with_jvp())),
                       "the pattern of a field of callbacks (they do not tell where their Jacobian "
                       "is not 0) give its starts and rows?",
                       std::invalid_argument);
}

}  // namespace
}  // namespace revode
