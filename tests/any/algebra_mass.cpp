// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <any/chain.hpp>
#include <any/same_bits.hpp>
#include <revode/any.hpp>
#include <revode/any/compiled.hpp>
#include <revode/linalg/banded.hpp>
#include <revode/problems/erased_events.hpp>
#include <revode/problems/erased_field.hpp>
#include <revode/revode.hpp>
#include <revode/solve/dense_output.hpp>
#include <revode/solvers/bdf.hpp>
#include <revode/solvers/radau_iia5.hpp>
#include <revode/solvers/rodas5p.hpp>

namespace revode {
namespace {

using vector = Eigen::VectorXd;

constexpr int n = 12;

/// The chain by linear elements: M = tridiag(1, 4, 1)/6, and 0 = y_10 − 2 y_11 at its end.
struct elements {
  [[maybe_unused]] static constexpr const char* name = "elements";

  void operator()(const auto& t, const auto& y, const auto& p, auto& dy) const {
    chain{}(t, y, p, dy);
    dy[n - 1] = y[n - 2] - 2.0 * y[n - 1];
  }
  template <class Matrix>
  void mass(Matrix& m) const {
    for (int i = 0; i + 1 < n; ++i) {
      m(i, i) = 4.0 / 6;
      m(i, i + 1) = 1.0 / 6;
      if (i > 0) m(i, i - 1) = 1.0 / 6;
    }
  }
};

/// With an element of M outside the band of the Jacobian, and one there that is 0.
struct coupled : elements {
  template <class Matrix>
  void mass(Matrix& m) const {
    elements::mass(m);
    m(0, 4) = 0.01;
    m(2, 9) = 0;
  }
};

const any_problem start = of_chain(chain_alone());
const options o{.rtol = 1e-6, .atol = 1e-9};
const any_cotangents weights{.y = any_state{1, -2, 3, -4, 5, -6, 6, -5, 4, -3, 2, -1}};

any_problem erased_elements() {
  any_problem q = start;
  q.f = std::make_shared<const erased_field>(elements{});
  return q;
}
problem<elements, vector, vector> template_elements() {
  return {elements{}, as_vector(start.y0), start.t0, start.t1, as_vector(start.p)};
}

/// The same by callbacks.
any_callbacks elements_by_callbacks() {
  any_callbacks c = chain_with_jvp();
  c.f = [of = c.f](double t, auto y, auto p, auto dy) {
    of(t, y, p, dy);
    dy[n - 1] = y[n - 2] - 2 * y[n - 1];
  };
  c.vjp = [of = c.vjp](double t, auto y, auto p, auto w, double& gt, auto gy, auto gp) {
    any_state others(w.begin(), w.end());
    others[n - 1] = 0;
    of(t, y, p, others, gt, gy, gp);
    gy[n - 2] += w[n - 1];
    gy[n - 1] -= 2 * w[n - 1];
  };
  c.jvp = [of = c.jvp](double t, auto y, auto p, double dt, auto v, auto u, auto out) {
    of(t, y, p, dt, v, u, out);
    out[n - 1] = v[n - 2] - 2 * v[n - 1];
  };
  c.mass.assign(n * n, 0.0);
  mass_entries m;
  elements{}.mass(m);
  for (const mass_entries::written& w : m.all())
    c.mass[static_cast<std::size_t>(w.row * n + w.column)] = w.value;
  return c;
}

/// Those of every pair that takes a mass matrix.
std::vector<any_method> pairs() {
  const chain_pattern of(n);
  std::vector<any_method> all;
  for (const compiled::algebra_entry& e : compiled::algebra_table())
    if (e.kind.massive)
      all.push_back(
          any_method(std::string(e.method), {.name = std::string(e.algebra),
                                             .lower = 1,
                                             .upper = 1,
                                             .pattern = any_pattern(of.starts, of.rows)}));
  return all;
}

template <class M>
void check_bits(const char* name) {
  CAPTURE(name);
  const auto t = template_elements();
  const with_algebra<M, banded> m{{}, {1, 1, true}};
  auto expected = solve(t, m, o, recursive_checkpoint{});
  const auto bar = expected.pullback(as_vector(*weights.y));
  const any_method by_name(name, {.name = "banded"});
  for (const recursive_checkpoint& a : {recursive_checkpoint{}, recursive_checkpoint{.slots = 3}}) {
    const auto s = solve(erased_elements(), by_name, o, a);
    CHECK(s.status == status::success);
    CHECK(same_bits(s.y, expected.y));
    CHECK(s.stats.jacobian_evaluations == expected.stats.jacobian_evaluations);
    CHECK(s.stats.jvp_evaluations == expected.stats.jvp_evaluations);
    CHECK(s.stats.factorizations == expected.stats.factorizations);
    const any_gradient g = s.pullback(weights);
    CHECK(same_bits(g.y0, bar.y0));
    CHECK(same_bits(g.p, bar.p));
  }
  CHECK(same_bits(solve(erased_elements(), by_name, o, dense_output{})(0.2),
                  solve(t, m, o, dense_output{})(0.2)));
}

TEST_CASE("M y' = f with banded matrices has the bits of the templates: solves, gradients") {
  check_bits<bdf5>("bdf5");
  check_bits<rodas5p>("rodas5p");
  check_bits<radau_iia5>("radau_iia5");
}

TEST_CASE(
    "every pair with a mass matrix keeps the dot-product law, in equal bits of every memory") {
  any_tangents along{.y0 = any_state(n), .p = {0.5, -1}};
  for (std::size_t i = 0; i < n; ++i) along.y0[i] = std::cos(static_cast<double>(i));
  REQUIRE(pairs().size() >= 2);
  const any_problem q = erased_elements();
  const any_state dense = solve(q, "radau_iia5", o).y;
  for (const any_method& m : pairs()) {
    CAPTURE(m.name());
    CAPTURE(m.algebra().name);
    const auto s = solve(q, m, o, recursive_checkpoint{});
    REQUIRE(s.status == status::success);
    for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(s.y[i] - dense[i]) < 2e-6);
    const any_gradient g = s.pullback(weights);
    const any_pushed_solution pushed = solve(q, m, o, along);
    double forward = 0, reverse = g.p[0] * 0.5 - g.p[1];
    for (std::size_t i = 0; i < n; ++i) {
      forward += (*weights.y)[i] * pushed.y_dot[i];
      reverse += g.y0[i] * along.y0[i];
    }
    CHECK(std::abs(forward - reverse) < 1e-9 * std::abs(forward));
    std::vector<recursive_checkpoint> memories{{.slots = 2}, {.budget = 60000}};
    memories[0].schedule = schedule_kind::binomial;
    memories[0].log = step_replay::steps;
    for (const recursive_checkpoint& a : memories) {
      const any_gradient again = solve(q, m, o, a).pullback(weights);
      CHECK(again.y0 == g.y0);
      CHECK(again.p == g.p);
    }
  }
}

/// What is left of the middle falls: then more is put there.
struct refill {
  static constexpr const char* name = "refill";
  static constexpr auto direction = crossing::falling;
  auto condition(const auto&, const auto& y, const auto& p) const { return y[5] - p[1] / 12; }
  void jump(const auto&, const auto& y, const auto& p, auto& y_new) const {
    y_new[5] = y[5] + 0.1 * p[1];
  }
};
any_problem eventful_elements() {
  any_problem q = erased_elements();
  q.events = {std::make_shared<const erased_event>(refill{})};
  return q;
}

TEST_CASE("events beside a mass matrix: every pair, to the dense solve, in every memory") {
  const any_problem q = eventful_elements();
  const auto dense = solve(q, "rodas5p", o, recursive_checkpoint{});
  REQUIRE(dense.events.size() >= 2);
  const any_cotangents w{.y = weights.y, .events = any_state(dense.events.size(), 0.5)};
  const any_gradient of_dense = dense.pullback(w);
  for (const any_method& m : pairs()) {
    CAPTURE(m.name());
    CAPTURE(m.algebra().name);
    const auto s = solve(q, m, o, recursive_checkpoint{});
    REQUIRE(s.status == status::success);
    REQUIRE(s.events.size() == dense.events.size());
    for (std::size_t k = 0; k < s.events.size(); ++k)
      CHECK(std::abs(s.events[k].t - dense.events[k].t) < 1e-5);
    const any_gradient g = s.pullback(w),
                       few = solve(q, m, o, recursive_checkpoint{.slots = 3}).pullback(w);
    CHECK(few.y0 == g.y0);
    CHECK(few.p == g.p);
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(g.p[i] == doctest::Approx(of_dense.p[i]).epsilon(1e-3));
  }
}

TEST_CASE("callbacks with a mass matrix solve and differentiate with every pair as types do") {
  const any_problem typed = erased_elements();
  any_problem q = start;
  for (const any_method& m : pairs()) {
    CAPTURE(m.name());
    CAPTURE(m.algebra().name);
    any_callbacks c = elements_by_callbacks();
    c.by_finite_differences = m.name() == "rodas5p";  // second derivatives
    q.f = c;
    const auto a = solve(q, m, o, recursive_checkpoint{.slots = 4}),
               b = solve(typed, m, o, recursive_checkpoint{});
    REQUIRE(a.status == status::success);
    const any_gradient ga = a.pullback(weights), gb = b.pullback(weights);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(std::abs(a.y[i] - b.y[i]) < 1e-9);
      CHECK(std::abs(ga.y0[i] - gb.y0[i]) < 1e-5 * (1 + std::abs(gb.y0[i])));
    }
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(std::abs(ga.p[i] - gb.p[i]) < 1e-5 * (1 + std::abs(gb.p[i])));
  }
}

