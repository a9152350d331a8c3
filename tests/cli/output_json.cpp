// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include <cli/run.hpp>
#include <revode/problem.hpp>
#include <revode/problems/catalog.hpp>
#include <revode/problems/lorenz.hpp>
#include <revode/solve/solve.hpp>
#include <revode/solvers/explicit/runge_kutta.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode::cli {
namespace {

std::vector<std::string> keys(const nlohmann::ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& item : object.items()) names.push_back(item.key());
  return names;
}

TEST_CASE("solve --json reads back to the bits of the library's own solve") {
  const problem q{lorenz{}, lorenz{}.y0(), 0.0, 10.0, lorenz{}.parameters()};
  const auto s = solve(q, tsit5{}, options{.save = {.ts = {2.5, 7.5}}});

  const outcome o = run("solve lorenz --method tsit5 --save-at 2.5,7.5 --json");
  const auto j = o.json();

  CHECK(o.exit_status == 0);
  CHECK(o.err.empty());
  CHECK(j["status"] == "success");
  CHECK(j["t"].get<double>() == 10);
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    CHECK(j["y"][k].get<double>() == s.y[i]);
    CHECK(j["ys"][0][k].get<double>() == s.ys[0][i]);
    CHECK(j["ys"][1][k].get<double>() == s.ys[1][i]);
  }
  CHECK(j["ts"].get<std::vector<double>>() == s.ts);
  CHECK(j["stats"]["accepted"].get<index>() == s.stats.accepted);
  CHECK(j["stats"]["rejected"].get<index>() == s.stats.rejected);
  CHECK(j["stats"]["field_evaluations"].get<index>() == s.stats.field_evaluations);
}

TEST_CASE("the keys of solve and grad come in the documented order") {
  const auto j = run("grad decay --json").json();

  CHECK(keys(j) == std::vector<std::string>{"problem", "method", "status", "t", "y", "ts", "ys",
                                            "stats", "loss", "gradient", "reverse"});
  CHECK(keys(j["stats"]) == std::vector<std::string>{"accepted", "rejected", "field_evaluations",
                                                     "jacobian_evaluations", "factorizations",
                                                     "linear_solves", "newton_iterations",
                                                     "jvp_evaluations", "seconds"});
  CHECK(keys(j["gradient"]) == std::vector<std::string>{"y0", "p", "t0", "t1", "error"});
  CHECK(keys(j["reverse"]) ==
        std::vector<std::string>{"schedule", "slots", "peak_states", "peak_bytes", "log_bytes",
                                 "snapshots_written", "replayed_steps", "pulled_steps",
                                 "field_evaluations", "vjp_evaluations", "seconds", "status"});
  CHECK(j["reverse"]["status"] == "success");
}

TEST_CASE("a solve that does not reach its end prints what it has and exits with 1") {
  const outcome o = run("grad lorenz --max-steps 5 --slots 3 --json");
  const auto j = o.json();

  CHECK(o.exit_status == 1);
  CHECK(o.err ==
        "the solve ended with max_steps (the allowed number of step attempts was used up before "
        "t1)\n");
  CHECK(j["status"] == "max_steps");
  CHECK(j["reverse"]["status"] == "max_steps");
  CHECK(j["stats"]["accepted"].get<int>() + j["stats"]["rejected"].get<int>() == 5);
  CHECK(j["loss"].is_null());
  CHECK(j["gradient"].is_null());
  CHECK(j["reverse"]["slots"] == 3);
  CHECK(j["reverse"]["pulled_steps"] == 0);
}

