// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <any/same_bits.hpp>
#include <revode/any.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/problems/chemakzo.hpp>
#include <revode/problems/pendulum_index3.hpp>
#include <revode/problems/transamp.hpp>
#include <revode/revode.hpp>
#include <revode/solve/dense_output.hpp>

namespace revode {
namespace {

using vector = Eigen::VectorXd;

/// The problem over Eigen's vectors, of its own type.
template <class F>
problem<F, vector, vector> typed(const F& f, double t1) {
  const erased_problem q = named::erase(f);
  return {f, q.y0, q.t0, t1, q.p};
}

any_problem shorter(const char* name, double t1) {
  any_problem q = named_problem(name);
  q.t1 = t1;
  return q;
}

const std::vector<std::string> massive_methods{"rodas3",     "rodas4",      "rodas5p", "radau_iia5",
                                               "radau_iia9", "radau_iia13", "radau",   "bdf5"};

/// rober_dae: y1' = −p0 y1 + p2 y2 y3, y2' = p0 y1 − p2 y2 y3 − p1 y2², 0 = y1 + y2 + y3 − 1.
any_callbacks robertson() {
  return {.f =
              [](double, auto y, auto p, auto dy) {
                dy[0] = -p[0] * y[0] + p[2] * y[1] * y[2];
                dy[1] = p[0] * y[0] - p[2] * y[1] * y[2] - p[1] * y[1] * y[1];
                dy[2] = y[0] + y[1] + y[2] - 1;
              },
          .vjp =
              [](double, auto y, auto p, auto w, double&, auto gy, auto gp) {
                const double d = w[0] - w[1];
                gy[0] += -p[0] * d + w[2];
                gy[1] += p[2] * y[2] * d - 2 * p[1] * y[1] * w[1] + w[2];
                gy[2] += p[2] * y[1] * d + w[2];
                gp[0] -= y[0] * d;
                gp[1] -= y[1] * y[1] * w[1];
                gp[2] += y[1] * y[2] * d;
              },
          .mass = {1, 0, 0, 0, 1, 0, 0, 0, 0}};
}
any_problem of(const any_callbacks& c) {
  return {.f = c, .y0 = {1, 0, 0}, .t1 = 40, .p = {0.04, 3e7, 1e4}};
}

TEST_CASE("M y' = f by name has the bits of the templates: solves and dense output") {
  const options o{.rtol = 1e-6, .atol = 1e-8};
  const auto q = typed(transamp{}, 0.01);
  const any_problem named = shorter("transamp", 0.01);
  CHECK(named.f.has_mass());
  CHECK(same_bits(solve(named, "rodas5p", o).y, solve(q, rodas5p{}, o).y));
  CHECK(same_bits(solve(named, "automatic", o).y, solve(q, rodas5p{}, o).y));
  CHECK(same_bits(solve(named, "radau_iia5", o).y, solve(q, radau_iia5{}, o).y));
  CHECK(same_bits(solve(named, "bdf5", o).y, solve(q, bdf5{}, o).y));
  auto expected = solve(q, radau_iia5{}, o, dense_output{});
  const auto path = solve(named, "radau_iia5", o, dense_output{});
  CHECK(same_bits(path(0.0042), expected(0.0042)));
  CHECK(same_bits(path.derivative(0.0042), expected.derivative(0.0042)));
}

TEST_CASE("every method that takes a mass matrix reaches the references") {
  for (const std::string& method : massive_methods)
    for (const char* name : {"chemakzo", "pendulum_index1", "rober_dae"}) {
      CAPTURE(method);
      CAPTURE(name);
      const erased_problem q = make_problem(name);
      const bool loose = method == "rodas3" || method == "bdf5";
      const any_solution s = solve(named_problem(name), method,
                                   options{.rtol = loose ? 1e-7 : 1e-9, .atol = q.atol(1e-9)});
      REQUIRE(s.status == status::success);
      for (int i = 0; i < q.reference.size(); ++i)
        CHECK(s.y[static_cast<std::size_t>(q.reference_components[static_cast<std::size_t>(i)])] ==
              doctest::Approx(q.reference[i]).epsilon(1e-4));
    }
}

TEST_CASE("index 3 by name: the templates' bits, by Radau alone, from callbacks too") {
  const options o{.rtol = 1e-7, .atol = 1e-7};
  const auto q = typed(pendulum_index3{}, 1);
  const any_problem named = shorter("pendulum_index3", 1);
  const auto expected = solve(q, radau_iia5{}, o, recursive_checkpoint{});
  CHECK(same_bits(solve(named, "radau_iia5", o).y, expected.y));
  CHECK(same_bits(solve(named, "automatic", o).y, expected.y));
  const auto bar = solve(q, radau_iia5{}, o, recursive_checkpoint{}).pullback(vector::Ones(5));
  const auto g = solve(named, "radau_iia5", o, recursive_checkpoint{.slots = 3})
                     .pullback({.y = any_state{1, 1, 1, 1, 1}});
  CHECK(same_bits(g.y0, bar.y0));
  CHECK(same_bits(g.p, bar.p));

  any_callbacks by_hand{
      .f =
          [](double, auto y, auto p, auto dy) {
            dy[0] = y[2], dy[1] = y[3];
            dy[2] = -y[4] * y[0], dy[3] = -y[4] * y[1] - p[0] / p[1];
            dy[4] = y[0] * y[0] + y[1] * y[1] - 1;
          },
      .by_finite_differences = true,
      .mass = {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0},
      .index = {1, 1, 2, 2, 3}};
  const any_problem of{.f = by_hand, .y0 = {1, 0, 0, 0, 0}, .t1 = 1, .p = {9.81, 1}};
  const any_solution s = solve(of, "automatic", o);
  REQUIRE(s.status == status::success);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(std::abs(s.y[i] - expected.y[static_cast<Eigen::Index>(i)]) <= 1e-5);
  CHECK_THROWS_WITH_AS(
      solve(named, "rodas5p", o),
      "method rodas5p for a field with an index() above 1 (its estimates and Newton's iteration "
      "weigh all elements alike) take radau_iia5, or differentiate the algebraic equations by t?",
      std::invalid_argument);
  by_hand.mass.clear();
  CHECK_THROWS_WITH_AS(any_field{by_hand},
                       "an index of 5 numbers without a mass matrix (elements of y' = f are all of "
                       "index 1) give any_callbacks::mass, too?",
                       std::invalid_argument);
}

TEST_CASE("gradients of M y' = f by name have the templates' bits, in five states too") {
  const options o{.rtol = 1e-5, .atol = 1e-7};
  const auto q = typed(chemakzo{}, 20);
  const any_problem named = shorter("chemakzo", 20);
  const any_cotangents weights{.y = any_state{1, -2, 3, -4, 5, -6}};
  const vector w{{1, -2, 3, -4, 5, -6}};
  const auto check = [&](const char* name, const auto& method) {
    CAPTURE(name);
    const auto bar = solve(q, method, o, recursive_checkpoint{}).pullback(w);
    for (const recursive_checkpoint& a :
         {recursive_checkpoint{}, recursive_checkpoint{.slots = 5}}) {
      const auto g = solve(named, name, o, a).pullback(weights);
      CHECK(g.status == status::success);
      CHECK(same_bits(g.y0, bar.y0));
      CHECK(same_bits(g.p, bar.p));
      CHECK(g.t1 == bar.t1);
    }
  };
  check("rodas5p", rodas5p{});
  check("radau_iia5", radau_iia5{});
}

TEST_CASE("forward mode agrees with the gradient for every method that takes a mass matrix") {
  const any_problem q = shorter("pendulum_index1", 0.5);
  const any_tangents along{.y0 = {0.3, -0.1, 0.2, 0.5, 1}, .p = {1, -0.5}, .t0 = 0, .t1 = 0.25};
  for (const std::string& method : massive_methods) {
    CAPTURE(method);
    const options o{.rtol = 1e-6, .atol = 1e-8};
    const auto pushed = solve(q, method, o, along);
    const auto g = solve(q, method, o, recursive_checkpoint{.slots = 4})
                       .pullback({.y = any_state{1, 2, 3, 4, 5}});
    double left = 0, right = g.t1 * along.t1;
    for (std::size_t i = 0; i < 5; ++i) {
      left += static_cast<double>(i + 1) * pushed.y_dot[i];
      right += g.y0[i] * along.y0[i];
    }
    for (std::size_t i = 0; i < 2; ++i) right += g.p[i] * along.p[i];
    CHECK(left == doctest::Approx(right).epsilon(1e-9));
  }
}

TEST_CASE("callbacks with a mass matrix solve and differentiate as the typed problem does") {
  const options o{.rtol = 1e-9, .atol = 1e-13};
  any_problem named = named_problem("rober_dae");
  named.t1 = 40;
  CHECK(named.p == of(robertson()).p);
  const any_cotangents weights{.y = any_state{1, 1e4, -2}};
  const auto a = solve(of(robertson()), "automatic", o, recursive_checkpoint{});
  const auto b = solve(named, "radau_iia5", o, recursive_checkpoint{});
  const auto ga = a.pullback(weights), gb = b.pullback(weights);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(a.y[i] == doctest::Approx(b.y[i]).epsilon(1e-8));
    CHECK(ga.p[i] == doctest::Approx(gb.p[i]).epsilon(1e-6));
    CHECK(ga.y0[i] == doctest::Approx(gb.y0[i]).epsilon(1e-6));
  }
  any_state dy;
  of(robertson()).f(0, {1, 0, 0.5}, {0.04, 3e7, 1e4}, dy);
  CHECK(dy == any_state{-0.04, 0.04, 0.5});
  any_callbacks by_differences = robertson();
  by_differences.vjp = {};
  by_differences.by_finite_differences = true;
  CHECK(solve(of(by_differences), "rodas5p", o).y[0] == doctest::Approx(a.y[0]).epsilon(1e-6));
}

TEST_CASE("events cut the solution of M y' = f, and it goes on consistent") {
  any_problem q = shorter("pendulum_index1", 1);
  q.events.push_back(
      any_event_callbacks{.name = "below",
                          .condition = [](double, auto y, auto) { return y[1] + 0.5; },
                          .jump = [](double, auto y, auto,
                                     auto y_new) { y_new[2] = 0.9 * y[2], y_new[3] = 0.9 * y[3]; },
                          .direction = crossing::falling,
                          .passes = true});
  for (const char* method : {"rodas5p", "radau_iia5"}) {
    CAPTURE(method);
    const any_solution s = solve(q, method, options{.rtol = 1e-9, .atol = 1e-11});
    REQUIRE(s.status == status::success);
    REQUIRE(s.events.size() == 1);
    const double residual = s.y[2] * s.y[2] + s.y[3] * s.y[3] -
                            s.y[4] * (s.y[0] * s.y[0] + s.y[1] * s.y[1]) - 9.81 * s.y[1];
    CHECK(std::abs(residual) < 1e-6);
  }
}

TEST_CASE("ensembles of M y' = f on threads have the bits of single solves") {
  const any_problem q = shorter("chemakzo", 10);
  std::vector<any_point> points(3);
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k].p = q.p;
    points[k].p[0] += static_cast<double>(k);
  }
  const auto all = solve_each(q, "rodas4", options{}, points, 2);
  for (std::size_t k = 0; k < points.size(); ++k) {
    any_problem one = q;
    one.p = points[k].p;
    CHECK(all[k].y == solve(one, "rodas4", options{}).y);
  }
}