TEST_CASE(
    "bands and patterns of typed fields hold the mass matrix, which those that are given must") {
  any_problem q = start;
  q.f = std::make_shared<const erased_field>(coupled{});
  const auto pattern = any_pattern(q);
  CHECK(pattern->entries() == n + 2 * (n - 1) + 1);
  CHECK(pattern->find(0, 4) >= 0);
  CHECK(pattern->find(2, 9) < 0);
  const any_state found = solve(q, any_method("bdf5", {.name = "banded"}), o).y;
  CHECK(found == solve(q, any_method("bdf5", {.name = "banded", .lower = 1, .upper = 4}), o).y);
  const any_state dense = solve(q, "radau_iia5", o).y;
  for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(found[i] - dense[i]) < 2e-6);
  CHECK_THROWS_WITH_AS(
      solve(q, any_method("bdf5", {.name = "banded", .lower = 1, .upper = 3}), o),
      "mass(0, 4) outside the band of the Jacobian (systems are with M and it together) give one "
      "that holds both?",
      std::invalid_argument);
  const chain_pattern of(n);
  for (const any_method& m : pairs()) {
    if (m.algebra().name != "klu") continue;
    CHECK_THROWS_WITH_AS(solve(q, m, o),
                         "mass(0, 4) outside the pattern of the Jacobian (systems are with M and "
                         "it together) give one that holds both?",
                         std::invalid_argument);
  }
}

