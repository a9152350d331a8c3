// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <revode/problems/catalog.hpp>
#include <revode/problems/erased_massive_field.hpp>

using namespace revode;

namespace {

std::string misuse_of(std::string_view spec) {
  try {
    make_problem(spec);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no misuse";
}

/// Every problem at a size for tests, but those of M y' = f, whose fields are asked as erased_massive_field.
std::vector<erased_problem> small_problems() {
  std::vector<erased_problem> problems;
  for (const catalog_entry& entry : catalog()) {
    const std::string name(entry.name);
    if (!entry.massive)
      problems.push_back(make_problem(entry.default_size > 0 ? name + ":7" : name));
  }
  return problems;
}

/// A vector without structure, elements in [-1, 1].
Eigen::VectorXd scattered(Eigen::Index n, double seed) {
  Eigen::VectorXd v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = std::sin(seed + 7.3 * static_cast<double>(i * i + i));
  return v;
}

}  // namespace

TEST_CASE("the catalog lists each problem once, with a summary and a source") {
  std::set<std::string_view> names;
  for (const catalog_entry& entry : catalog()) {
    CHECK(names.insert(entry.name).second);
    CHECK(!entry.summary.empty());
    CHECK(!entry.source.empty());
  }
  for (const char* name : {"decay",
                           "harmonic",
                           "rotation",
                           "lotka_volterra",
                           "lorenz",
                           "vdpol",
                           "brusselator",
                           "brusselator_1d",
                           "arenstorf",
                           "pleiades",
                           "lorenz96",
                           "kepler",
                           "heat_1d",
                           "burgers_1d",
                           "neural_spiral",
                           "rober",
                           "orego",
                           "hires",
                           "vdpol_stiff",
                           "pollu",
                           "e5",
                           "ring_modulator",
                           "beam",
                           "cusp",
                           "medakzo",
                           "nand",
                           "brusselator_2d",
                           "bouncing_ball",
                           "detest",
                           "chemakzo",
                           "transamp",
                           "rober_dae",
                           "pendulum_index1",
                           "car_axis",
                           "pendulum_index2",
                           "pendulum_index3",
                           "andrews",
                           "fekete",
                           "water_tube",
                           "two_bit_adder",
                           "battery_cell",
                           "advection_diffusion_3d"}) {
    CHECK(names.count(name) == 1);
  }
}

TEST_CASE("a stiff problem brings the absolute tolerance of its literature") {
  CHECK(make_problem("rober").stiff());
  CHECK(make_problem("rober").atol(1e-4) == doctest::Approx(1e-10).epsilon(1e-15));
  CHECK(!make_problem("lorenz").stiff());
}

TEST_CASE("every problem of the catalog is complete and its field is finite at the start") {
  for (const catalog_entry& entry : catalog()) {
    const erased_problem problem = make_problem(entry.name);
    CAPTURE(problem.name);
    const Eigen::Index n = problem.y0.size();
    Eigen::VectorXd dy = Eigen::VectorXd::Constant(n, NAN);
    CHECK(problem.has_mass() == entry.massive);
    if (problem.has_mass())
      erased_massive_field(problem.f)(problem.t0, problem.y0, problem.p, dy);
    else
      problem.f(problem.t0, problem.y0, problem.p, dy);

    CHECK(problem.name == entry.name);
    CHECK(problem.t0 < problem.t1);
    CHECK(static_cast<Eigen::Index>(problem.labels.size()) == n);
    CHECK(all_finite(dy));
    CHECK(problem.digits >= (problem.stiff() ? 9 : 12));
    CHECK(problem.reference.size() > 0);
    CHECK(static_cast<Eigen::Index>(problem.reference_components.size()) ==
          problem.reference.size());
    for (const int i : problem.reference_components) CHECK((i >= 0 && i < n));
  }
}

TEST_CASE("a spec gives the size or the eccentricity behind a colon") {
  CHECK(make_problem("lorenz96").y0.size() == 40);
  CHECK(make_problem("lorenz96:6").y0.size() == 6);
  CHECK(make_problem("brusselator_1d").y0.size() == 1000);
  CHECK(make_problem("brusselator_1d:3").y0.size() == 6);
  CHECK(make_problem("heat_1d:1").y0.size() == 1);
  CHECK(make_problem("kepler:0.9").y0[0] == doctest::Approx(0.1).epsilon(1e-15));
  CHECK(make_problem("lorenz").labels == std::vector<std::string>{"x", "y", "z"});
  CHECK(make_problem("heat_1d:2").labels == std::vector<std::string>{"y1", "y2"});
}

TEST_CASE("DETEST has twenty-five problems of its sizes, with the solutions that are known") {
  CHECK(make_problem("detest").y0 == make_problem("detest:A1").y0);
  CHECK(make_problem("detest:C4").y0.size() == 51);
  CHECK(make_problem("detest:C5").reference.size() == 30);
  CHECK(make_problem("detest:A1").reference[0] == doctest::Approx(std::exp(-20.0)).epsilon(1e-15));
  CHECK(make_problem("detest:A2").reference[0] ==
        doctest::Approx(1 / std::sqrt(21.0)).epsilon(1e-15));
  CHECK(make_problem("detest:A3").reference[0] ==
        doctest::Approx(std::exp(std::sin(20.0))).epsilon(1e-15));
  const Eigen::VectorXd orbit = make_problem("detest:D3").reference,
                        kepler = make_problem("kepler:0.5").reference;
  for (Eigen::Index i = 0; i < 4; ++i) CHECK(orbit[i] == doctest::Approx(kepler[i]).epsilon(1e-13));
  for (int i = 0; i < 2; ++i)
    CHECK(std::isfinite(make_problem("detest:E5").reference[i]));  // the last of the table
}

TEST_CASE("events and jumps come with their problem") {
  const erased_problem ball = make_problem("bouncing_ball");
  REQUIRE(ball.events.each.size() == 1);
  const erased_event& bounce = ball.events.each[0];
  CHECK(bounce.name == "bounce");
  CHECK(bounce.direction == crossing::falling);
  CHECK(!bounce.terminal);
  Eigen::VectorXd y(2), behind(2);
  y << 0.5, -2;
  behind = y;
  CHECK(bounce.condition(0.0, y, ball.p) == 0.5);
  bounce.jump(0.0, y, ball.p, behind);
  CHECK(behind[0] == 0.5);
  CHECK(behind[1] == doctest::Approx(1.6).epsilon(1e-15));
  CHECK(make_problem("emep").jumps.size() == 12);
  CHECK(make_problem("nand").jumps.size() == 15);
  CHECK(make_problem("brusselator_2d").jumps == std::vector<double>{1.1});
  CHECK(make_problem("lorenz").jumps.empty());
  CHECK(make_problem("lorenz").events.empty());
}

TEST_CASE("a reference belongs to its size") {
  CHECK(make_problem("lorenz96:41").reference.size() == 0);
  CHECK(make_problem("lorenz96:41").reference_components.empty());
  CHECK(make_problem("brusselator_1d:40").reference.size() == 0);
  CHECK(make_problem("brusselator_1d:40").reference_components.empty());
  CHECK(make_problem("heat_1d:41").reference.size() == 41);
}

TEST_CASE("misuse says what is wrong and what to write") {
  CHECK(misuse_of("lorentz") ==
        "unknown problem 'lorentz' (not in the list of named problems) did you mean 'lorenz'?");
  CHECK(misuse_of("xyzzy") ==
        "unknown problem 'xyzzy' (not in the list of named problems) run 'revode list problems'?");
  CHECK(
      misuse_of("xy\n\x1bzzy") ==
      "unknown problem 'xy??zzy' (not in the list of named problems) run 'revode list problems'?");
  CHECK(misuse_of(std::string(1000, 'x')).size() < 300);
  CHECK(misuse_of("lorenz:3") ==
        "invalid problem 'lorenz:3' (lorenz takes no argument) did you mean 'lorenz'?");
  CHECK(misuse_of("lorenz96:many") ==
        "invalid size 'many' in 'lorenz96:many' (a whole number from 4 to 10000000 is needed) "
        "did you mean 'lorenz96:40'?");
  CHECK(misuse_of("heat_1d:0") ==
        "invalid size '0' in 'heat_1d:0' (a whole number from 1 to 10000000 is needed) "
        "did you mean 'heat_1d:100'?");
  CHECK(misuse_of("kepler:1") ==
        "invalid eccentricity '1' in 'kepler:1' (an ellipse needs 0 <= e < 1) "
        "did you mean 'kepler:0.5'?");
  CHECK(misuse_of("detest:B6") ==
        "unknown number 'B6' in 'detest:B6' (there are A1 to A5, B1 to B5, up to E5) did you mean "
        "'detest:A1'?");
  for (const char* spec : {"lorenz96:", "lorenz96:5x", "lorenz96:99999999999", "heat_1d:-3",
                           "kepler:nan", "kepler:", ":", "", "lorenz:"}) {
    CAPTURE(std::string(spec));
    CHECK(misuse_of(spec) != "no misuse");
  }
}

TEST_CASE("the nearest name counts letters inserted, deleted, replaced and swapped") {
  const std::vector<std::string_view> known{"lorenz", "lorenz96", "vdpol", "kepler"};

  CHECK(nearest_name("lorenz9", known) == "lorenz");  // one letter from both: the first
  CHECK(nearest_name("lorenz69", known) == "lorenz96");
  CHECK(nearest_name("vdlop", known) == "vdpol");
  CHECK(nearest_name("keppler", known) == "kepler");
  CHECK(nearest_name("", known) == "");
  CHECK(nearest_name("tsit5", known) == "");
  CHECK(nearest_name("any", {}) == "");
}

TEST_CASE("every problem obeys the dot-product law: w (J v) = (J^T w) v") {
  for (const erased_problem& problem : small_problems()) {
    CAPTURE(problem.name);
    const Eigen::Index n = problem.y0.size(), np = problem.p.size();
    const Eigen::VectorXd y = problem.y0 + 0.1 * scattered(n, 1), w = scattered(n, 2);
    const Eigen::VectorXd dy = scattered(n, 3), dp = scattered(np, 4);
    const double t = 0.5 * problem.t1, dt = 0.7;
    Eigen::VectorXd out(n), gy = Eigen::VectorXd::Zero(n), gp = Eigen::VectorXd::Zero(np);
    double gt = 0;

    problem.f.jvp(t, y, problem.p, dt, dy, dp, out);
    problem.f.vjp(t, y, problem.p, w, gt, gy, gp);

    const double left = dot(w, out), right = gt * dt + dot(gy, dy) + dot(gp, dp);
    const double pulled = std::sqrt(gt * gt + dot(gy, gy) + dot(gp, gp));
    const double pushed = std::sqrt(dot(out, out));
    CHECK(pushed > 0);
    CHECK(std::abs(left - right) <=
          2e-15 * (std::sqrt(dot(w, w)) * pushed +
                   pulled * std::sqrt(dt * dt + dot(dy, dy) + dot(dp, dp))));
  }
}

TEST_CASE("every problem: the Jacobian's columns are pushed unit vectors, bit for bit") {
  for (const erased_problem& problem : small_problems()) {
    CAPTURE(problem.name);
    const Eigen::Index n = problem.y0.size();
    const Eigen::VectorXd y = problem.y0 + 0.1 * scattered(n, 1), still;
    Eigen::MatrixXd jac;
    problem.f.jacobian(0.0, y, problem.p, jac);

    Eigen::VectorXd column(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      problem.f.jvp(0.0, y, problem.p, 0.0, Eigen::VectorXd::Unit(n, j), still, column);
      for (Eigen::Index i = 0; i < n; ++i) CHECK(jac(i, j) == column[i]);
    }
  }
}

TEST_CASE("every problem: the second derivative of w f is symmetric") {
  for (const erased_problem& problem : small_problems()) {
    CAPTURE(problem.name);
    const Eigen::Index n = problem.y0.size(), np = problem.p.size();
    const Eigen::VectorXd y = problem.y0 + 0.1 * scattered(n, 1), w = scattered(n, 2);
    derivatives<erased_field, Eigen::VectorXd, Eigen::VectorXd> d;
    const auto hessian_times = [&](const Eigen::VectorXd& k) {
      Eigen::VectorXd gy = Eigen::VectorXd::Zero(n), gp = Eigen::VectorXd::Zero(np);
      double gt = 0;
      d.second(problem.f, 0.0, y, problem.p, w, 0.0, k, &gt, gy, gp);
      return gy;
    };
    const Eigen::VectorXd a = scattered(n, 3), b = scattered(n, 4);

    const Eigen::VectorXd ha = hessian_times(a), hb = hessian_times(b);

    CHECK(std::abs(dot(b, ha) - dot(a, hb)) <=
          1e-14 * (std::sqrt(dot(ha, ha) * dot(b, b)) + std::sqrt(dot(hb, hb) * dot(a, a))));
  }
}
