// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <regex>

#include <cli/run.hpp>

namespace revode::cli {
namespace {

double stability_in(const std::string& text) {
  std::smatch found;
  REQUIRE(std::regex_search(text, found, std::regex(R"(h \|λ\| = ([0-9.e+]+) in the median)")));
  return std::stod(found[1]);
}

}  // namespace

TEST_CASE("why: an explicit method on a stiff problem is told by its bound of stability") {
  const outcome o = run("solve rober --t1 1 --method tsit5 --why");
  CHECK(o.exit_status == 0);
  const double h_lambda = stability_in(o.out);
  CHECK(h_lambda > 3);  // tsit5 is stable to 3.5 on the negative axis
  CHECK(h_lambda < 4);
  CHECK(o.out.find("so: stability limits the steps, the problem is stiff there: try --method "
                   "rodas5p\n") != std::string::npos);
  const std::string by_products = run("solve heat_1d:200 --method tsit5 --why").out;
  CHECK(stability_in(by_products) == doctest::Approx(h_lambda).epsilon(0.1));
}

TEST_CASE("why: steps that accuracy limits, where they are, and what moves") {
  const std::string lorenz = run("solve lorenz --why").out;
  CHECK(stability_in(lorenz) < 2);
  CHECK(lorenz.find("so: accuracy limits the steps\n") != std::string::npos);
  CHECK(lorenz.find(" moves most, in tolerances, in ") != std::string::npos);
  CHECK(run("solve lorenz --rtol 1e-9 --method tsit5 --why").out.find("vern7 or dop853") !=
        std::string::npos);
  CHECK(run("solve lorenz --fixed-step 0.01 --why").out.find("so: --fixed-step gives them\n") !=
        std::string::npos);
  const std::string layer = run("solve rober --why").out;
  CHECK(layer.find("so: accuracy limits the steps\n") != std::string::npos);
  CHECK(layer.find("half of them within t = 0 … ") != std::string::npos);
  CHECK(run("solve bouncing_ball --why").out.find("; 4 ended by events\n") != std::string::npos);
}

TEST_CASE("why is said by itself where a solve fails, beside the result") {
  const outcome o = run("solve vdpol_stiff --method tsit5 --max-steps 5000");
  CHECK(o.exit_status == 1);
  CHECK(o.err.starts_with("the solve ended with max_steps ("));
  CHECK(o.err.find("why these steps\n") != std::string::npos);
  CHECK(o.err.ends_with("try --method rodas5p\n"));
  CHECK(o.out.find("why") == std::string::npos);
  const outcome json = run("solve vdpol_stiff --method tsit5 --max-steps 5000 --json");
  CHECK(json.err.find("why") == std::string::npos);
  const outcome both = run("solve lorenz --why --json");
  CHECK(both.exit_status == 2);
  CHECK(both.err == "--why with --json (it is text for people) leave one of them out?\n");
}

TEST_CASE("why changes no step") {
  const std::string plain = run("solve lorenz").out, told = run("solve lorenz --why").out;
  CHECK(plain.substr(0, plain.find("time: ")) == told.substr(0, told.find("time: ")));
}

}  // namespace revode::cli
