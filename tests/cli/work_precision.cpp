// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <cli/run.hpp>

namespace revode::cli {

TEST_CASE("work and precision of one problem, by the command itself") {
  const auto found =
      run("bench wpd lorenz --methods tsit5,dop853 --tolerances 1e-3,1e-6,1e-9 --repeats 2 --json")
          .json();
  CHECK(found["problem"] == "lorenz");
  const double known = found["known_digits"].get<double>();
  CHECK(known > 8);
  REQUIRE(found["runs"].size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& run_of = found["runs"][i];
    CHECK(run_of["method"] == (i < 3 ? "tsit5" : "dop853"));
    CHECK(run_of["status"] == "success");
    CHECK(run_of["digits"].get<double>() <= known);
    if (i % 3 > 0) CHECK(run_of["digits"] > found["runs"][i - 1]["digits"]);
  }
  const auto alone = run("solve lorenz --method tsit5 --rtol 1e-6 --atol 1e-6 --json").json();
  CHECK(found["runs"][1]["accepted"] == alone["stats"]["accepted"]);
  CHECK(found["runs"][1]["field_evaluations"] == alone["stats"]["field_evaluations"]);
}

TEST_CASE("work and precision of stiff problems, of events, and of models") {
  std::set<std::string> methods;
  const auto stiff = run("bench wpd rober --tolerances 1e-4 --repeats 1 --json").json();
  for (const auto& r : stiff["runs"]) methods.insert(r["method"].get<std::string>());
  CHECK(methods.contains("rodas5p"));
  CHECK(methods.contains("radau_iia5"));
  CHECK(!methods.contains("tsit5"));
  CHECK(methods.size() > 20);
  const auto bounces =
      run("bench wpd bouncing_ball --tolerances 1e-4,1e-8 --repeats 1 --json").json();
  CHECK(bounces["runs"].size() > 20);  // by every explicit method with an error estimate
  const std::string model = std::string(REVODE_SOURCE_DIR) + "/examples/models/sir.ode";
  const outcome text = run("bench wpd '" + model + "' --methods tsit5 --tolerances 1e-6");
  CHECK(text.exit_status == 0);
  CHECK(text.out.find("its end is known to") != std::string::npos);
  CHECK(text.out.find("least time for at least so many digits") != std::string::npos);
}

TEST_CASE("work and precision of a model with an algebraic equation, by methods that take one") {
  const temporary_file model("algebraic.ode");
  std::ofstream(model.path()) << "title t\ntime 0 .. 8\nparameter k = 1\nstate x=1, y=0\n"
                                 "x' = y\n0 = y+k*x\n";
  const std::string words = "bench wpd '" + model.path() + "' --repeats 1 --json";
  const auto one = run(words + " --methods rodas5p --tolerances 1e-4,1e-6").json();
  REQUIRE(one["runs"].size() == 2);
  for (const auto& r : one["runs"]) CHECK(r["status"] == "success");
  CHECK(one["runs"][1]["digits"] > one["runs"][0]["digits"]);
  std::set<std::string> methods;
  const auto all = run(words + " --tolerances 1e-4").json();
  for (const auto& r : all["runs"]) methods.insert(r["method"].get<std::string>());
  CHECK(methods.contains("radau_iia5"));
  CHECK(methods.contains("rodas5p"));
  CHECK(!methods.contains("tsit5"));
  CHECK(run("bench wpd '" + model.path() + "' --methods tsit5")
            .err.find("(it has a mass matrix; this command solves M y' = f by ") !=
        std::string::npos);
}

TEST_CASE("a picture of work and precision") {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) return;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("wpd_" + std::to_string(getpid()) + ".svg"));
  CHECK(run("bench wpd lorenz --methods tsit5,vern7 --tolerances 1e-4,1e-6 --repeats 1 --plot " +
            path)
            .exit_status == 0);
  const std::string svg = content(path);
  std::filesystem::remove(path);
  CHECK(svg.find("tsit5") != std::string::npos);
  CHECK(svg.find("vern7") != std::string::npos);
  CHECK(svg.find("time against digits") != std::string::npos);
}

TEST_CASE("what a benchmark of one problem refuses") {
  const std::pair<const char*, const char*> all[]{
      {"bench wpd lorens", "unknown problem 'lorens'"},
      {"bench wpd lorenz --methods tsit", "unknown method 'tsit'"},
      {"bench wpd lorenz --methods rk4",
       "method rk4 in 'revode bench wpd' (it has no error estimate to choose steps by) leave it "
       "out?"},
      {"bench wpd lorenz --tolerances 0",
       "invalid --tolerances 0 (relative tolerances lie between 1e-14 and 1) give e.g. "
       "1e-4,1e-6,1e-8?"},
      {"bench wpd lorenz --repeats 0",
       "invalid --repeats 0 (each solve is timed at least once) give e.g. 5?"},
      {"bench wpd lorenz --methods",
       "--methods without a value (each option but --json takes one) give it?"},
      {"bench wpd lorenz --plots a.svg",
       "unknown option '--plots' (not in the list of options of 'revode bench wpd PROBLEM') did "
       "you mean '--plot'?"}};
  for (const auto& [words, text] : all) {
    const outcome o = run(words);
    CHECK(o.exit_status == 2);
    CHECK(o.err.starts_with(text));
    CHECK(o.out.empty());
  }
}

}  // namespace revode::cli