TEST_CASE("a gradient that overflows says so, with the steps pulled, and exits with 1") {
  const std::string said =
      "the reverse pass ended with non_finite_gradient (the derivative became infinite or NaN)";
  std::string words = "grad lorenz --t1 20000 --method tsit5 ";
  for (const char* more : {"--json", "--json --slots 30", "--json --check"}) {
    CAPTURE(more);
    const outcome o = run(words + more);
    const auto j = o.json();
    CHECK(o.exit_status == 1);
    CHECK(o.err == said + "\n");
    CHECK(j["status"] == "non_finite_gradient");
    CHECK(j["t"].get<double>() >= 1000);
    CHECK(j["gradient"].is_null());
    CHECK(j["reverse"]["status"] == "non_finite_gradient");
    CHECK(j["reverse"]["pulled_steps"] > 10'000);
    CHECK(j["reverse"]["pulled_steps"] < j["stats"]["accepted"]);
    words = "grad lorenz --t1 1000 --method tsit5 ";
  }
  const outcome text = run("grad lorenz --t1 1000 --method tsit5");
  CHECK(text.exit_status == 1);
  CHECK(text.err.starts_with(said + "\n"));
  CHECK(text.out.find("status: success") != std::string::npos);
  CHECK(text.out.find("no gradient: " + said) != std::string::npos);
  for (const char* adjoint : {"gauss", "interpolating"}) {
    const outcome o =
        run("grad lorenz --t1 1000 --json --method tsit5 --adjoint " + std::string(adjoint));
    CHECK(o.exit_status == 1);
    CHECK(o.json()["reverse"]["status"] == "non_finite_gradient");
  }
}

TEST_CASE("numbers that are not finite are null") {
  const outcome o =
      run("solve decay --params -1e308 --method euler --fixed-step 2.5 --y0 10 --json");

  CHECK(o.exit_status == 1);
  CHECK(o.json()["status"] == "non_finite_state");
  CHECK(run("solve decay --params 1e400 --json").exit_status == 2);
  CHECK(run("solve decay --y0 inf --t1 0 --json").json()["y"][0].is_null());
}

TEST_CASE("an empty interval is a success with no steps") {
  const auto j = run("grad lorenz --t0 3 --t1 3 --json").json();

  CHECK(j["status"] == "success");
  CHECK(j["stats"]["accepted"] == 0);
  CHECK(j["y"] == nlohmann::ordered_json{1.0, 0.0, 0.0});
  CHECK(j["gradient"]["y0"] == nlohmann::ordered_json{1.0, 1.0, 1.0});
  CHECK(j["gradient"]["t1"] == 18.0);  // the sum of f(y0) = (-10, 28, 0)
  CHECK(j["gradient"]["t0"] == -18.0);
}

TEST_CASE("the method is chosen for the tolerance") {
  CHECK(run("solve decay --json").json()["method"] == "tsit5");
  CHECK(run("solve decay --rtol 1e-9 --json").json()["method"] == "tsit5");
  CHECK(run("solve decay --rtol 9e-10 --json").json()["method"] == "vern7");
  CHECK(run("solve decay --rtol 9e-12 --json").json()["method"] == "dop853");
  CHECK(run("solve decay").out.find("method tsit5 (chosen)") != std::string::npos);
  CHECK(run("solve decay --method tsit5").out.find("(chosen)") == std::string::npos);
}

TEST_CASE("save-count cuts the interval into equal parts and saves all their ends") {
  const auto j = run("solve decay --save-count 4 --json").json();

  CHECK(j["ts"] == nlohmann::ordered_json{0.0, 1.25, 2.5, 3.75, 5.0});
  CHECK(j["ys"].size() == 5);
  CHECK(j["ys"][0][0] == 1.0);
  CHECK(j["ys"][4] == j["y"]);
}

TEST_CASE("list names every problem, method, algebra, adjoint, schedule and ensemble") {
  const auto j = run("list --json").json();

  CHECK(keys(j) == std::vector<std::string>{"problems", "methods", "algebras", "adjoints",
                                            "schedules", "ensembles"});
  CHECK(j["problems"][0]["name"] == "decay");
  CHECK(j["methods"][0]["name"] == "euler");
  for (const auto& m : j["methods"])
    if (m["name"] == "tsit5" || m["name"] == "rodas5p")
      CHECK(m["mass"] == (m["name"] == "tsit5" ? "y'" : "M y'"));
  CHECK(j["algebras"][0]["name"] == "dense");
  CHECK(j["adjoints"][0]["name"] == "recursive_checkpoint");
  CHECK(j["schedules"][2]["name"] == "binomial");
  CHECK(keys(run("list methods --json").json()) == std::vector<std::string>{"methods"});
}

TEST_CASE(
    "the gradient of every adjoint tells its error, also through events and along equal steps") {
  for (const std::string words :
       {"lorenz --t1 2 --adjoint recursive_checkpoint --budget 16KiB",
        "lorenz --t1 2 --adjoint gauss", "lotka_volterra --adjoint backsolve",
        "lorenz --t1 2 --fixed-step 0.01"}) {
    CAPTURE(words);
    const auto j = run("grad " + words + " --json").json();
    CHECK(j["status"] == "success");
    const double relative = j["gradient"]["error"]["relative"];
    CHECK(relative > 0);
    CHECK(relative < 0.1);
    const auto strict = run("grad " + words + " --unresolved 0 --json");
    CHECK(strict.json()["status"] == "gradient_not_resolved");
    CHECK(strict.exit_status == 1);
    CHECK(strict.json()["gradient"]["p"] == j["gradient"]["p"]);
    CHECK_FALSE(
        run("grad " + words + " --unresolved inf --json").json()["gradient"].contains("error"));
  }
  // The method has no error on a parabola, and none in its gradient.
  CHECK(run("grad bouncing_ball --json").json()["gradient"]["error"]["relative"] == 0);
}

/// A time shortly after the beginning of a problem; in steps much shorter than its own multipliers are rounding.
std::string soon(const std::string& name) {
  std::ostringstream text;
  const erased_problem q = make_problem(name);
  const double after = q.f.has_higher_index() ? std::fmax(1e-4, 2e-5 * (q.t1 - q.t0)) : 1e-4;
  text << std::setprecision(17) << q.t0 + after;
  return text.str();
}

TEST_CASE("every method and every problem can be solved and differentiated by name") {
  const auto lists = run("list --json").json();
  for (const auto& m : lists["methods"]) {
    const std::string method = m["name"];
    CAPTURE(method);
    const bool symplectic = method == "stormer_verlet" || method.starts_with("mclachlan_atela") ||
                            method.starts_with("kahan_li"),
               in_parts = method.ends_with("_imex");
    const auto j =
        run("grad " +
            std::string(symplectic ? "kepler"
                        : in_parts ? "burgers_1d:5"
                                   : "lotka_volterra") +
            " --t1 1 --fixed-step 0.1 --unresolved inf --check --json --method " + method)
            .json();
    CHECK(j["status"] == "success");
    CHECK(j["check"]["dot_product"]["difference"].get<double>() < 1e-12);
    CHECK(j["check"]["gradient"]["difference"].get<double>() < 1e-12);
  }
  REQUIRE(lists["problems"].size() == catalog().size());
  for (const catalog_entry& p : catalog()) {
    const std::string name(p.name);
    CAPTURE(name);
    const auto j = run("grad " + name + (p.default_size > 8 ? ":8" : "") + " --check --json " +
                       (p.stiff ? "--t1 " + soon(name) : "--fixed-step 1e-3 --t1 0.01"))
                       .json();
    CHECK(j["status"] == "success");
    CHECK(j["check"]["dot_product"]["difference"].get<double>() < 1e-9);
  }
}

}  // namespace
}  // namespace revode::cli
