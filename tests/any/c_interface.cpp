// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <any/problems.hpp>
#include <revode/schedule/all.hpp>

namespace revode {
namespace {

int f(double t, const double* y, const double* p, double* dy, void*) {
  predators{}(t, y, p, dy);
  return 0;
}
int vjp(double, const double* y, const double* p, const double* w, double*, double* gy, double* gp,
        void*) {
  predators_with_vjp().vjp(0, {y, 2}, {p, 4}, {w, 2}, *gy, {gy, 2}, {gp, 4});
  return 0;
}
/// Returns 7 from the k-th call on.
int failing(double t, const double* y, const double* p, double* dy, void* calls) {
  if (--*static_cast<int*>(calls) < 0) return 7;
  return f(t, y, p, dy, nullptr);
}

/// An object of C's, freed at the end.
template <class T, void (*Free)(T*)>
struct owned {
  T* it = nullptr;
  owned() = default;
  owned(const owned&) = delete;
  owned& operator=(const owned&) = delete;
  ~owned() { Free(it); }
};
using problem_of_c = owned<revode_problem, revode_problem_free>;
using solution_of_c = owned<revode_solution, revode_solution_free>;

const double y0[] = {1.0, 1.5}, p[] = {1.5, 1.0, 3.0, 1.0}, weights[] = {1.0, -2.0};

void make(problem_of_c& q) {
  REQUIRE(revode_problem_new(2, y0, 4, p, 0, 3, f, nullptr, &q.it) == REVODE_OK);
  REQUIRE(revode_problem_set_vjp(q.it, vjp) == REVODE_OK);
}

struct gradient_of_c {
  double of_y0[2] = {}, of_p[4] = {};
  revode_gradient g = REVODE_GRADIENT;
  gradient_of_c() {
    g.y0 = of_y0;
    g.p = of_p;
  }
};

TEST_CASE("C gets the bits of C++: solves, dense output, gradients") {
  problem_of_c q;
  make(q);
  revode_options o = REVODE_OPTIONS;
  const double ts[] = {0.5, 2.5};
  o.save_ts = ts;
  o.save_count = 2;
  options same;
  same.save.ts = {0.5, 2.5};
  const auto expected =
      solve(of(predators_with_vjp()), "tsit5", same, recursive_checkpoint{.slots = 5});
  solution_of_c s;
  revode_adjoint adjoint = REVODE_ADJOINT;
  adjoint.slots = 5;
  REQUIRE(revode_solve_differentiable(q.it, "tsit5", &o, &adjoint, &s.it) == REVODE_OK);
  CHECK(revode_solution_status(s.it) == 0);
  CHECK(std::string(revode_status_name(0)) == "success");
  double y[2], t = 0;
  REQUIRE(revode_solution_y(s.it, y) == REVODE_OK);
  CHECK(std::memcmp(y, expected.y.data(), sizeof y) == 0);
  REQUIRE(revode_solution_save_count(s.it) == 2);
  REQUIRE(revode_solution_save(s.it, 1, &t, y) == REVODE_OK);
  CHECK(t == 2.5);
  CHECK(std::memcmp(y, expected.ys[1].data(), sizeof y) == 0);
  revode_statistics told = REVODE_STATISTICS;
  REQUIRE(revode_solution_statistics(s.it, &told) == REVODE_OK);
  CHECK(told.accepted == expected.stats.accepted);

  const double ys_bar[] = {0.5, 0.25, -1, 2};
  gradient_of_c mine;
  REQUIRE(revode_solution_pullback(s.it, weights, ys_bar, nullptr, &mine.g) == REVODE_OK);
  const auto bar = expected.pullback({.y = any_state{1.0, -2.0}, .ys = {{0.5, 0.25}, {-1.0, 2.0}}});
  CHECK(std::memcmp(mine.of_p, bar.p.data(), sizeof mine.of_p) == 0);
  CHECK(std::memcmp(mine.of_y0, bar.y0.data(), sizeof mine.of_y0) == 0);
  CHECK(mine.g.t1 == bar.t1);
  CHECK(mine.g.peak_states == bar.reverse.peak_states);

  solution_of_c dense;
  REQUIRE(revode_solve_dense(q.it, "dop853", nullptr, &dense.it) == REVODE_OK);
  const auto path = solve(of(predators_with_vjp()), "dop853", options{}, dense_output{});
  REQUIRE(revode_solution_at(dense.it, 1.2, 0, y) == REVODE_OK);
  CHECK(std::memcmp(y, path(1.2).data(), sizeof y) == 0);
  REQUIRE(revode_solution_derivative(dense.it, 1.2, 0, y) == REVODE_OK);
  CHECK(std::memcmp(y, path.derivative(1.2).data(), sizeof y) == 0);
}

TEST_CASE("tolerances of each component from C") {
  problem_of_c q;
  make(q);
  const double rtols[] = {1e-4, 1e-7}, atols[] = {1e-3, 1e-9};
  revode_options o = REVODE_OPTIONS;
  o.rtols = rtols;
  o.atols = atols;
  o.rtol_count = o.atol_count = 2;
  solution_of_c s;
  REQUIRE(revode_solve(q.it, "tsit5", &o, &s.it) == REVODE_OK);
  options same;
  same.norm.rtol = {1e-4, 1e-7};
  same.norm.atol = {1e-3, 1e-9};
  const auto expected = solve(of(predators_with_vjp()), "tsit5", same);
  double y[2];
  REQUIRE(revode_solution_y(s.it, y) == REVODE_OK);
  CHECK(std::memcmp(y, expected.y.data(), sizeof y) == 0);
  solution_of_c none;
  o.atol_count = 1;
  CHECK(revode_solve(q.it, "tsit5", &o, &none.it) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()).find("1 ") != std::string::npos);
}

TEST_CASE("every method, adjoint, schedule and named problem can be reached from C") {
  revode_options o = REVODE_OPTIONS;
  o.fixed_step = 0.05;
  std::size_t methods = 0;
  for (; const char* method = revode_method_name(methods); ++methods) {
    CAPTURE(method);
    const bool halves = takes_halves(method);
    const char* const of = halves                ? "kepler"
                           : takes_parts(method) ? "burgers_1d:4"
                                                 : "lotka_volterra";
    problem_of_c q;
    REQUIRE(revode_problem_named(of, &q.it) == REVODE_OK);
    double from = 0;
    REQUIRE(revode_problem_get(q.it, nullptr, nullptr, &from, nullptr) == REVODE_OK);
    REQUIRE(revode_problem_set(q.it, nullptr, nullptr, from, from + 1) == REVODE_OK);
    solution_of_c s;
    REQUIRE(revode_solve_differentiable(q.it, method, &o, nullptr, &s.it) == REVODE_OK);
    std::vector<double> w(halves || takes_parts(method) ? 4 : 2, 1.0);
    gradient_of_c mine;
    mine.g.y0 = nullptr;
    mine.g.p = nullptr;
    REQUIRE(revode_solution_pullback(s.it, w.data(), nullptr, nullptr, &mine.g) == REVODE_OK);
    CHECK(mine.g.status == 0);
    CHECK(std::isfinite(mine.g.t1));
  }
  CHECK(methods == any_method_names().size());

  problem_of_c q;
  make(q);
  gradient_of_c first;
  for (std::size_t i = 0; const char* schedule = revode_schedule_name(i); ++i) {
    CAPTURE(schedule);
    revode_adjoint adjoint = REVODE_ADJOINT;
    adjoint.schedule = schedule;
    if (std::strncmp(schedule, "store", 5) != 0) adjoint.slots = 6;
    if (std::strcmp(schedule, "two_tier") == 0) adjoint.slow_slots = 3;
    solution_of_c s;
    REQUIRE(revode_solve_differentiable(q.it, "bosh3", nullptr, &adjoint, &s.it) == REVODE_OK);
    gradient_of_c mine;
    REQUIRE(revode_solution_pullback(s.it, weights, nullptr, nullptr, &mine.g) == REVODE_OK);
    if (i == 0) std::memcpy(first.of_p, mine.of_p, sizeof first.of_p);
    CHECK(std::memcmp(first.of_p, mine.of_p, sizeof first.of_p) == 0);
  }
  for (std::size_t i = 0; const char* name = revode_adjoint_name(i); ++i) {
    CAPTURE(name);
    revode_adjoint adjoint = REVODE_ADJOINT;
    adjoint.name = name;
    solution_of_c s;
    const char* method = std::strcmp(name, "reversible") == 0 ? "reversible_heun" : "tsit5";
    REQUIRE(revode_solve_differentiable(q.it, method, nullptr, &adjoint, &s.it) == REVODE_OK);
    gradient_of_c mine;
    REQUIRE(revode_solution_pullback(s.it, weights, nullptr, nullptr, &mine.g) == REVODE_OK);
    CHECK(mine.g.status == 0);
    CHECK(std::abs(mine.of_p[0] - first.of_p[0]) < 1e-2);
  }
  std::size_t problems = 0;
  for (; const char* name = revode_problem_name(problems); ++problems) {
    problem_of_c named;
    CHECK(revode_problem_named(std::string(name) == "detest" ? "detest:A1" : name, &named.it) ==
          REVODE_OK);
    int n = 0;
    CHECK(revode_problem_sizes(named.it, &n, nullptr) == REVODE_OK);
    CHECK(n > 0);
  }
  CHECK(problems > 20);
}

/// x' = −p0 x + y, 0 = x + y − p1
int reaction(double, const double* y, const double* p, double* dy, void*) {
  dy[0] = y[1] - p[0] * y[0];
  dy[1] = y[0] + y[1] - p[1];
  return 0;
}
int reaction_vjp(double, const double* y, const double* p, const double* w, double*, double* gy,
                 double* gp, void*) {
  gy[0] += w[1] - p[0] * w[0];
  gy[1] += w[0] + w[1];
  gp[0] -= y[0] * w[0];
  gp[1] -= w[1];
  return 0;
}

TEST_CASE("a mass matrix from C: x' = 2 - (1 + k) x is what remains") {
  problem_of_c q;
  const double start[] = {1, 0}, rates[] = {0.5, 2}, mass[] = {1, 0, 0, 0};
  REQUIRE(revode_problem_new(2, start, 2, rates, 0, 1, reaction, nullptr, &q.it) == REVODE_OK);
  REQUIRE(revode_problem_set_vjp(q.it, reaction_vjp) == REVODE_OK);
  REQUIRE(revode_problem_set_mass(q.it, mass) == REVODE_OK);
  revode_options o = REVODE_OPTIONS;
  o.rtol = 1e-10;
  o.atol = 1e-12;
  solution_of_c s;
  REQUIRE(revode_solve_differentiable(q.it, "radau_iia5", &o, nullptr, &s.it) == REVODE_OK);
  double y[2];
  REQUIRE(revode_solution_y(s.it, y) == REVODE_OK);
  const double decay = std::exp(-1.5), rest = 2 / 1.5;
  CHECK(y[0] == doctest::Approx(rest + (1 - rest) * decay).epsilon(1e-9));
  CHECK(y[1] == doctest::Approx(2 - y[0]).epsilon(1e-12));
  const double of_x[] = {1, 0};
  gradient_of_c mine;
  REQUIRE(revode_solution_pullback(s.it, of_x, nullptr, nullptr, &mine.g) == REVODE_OK);
  CHECK(mine.of_p[1] == doctest::Approx((1 - decay) / 1.5).epsilon(1e-8));
  CHECK(mine.of_y0[0] == doctest::Approx(decay).epsilon(1e-8));
  CHECK(mine.of_y0[1] == 0);  // it is where the search for the consistent state begins

  solution_of_c none;
  CHECK(revode_solve(q.it, "tsit5", &o, &none.it) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "method tsit5 for a problem with a mass matrix (M y' = f is solved by rodas3, rodas3p, "
        "rodas4, rodas4p, rodas4p2, rodas5, rodas5p, radau_iia5, radau_iia9, radau_iia13, radau, "
        "bdf5, ndf5) take rodas5p?");
  REQUIRE(revode_problem_set_mass(q.it, nullptr) == REVODE_OK);
  CHECK(revode_solve(q.it, "tsit5", &o, &none.it) == REVODE_OK);
}

TEST_CASE("events from C") {
  problem_of_c q;
  make(q);
  revode_event two = REVODE_EVENT;
  two.name = "two";
  two.terminal = 1;
  two.direction = 2;
  two.condition = [](double, const double* y, const double*, double* value, void*) {
    *value = y[1] - 1;
    return 0;
  };
  REQUIRE(revode_problem_add_event(q.it, &two) == REVODE_OK);
  solution_of_c s;
  REQUIRE(revode_solve(q.it, "tsit5", nullptr, &s.it) == REVODE_OK);
  CHECK(std::string(revode_status_name(revode_solution_status(s.it))) == "terminal_event");
  REQUIRE(revode_solution_event_count(s.it) == 1);
  double t = 0;
  int which = -1;
  REQUIRE(revode_solution_event(s.it, 0, &t, &which) == REVODE_OK);
  CHECK(t == revode_solution_t(s.it));
  CHECK(which == 0);
}

TEST_CASE("a struct of an older caller keeps the defaults of what it lacks") {
  problem_of_c q;
  make(q);
  revode_options old = REVODE_OPTIONS;
  old.rtol = 1e-4;
  old.max_steps = 1;  // not known to a caller of this size
  old.size = offsetof(revode_options, max_steps);
  solution_of_c s;
  REQUIRE(revode_solve(q.it, "tsit5", &old, &s.it) == REVODE_OK);
  CHECK(revode_solution_status(s.it) == 0);
  old.size = 3;
  solution_of_c none;
  CHECK(revode_solve(q.it, "tsit5", &old, &none.it) == REVODE_MISUSE);
  CHECK(std::string(revode_last_error()) ==
        "revode_options of 3 bytes (its first member is its size) begin with its initialiser in "
        "revode.h?");
  CHECK(none.it == nullptr);
}

TEST_CASE("what goes wrong is a code and a sentence, and no exception") {
  problem_of_c q;
  make(q);
  solution_of_c s;
  const auto says = [](revode_code code, revode_code expected, const char* text) {
    CHECK(code == expected);
    CHECK(std::string(revode_last_error()) == text);
  };
  says(revode_solve(q.it, "tsit6", nullptr, &s.it), REVODE_MISUSE,
       "unknown method 'tsit6' (it is not among any_method_names()) did you mean 'tsit5'?");
  says(revode_solve(nullptr, "tsit5", nullptr, &s.it), REVODE_MISUSE,
       "the problem is NULL (it is needed) pass what an earlier call gave?");
  says(revode_solve(q.it, nullptr, nullptr, &s.it), REVODE_MISUSE,
       "the method is NULL (it is needed) pass what an earlier call gave?");
  revode_options o = REVODE_OPTIONS;
  o.rtol = -1;
  CHECK(revode_solve(q.it, "tsit5", &o, &s.it) == REVODE_MISUSE);
  says(revode_problem_new(0, y0, 0, nullptr, 0, 1, f, nullptr, &q.it), REVODE_MISUSE,
       "a problem of 0 states and 0 parameters (n >= 1 and np >= 0) pass their numbers?");

  for (const int calls : {0, 1, 9, 40}) {
    problem_of_c broken;
    int left = calls;
    REQUIRE(revode_problem_new(2, y0, 4, p, 0, 3, failing, &left, &broken.it) == REVODE_OK);
    says(revode_solve(broken.it, "tsit5", nullptr, &s.it), REVODE_CALLBACK,
         "the caller's f returned 7 (it ends the call) return 0 to go on?");
    CHECK(s.it == nullptr);
  }
  REQUIRE(revode_solve(q.it, "tsit5", nullptr, &s.it) == REVODE_OK);
  gradient_of_c mine;
  says(revode_solution_pullback(s.it, weights, nullptr, nullptr, &mine.g), REVODE_MISUSE,
       "a gradient of a solution that keeps nothing for it (revode_solve or _dense) solve by "
       "revode_solve_differentiable?");
  double y[2];
  says(revode_solution_at(s.it, 1, 0, y), REVODE_MISUSE,
       "the state at a time of a solution that keeps none (revode_solve) solve by "
       "revode_solve_dense?");
  says(revode_solution_save(s.it, 0, nullptr, y), REVODE_MISUSE,
       "save point 0 of 0 (they are counted from 0) ask for fewer?");
  problem_of_c named;
  REQUIRE(revode_problem_named("lorenz", &named.it) == REVODE_OK);
  says(revode_problem_set_vjp(named.it, vjp), REVODE_MISUSE,
       "the vjp of a named problem (it has its own derivatives) set none?");
  says(revode_problem_set_mass(named.it, y0), REVODE_MISUSE,
       "the mass matrix of a named problem (its field is its own) set none?");
  CHECK(revode_solution_status(nullptr) == -1);
  CHECK(std::isnan(revode_solution_t(nullptr)));
}

}  // namespace
}  // namespace revode
