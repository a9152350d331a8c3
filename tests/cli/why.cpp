// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

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

TEST_CASE("why a gradient is not finite: by what, where, and what to try") {
  const temporary_file model("why.ode"), cache("why_cache");
  std::ofstream(model.path())
      << "time 0 .. 1\nparameter k = 0.01, h = 0.05\n"
         "state a = 4, b = 0, z = 1\na' = -sqrt(k) * a\n"
         "b' = sqrt(k) * a - h * sqrt(b)\nz' = 0\n"
         "event low when a falls below 3.8 then continue, b = b + sqrt(z)\n";
  const auto told = [&](const std::string& words) {
    const outcome o =
        run("grad '" + model.path() + "' " + words, "REVODE_CACHE='" + cache.path() + "'");
    CHECK(o.exit_status == 1);
    const std::string said =
        "the reverse pass ended with non_finite_gradient (the derivative became infinite or NaN)\n";
    CHECK(o.err.starts_with(said));
    return o.err.substr(std::min(said.size(), o.err.size()));
  };
  const std::string of_start =
      "why there is no gradient\n"
      "  the derivative of b' by b is not finite at t = 0, where b = 0\n"
      "  not finite: the gradient by y0 b\n"
      "  so: a derivative that does not exist at a start, such as that of sqrt at 0: begin beside "
      "it, or write the field so that it has one\n";
  CHECK(told("") == of_start);
  CHECK(told("--adjoint gauss") == of_start);
  CHECK(told("--params k=0 --y0 b=1") ==
        "why there is no gradient\n"
        "  the derivative of a', b' by k is not finite at t = 1, where k = 0\n"
        "  not finite: the gradient by p k\n"
        "  so: a derivative that does not exist there, such as that of sqrt at 0: write the field "
        "so that it has one\n");
  CHECK(told("--y0 b=1,z=0") ==  // the step in which the event lies ends at 1
        "why there is no gradient\n"
        "  every derivative of the field is finite where the solve took it; from t = 1 back the "
        "cotangents are not\n"
        "  so: a derivative that does not exist at an event, of its condition or of what it "
        "changes\n");
  CHECK(told("--json").empty());
  std::filesystem::remove_all(cache.path());
}

TEST_CASE("why a gradient is not finite: its cotangents overflow") {
  const outcome o = run("grad decay --params -1000 --y0 0 --t1 1 --fixed-step 0.001");
  CHECK(o.exit_status == 1);
  CHECK(
      o.err.find("\nwhy there is no gradient\n  the cotangents grow beyond all numbers on the way "
                 "back, at t = 0.2") != std::string::npos);
  CHECK(
      o.err.ends_with("\n  so: they overflow, as those of a chaotic solution do over long times: "
                      "try a shorter interval\n"));
}

TEST_CASE("why changes no step") {
  const std::string plain = run("solve lorenz").out, told = run("solve lorenz --why").out;
  CHECK(plain.substr(0, plain.find("time: ")) == told.substr(0, told.find("time: ")));
}

}  // namespace revode::cli
