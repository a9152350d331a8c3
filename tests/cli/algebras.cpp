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
       "method kvaerno5 with algebra gmres (it is compiled with dense) choose of these, or one of "
       "the methods bdf5, esdirk547, radau_iia5?");
  says("solve transamp --algebra banded",
       "--algebra banded with transamp (it has a mass matrix, which this command solves with dense "
       "matrices) leave it out?");
  says("solve bouncing_ball --algebra banded --method radau_iia5",
       "--algebra banded with bouncing_ball (it has events, which this command finds with dense "
       "matrices) leave it out?");
  says("grad rober --algebra banded --method rodas5p --adjoint control_gradient_error",
       "--algebra banded with the adjoint control_gradient_error (gradients by it are those of "
       "recursive_checkpoint) leave one of them out?");
}

}  // namespace
}  // namespace revode::cli
