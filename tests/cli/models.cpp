// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <cli/run.hpp>

// Models in the command: begun, solved, differentiated, in ensembles, drawn, and refused.

namespace revode::cli {
namespace {

namespace fs = std::filesystem;

/// A folder of this process, in which the command runs.
struct workplace {
  fs::path path = fs::temp_directory_path() / ("revode_cli_models_" + std::to_string(getpid()));
  workplace() { fs::create_directories(path); }
  ~workplace() { fs::remove_all(path); }

  outcome run(const std::string& words) const {
    return cli::run(words, "cd '" + path.string() + "' && REVODE_CACHE=cache");
  }
};

}  // namespace

TEST_CASE("revode new problem: a model that is solved as it is, and not written twice") {
  const workplace here;
  const outcome begun = here.run("new problem yeast");
  CHECK(begun.out ==
        "yeast.ode is written; try\n  revode solve yeast.ode --plot yeast.svg\n  revode grad "
        "yeast.ode\n");
  const auto solved = here.run("solve yeast.ode --rtol 1e-10 --json").json();
  // y = c / (1 + (c/y0 - 1) e^(-r t))
  CHECK(solved["y"][0].get<double>() ==
        doctest::Approx(10 / (1 + 99 * std::exp(-10.0))).epsilon(1e-9));
  CHECK(solved["events"][0]["event"] == "half");
  CHECK(solved["events"][0]["t"].get<double>() ==
        doctest::Approx(2 * std::log(99.0)).epsilon(1e-9));
  CHECK(here.run("grad yeast.ode --check").exit_status == 0);
  CHECK(here.run("ensemble yeast.ode --lanes 9 --sweep p:0=0.1:1 --json")
            .json()["statuses"]["success"] == 9);
  if (std::system("gnuplot --version >/dev/null 2>&1") == 0) {
    CHECK(here.run("solve yeast.ode --plot yeast.svg").exit_status == 0);
    CHECK(content(here.path / "yeast.svg").find("A population that grows") != std::string::npos);
  }
  const outcome again = here.run("new problem yeast");
  CHECK(again.exit_status == 2);
  CHECK(again.err == "file 'yeast.ode' (it is there already) give another name?\n");
}

TEST_CASE("what is no beginning, and a model with a mistake, are one line") {
  const workplace here;
  std::ofstream(here.path / "m.ode") << "time 0 .. 1\nstate x = 1\nx' = -k * x\n";
  const std::pair<const char*, const char*> all[]{
      {"new problem ../a",
       "invalid name '../a' (it becomes a file here, of letters, digits, _ and -) give another?"},
      {"new method a",
       "unknown beginning 'method' (not in the list of what can be begun) give problem?"},
      {"new problem",
       "'revode new' with 1 words (it takes what to begin, and a name) give e.g. 'revode new "
       "problem mine'?"},
      {"solve m.ode",
       "m.ode:3:7: unknown name 'k' (it is not declared above) declare it by parameter, state, "
       "constant or let?"},
      {"grad n.ode", "cannot read model 'n.ode' (there is no such file) give the path of one?"}};
  for (const auto& [words, text] : all) {
    const outcome o = here.run(words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == std::string(text) + "\n");
    CHECK(o.out.empty());
  }
}

}  // namespace revode::cli
