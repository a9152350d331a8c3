// SPDX-License-Identifier: Apache-2.0
// Problems M y' = f by name.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <revode/problems/catalog.hpp>

#include "run.hpp"

namespace revode::cli {
namespace {

TEST_CASE("problems with a mass matrix are solved by Radau IIA, or by a method that is asked for") {
  for (const char* method : {"", " --method rodas5p", " --method automatic", " --method bdf5"}) {
    const auto found = run(std::string("solve chemakzo --json --rtol 1e-8") + method).json();
    CAPTURE(std::string(method));
    CHECK(found["status"] == "success");
    const erased_problem q = make_problem("chemakzo");
    for (int i = 0; i < 6; ++i)
      CHECK(found["y"][static_cast<std::size_t>(i)].get<double>() ==
            doctest::Approx(q.reference[i]).epsilon(1e-4));
  }
  CHECK(run("solve pendulum_index1 --json").json()["method"] == "radau_iia5");
  CHECK(run("solve pendulum_index1 --json --method automatic").json()["method"] == "rodas5p");
  CHECK(run("solve pendulum_index3 --json --method automatic").json()["method"] == "radau_iia5");
  CHECK(run("solve car_axis --json --method radau_iia9").json()["status"] == "success");
  CHECK(run("solve pendulum_index2 --method rodas5p").err.find("index() above 1") !=
        std::string::npos);
  CHECK(run("solve transamp --t1 0.01 --why").exit_status == 0);
}

TEST_CASE("they begin at the consistent state, whatever y0 guesses") {
  const std::string guessed = "solve rober_dae --t1 1 --y0 0.9,0.05,7";
  const std::string text = run(guessed).out;
  CHECK(text.find("  y3   0.05     0.11308745") != std::string::npos);
  const auto saved = run(guessed + " --save-at 0,1 --json").json();
  CHECK(saved["ys"][0][2].get<double>() == doctest::Approx(0.05).epsilon(1e-14));
}

TEST_CASE("their gradients are those of forward mode, with an estimate of their error") {
  for (const char* method : {"radau_iia5", "rodas5p", "rodas4"}) {
    CAPTURE(std::string(method));
    const auto found =
        run(std::string("grad pendulum_index1 --slots 5 --check --json --method ") + method).json();
    CHECK(found["status"] == "success");
    CHECK(found["reverse"]["peak_states"] == 5);
    CHECK(found["check"]["dot_product"]["difference"].get<double>() < 1e-9);
    CHECK(found["check"]["gradient"]["difference"].get<double>() < 1e-9);
  }
}

TEST_CASE("their ensembles run on threads, gradients too") {
  for (const char* more : {"", " --gradient"}) {
    const auto found =
        run(std::string("ensemble pendulum_index1 --lanes 4 --sweep p:0=9:10 --json") + more)
            .json();
    CHECK(found["device"] == "threads");
    CHECK(found["statuses"]["success"] == 4);
  }
}

TEST_CASE("methods of both parts of a field: where there are none they are refused in words") {
  const auto j =
      run("solve burgers_1d --method kencarp4_imex --rtol 1e-7 --atol 1e-7 --json").json();
  CHECK(j["status"] == "success");
  CHECK(std::abs(j["y"][9].get<double>() - 0.087425901053178404) < 1e-6);
  CHECK(run("solve hires --method kencarp4_imex").err ==
        "method kencarp4_imex for hires (its field is no sum of an implicit and an explicit part; "
        "that of burgers_1d is) "
        "take esdirk547?\n");
}

TEST_CASE("what a mass matrix does not go with is refused in words") {
  CHECK(run("solve transamp --method tsit5").err ==
        "method tsit5 for transamp (it has a mass matrix; this command solves M y' = f by rodas3, "
        "rodas3p, rodas4, rodas4p, rodas4p2, rodas5, rodas5p, radau_iia5, radau_iia9, radau_iia13, "
        "radau, bdf5, ndf5) take rodas5p?\n");
  CHECK(run("grad transamp --adjoint gauss").err ==
        "adjoint gauss for transamp (it has a mass matrix: algebraic variables are followed by "
        "recursive_checkpoint alone) choose that?\n");
  CHECK(run("bench wpd transamp --methods rodas5p,tsit5").err ==
        "method tsit5 for transamp (it has a mass matrix; this command solves M y' = f by rodas3, "
        "rodas3p, rodas4, rodas4p, rodas4p2, rodas5, rodas5p, radau_iia5, radau_iia9, radau_iia13, "
        "radau, bdf5, ndf5) take rodas5p?\n");
}

}  // namespace
}  // namespace revode::cli
