// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "run.hpp"

namespace revode::cli {
namespace {

TEST_CASE("every pair of 'revode list algebras' solves, and is told in JSON and in words") {
  const auto reference = run("solve brusselator_2d:4 --t1 1 --rtol 1e-8 --json").json();
  CHECK(reference["algebra"] == "dense");
  CHECK(!run("solve lorenz --t1 1 --json").json().contains("algebra"));
  for (const auto& row : run("list algebras --json").json()["algebras"]) {
    const std::string algebra = row["name"];
    if (algebra == "dense") continue;
    std::string methods = row["methods"];
    while (!methods.empty()) {
      const std::string method = methods.substr(0, methods.find(','));
      methods.erase(0, method.size() + 1);
      const std::string words =
          "solve brusselator_2d:4 --t1 1 --rtol 1e-7 --method " + method + " --algebra " + algebra;
      CAPTURE(words);
      const auto found = run(words + " --json").json();
      CHECK(found["status"] == "success");
      CHECK(found["algebra"] == algebra);
      CHECK(found["method"] == method);
      for (std::size_t i = 0; i < 32; ++i)
        CHECK(std::abs(found["y"][i].get<double>() - reference["y"][i].get<double>()) < 1e-4);
    }
  }
  CHECK(run("solve brusselator_2d:4 --t1 1 --algebra banded")
            .out.find("method radau_iia5 (chosen), algebra banded, rtol 1e-6") !=
        std::string::npos);
  CHECK(run("solve brusselator_2d:4 --t1 1 --method automatic --algebra gmres --json")
            .json()["method"] == "bdf5");
}

TEST_CASE("gradients with an algebra keep the dot-product law, in five states") {
  for (const char* words :
       {"--method bdf5 --algebra gmres_ilu0", "--method rodas5p --algebra banded"}) {
    CAPTURE(std::string(words));
    const auto found = run("grad heat_1d:40 --slots 5 --check --json " + std::string(words)).json();
    CHECK(found["reverse"]["peak_states"] == 5);
    CHECK(found["check"]["dot_product"]["difference"].get<double>() < 1e-9);
  }
}

TEST_CASE("events and mass matrices with an algebra: chosen methods, dense solutions, gradients") {
  for (const char* problem :
       {"transamp --t1 0.02", "chemakzo --t1 20", "bouncing_ball --t1 1 --params 9.81,0.8"}) {
    CAPTURE(std::string(problem));
    const std::string words = std::string("solve ") + problem + " --rtol 1e-7 --json ";
    const auto dense = run(words + "--method rodas5p").json();
    const auto chosen = run(words + "--algebra banded").json();
    CHECK(chosen["method"] == "bdf5");
    CHECK(chosen["status"] == "success");
    CHECK(chosen.contains("events") == dense.contains("events"));
    if (dense.contains("events")) CHECK(chosen["events"].size() == dense["events"].size());
    for (std::size_t i = 0; i < dense["y"].size(); ++i)
      CHECK(chosen["y"][i].get<double>() ==
            doctest::Approx(dense["y"][i].get<double>()).epsilon(1e-3));
  }
  for (const char* words : {"chemakzo --t1 20 --algebra banded --method rodas5p",
                            "transamp --t1 0.01 --algebra gmres_ilu0",
                            "bouncing_ball --t1 1 --algebra banded --method esdirk547"}) {
    CAPTURE(std::string(words));
    const outcome o = run("grad --slots 5 --check --json " + std::string(words));
    if (std::string(words).find("gmres") != std::string::npos) {
      CHECK(o.exit_status == 2);
      CHECK(o.err.find("algebra gmres_ilu0 with a mass matrix (compiled for that: dense, banded") !=
            std::string::npos);
    } else {
      CHECK(o.json()["check"]["dot_product"]["difference"].get<double>() < 1e-9);
    }
  }
}

TEST_CASE("an ensemble with an algebra has the bits of its solves, lanes and restarts know of it") {
  const std::string words =
      " rober --method bdf5 --algebra banded --t1 4 --loss component:0 --json";
  const auto all = run("ensemble --lanes 3 --sweep p:2=0:1e4 --gradient" + words).json();
  CHECK(all["device"] == "threads");
  for (std::size_t l = 0; l < 3; ++l) {
    std::string p;
    for (const auto& x : all["lane_params"][l]) p += (p.empty() ? "" : ",") + x.dump();
    const auto alone = run("grad --params " + p + words).json();
    CHECK(all["y"][l] == alone["y"]);
    CHECK(all["gradient"]["p"][l] == alone["gradient"]["p"]);
  }
  CHECK(run("ensemble rober --lanes 2 --sweep p:0=0.04:0.05 --algebra banded --t1 4")
            .out.find("method radau_iia5 (chosen), algebra banded") != std::string::npos);
  CHECK(run("ensemble bouncing_ball --lanes 2 --sweep p:0=9:10 --algebra banded --t1 1 --json")
            .json()["statuses"]["success"] == 2);
  const temporary_file kept("kept_algebra");
  const std::string restarted =
      "ensemble rober --device threads --method bdf5 --lanes 2 --sweep p:0=0.04:0.05 --t1 4 "
      "--restart " +
      kept.path();
  CHECK(run(restarted + " --algebra banded").exit_status == 0);
  const outcome other = run(restarted);
  CHECK(other.exit_status == 2);
  CHECK(other.err.find("is that of another run (its algebra is banded, here it is dense)") !=
        std::string::npos);
}

void says(const std::string& words, const char* text) {
  CAPTURE(words);
  const outcome o = run(words);
  CHECK(o.exit_status == 2);
  CHECK(o.err.find(text) != std::string::npos);
}

TEST_CASE("misuse of algebras says what to do") {
  says("solve rober --algebra bandet",
       "unknown algebra 'bandet' (not in the list of algebras) did you mean 'banded'?");
  says("solve lorenz --algebra banded",
       "method tsit5 with algebra banded (it solves no linear systems) leave the algebra out, or "
       "take one of the methods bdf5, esdirk547, rodas5p, radau_iia5?");
  says("solve rober --method kvaerno5 --algebra gmres",
       "method kvaerno5 with algebra gmres (it is compiled with dense) choose one of these, or one "
       "of the methods bdf5, esdirk547, radau_iia5?");
  says("solve burgers_1d --method kencarp4_imex --algebra banded",
       "method kencarp4_imex with algebra banded (it is compiled with dense) choose one of these, "
       "or one of the methods bdf5, esdirk547, rodas5p, radau_iia5?");
  says("solve transamp --algebra banded --method radau_iia9",
       "method radau_iia9 with algebra banded and a mass matrix (compiled for that: bdf5, rodas5p, "
       "radau_iia5) take one of these, leave the algebra out, or solve it by the templates?");
  says("solve bouncing_ball --algebra banded --method radau_iia9",
       "method radau_iia9 with algebra banded and events (compiled for that: bdf5, esdirk547, "
       "rodas5p, radau_iia5) take one of these, leave the algebra out, or solve it by the "
       "templates?");
  says("grad rober --algebra banded --method rodas5p --adjoint control_gradient_error",
       "--algebra banded with the adjoint control_gradient_error (gradients by it are those of "
       "recursive_checkpoint) leave one of them out?");
}

}  // namespace
}  // namespace revode::cli
