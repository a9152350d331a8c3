// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "run.hpp"

namespace revode::cli {
namespace {

TEST_CASE("a stiff problem is solved by Radau IIA at its own absolute tolerance") {
  const auto found = run("solve rober --json --rtol 1e-7").json();
  CHECK(found["status"] == "success");
  CHECK(found["method"] == "radau_iia5");
  CHECK(found["y"][2].get<double>() == doctest::Approx(0.99999997916651517).epsilon(1e-7));
  CHECK(run("solve rober").out.find("radau_iia5 (chosen), rtol 1e-6, atol 1e-12") !=
        std::string::npos);
}

TEST_CASE("the automatic method is a pair that switches, for the tolerance") {
  const auto found = run("solve rober --json --method automatic --rtol 1e-7").json();
  CHECK(found["status"] == "success");
  CHECK(found["method"] == "tsit5_rodas5p");
  CHECK(found["y"][2].get<double>() == doctest::Approx(0.99999997916651517).epsilon(1e-7));
  CHECK(run("solve lorenz --t1 1 --json --method automatic --rtol 1e-10").json()["method"] ==
        "vern7_rodas5p");
  CHECK(run("solve bouncing_ball --json --method automatic").json()["method"] == "tsit5_rodas5p");
  const auto grad = run("grad hires --slots 5 --check --json --method automatic").json();
  CHECK(grad["check"]["dot_product"]["difference"].get<double>() < 1e-11);
}

TEST_CASE("multistep methods by name: gradients in five states") {
  for (const char* words : {"grad lorenz --t1 2 --rtol 1e-8 --method adams12",
                            "grad rober --rtol 1e-5 --method ndf5"}) {
    CAPTURE(std::string(words));
    const auto found = run(std::string(words) + " --slots 5 --check --json").json();
    CHECK(found["reverse"]["peak_states"] == 5);
    CHECK(found["check"]["dot_product"]["difference"].get<double>() < 1e-11);
  }
}

TEST_CASE("gradients of a stiff problem in five states: as forward mode, by every family") {
  for (const char* method : {"radau_iia5", "rodas5p", "kvaerno5"}) {
    CAPTURE(std::string(method));
    const auto found =
        run(std::string("grad rober --slots 5 --check --json --rtol 1e-5 --method ") + method)
            .json();
    CHECK(found["reverse"]["peak_states"] == 5);
    CHECK(found["check"]["dot_product"]["difference"].get<double>() < 1e-11);
    CHECK(found["check"]["gradient"]["difference"].get<double>() < 1e-11);
  }
}

TEST_CASE("factorizations and solves are counted: a Rosenbrock step takes one and one a stage") {
  const auto stats = run("solve orego --method rodas4 --rtol 1e-5 --json").json()["stats"];
  const auto attempts = stats["accepted"].get<int>() + stats["rejected"].get<int>();
  CHECK(stats["factorizations"] == attempts);
  CHECK(stats["linear_solves"] == 6 * attempts);
}

TEST_CASE("a benchmark that is not there is named") {
  const outcome none = run("bench");
  CHECK(none.exit_status == 2);
  CHECK(none.err ==
        "no benchmark given ('revode bench' needs its name) run 'revode bench wpd --help'?\n");
  const outcome unknown = run("bench wdp --peers");
  CHECK(unknown.exit_status == 2);
  CHECK(unknown.err ==
        "unknown benchmark 'wdp' (not in the list of benchmarks) did you mean 'wpd'?\n");
}

}  // namespace
}  // namespace revode::cli