TEST_CASE("what a mass matrix does not go with is refused in words") {
  const any_problem q = named_problem("transamp");
  const auto says = [](auto&& call, const char* text) {
    CHECK_THROWS_WITH_AS(call(), text, std::invalid_argument);
  };
  says([&] { solve(q, "tsit5", {}); },
       "method tsit5 for a problem with a mass matrix (M y' = f is solved by rodas3, rodas3p, "
       "rodas4, rodas4p, rodas4p2, rodas5, rodas5p, radau_iia5, radau_iia9, radau_iia13, radau, "
       "bdf5, ndf5) take rodas5p?");
  says([&] { solve(q, "kvaerno5", {}, dense_output{}); },
       "method kvaerno5 for a problem with a mass matrix (M y' = f is solved by rodas3, rodas3p, "
       "rodas4, rodas4p, rodas4p2, rodas5, rodas5p, radau_iia5, radau_iia9, radau_iia13, radau, "
       "bdf5, ndf5) take rodas5p?");
  says([&] { solve(q, "rodas5p", {}, any_adjoint{"gauss"}); },
       "adjoint gauss for a problem with a mass matrix (its algebraic variables are followed by "
       "recursive_checkpoint alone) take that?");
  any_callbacks wrong = robertson();
  wrong.mass = {1, 0, 0};
  says([&] { of(wrong); },
       "a mass matrix of 3 numbers (it has n × n, row by row) give a square of them?");
  wrong.mass = {1, 0, 0, 0};
  says([&] { solve(of(wrong), "rodas5p", {}); },
       "a mass matrix of 4 numbers for 3 states (it has n × n, row by row) give 9?");
  any_callbacks bare{.f = robertson().f, .mass = robertson().mass};
  says([&] { solve(of(bare), "automatic", {}); },
       "method rodas5p on callbacks without a Jacobian (its stages are implicit) give jacobian, "
       "jvp or vjp, or by_finite_differences?");
  wrong.mass = {1, 0, 0, 0, NAN, 0, 0, 0, 0};
  says([&] { solve(of(wrong), "radau_iia5", {}); },
       "mass(1, 1) that is not finite (M is constant) write numbers to it?");
}

}  // namespace
}  // namespace revode