TEST_CASE("what is not compiled with a mass matrix is refused in words") {
  any_problem q = erased_elements();
  const std::string others =
      ") take one of these, leave the algebra out, or solve it by the templates?";
  const auto says = [&](const any_method& m, const std::string& text) {
    CHECK_THROWS_WITH_AS(solve(q, m, o), text.c_str(), std::invalid_argument);
  };
  const std::string three = "(compiled for that: bdf5, rodas5p, radau_iia5" + others;
  says(any_method("radau_iia9", {.name = "banded"}),
       "method radau_iia9 with algebra banded and a mass matrix " + three);
  bool has_klu = false;
  for (const std::string& name : any_algebra_names()) has_klu = has_klu || name == "klu";
  says(any_method("bdf5", {.name = "gmres_ilu0"}),
       std::string("algebra gmres_ilu0 with a mass matrix (compiled for that: dense, banded") +
           (has_klu ? ", klu" : "") + others);
  q.events = eventful_elements().events;
  says(any_method("radau_iia9", {.name = "banded"}),
       "method radau_iia9 with algebra banded and events and a mass matrix " + three);
  says(
      any_method("bdf5", {.name = "gmres"}),
      std::string("algebra gmres with events and a mass matrix (compiled for that: dense, banded") +
          (has_klu ? ", klu" : "") + others);
  any_callbacks bare = elements_by_callbacks();
  bare.vjp = {};
  bare.jvp = {};
  bare.banded_jacobian = chain_with_band().banded_jacobian;
  q.f = bare;
  q.events.clear();
  says(any_method("bdf5", {.name = "banded", .lower = 1, .upper = 1}),
       "algebra banded with a mass matrix on callbacks without vjp and jvp (a consistent start "
       "takes all of the Jacobian) give one of them, or by_finite_differences?");
}

}  // namespace
}  // namespace revode
