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

TEST_CASE(
    "a model with an algebraic equation is solved and differentiated from the state that fulfils "
    "it") {
  const workplace here;
  std::ofstream(here.path / "reaction.ode")
      << "time 0 .. 40\nparameter k = 0.04\nstate a = 1, b = 0, c = 0.1\n"
         "a' = -k * a + 1e4 * b * c\n0 = a + b + c - 1\nb' = k * a - 1e4 * b * c - 3e7 * b^2\n";
  const auto found = here.run("solve reaction.ode --json --rtol 1e-8 --atol 1e-12").json();
  CHECK(found["method"] == "radau_iia5");
  CHECK(found["y"][0].get<double>() == doctest::Approx(0.7158270688).epsilon(1e-6));
  CHECK(found["y"][2].get<double>() == doctest::Approx(0.2841637457).epsilon(1e-6));
  const auto grad = here.run("grad reaction.ode --check --json --method rodas5p").json();
  CHECK(grad["check"]["dot_product"]["difference"].get<double>() < 1e-9);
}

TEST_CASE("a model of index 3 is solved as the pendulum that has it by name") {
  const std::string model = REVODE_SOURCE_DIR "/examples/models/pendulum_by_position.ode";
  const std::string accurate = " --json --method radau --rtol 1e-8 --atol 1e-8";
  const auto found = run("solve " + model + accurate).json();
  const auto named = run("solve pendulum_index3" + accurate).json();
  CHECK(found["status"] == "success");
  for (const int i : {0, 1, 2, 3})
    CHECK(std::abs(found["y"][i].get<double>() - named["y"][i].get<double>()) < 1e-6);
  CHECK(run("solve " + model + " --json").json()["method"] == "radau_iia5");
}

TEST_CASE("components and parameters by their names") {
  const workplace here;
  std::ofstream(here.path / "m.ode")
      << "time 0 .. 1\nparameter k = 1, c = 2\nstate u = 3, v = 4\nu' = -k * u\nv' = c\n";
  const auto all = here.run("grad m.ode --params 0.5,2 --y0 3,7 --loss component:1 --json").json();
  const auto some = here.run("grad m.ode --params k=0.5 --y0 v=7 --loss component:v --json").json();
  CHECK(some["y"] == all["y"]);
  CHECK(some["gradient"]["p"] == all["gradient"]["p"]);
  CHECK(all["gradient"]["p"][1].get<double>() == doctest::Approx(1).epsilon(1e-12));
  CHECK(here.run("solve m.ode --y0 1=7,u=3 --params k=0.5,c=2 --json").json()["y"] == all["y"]);
  const std::string table = here.run("grad m.ode").out;
  CHECK(table.find("\n  y0 u  ") != std::string::npos);
  CHECK(table.find("\n  p  c  ") != std::string::npos);
  const std::string lanes = "ensemble m.ode --lanes 3 --out lanes.csv --sweep ";
  CHECK(here.run(lanes + "p:k=1:2").out.find("p:k from 1 to 2") != std::string::npos);
  const std::string by_name = content(here.path / "lanes.csv");
  CHECK(by_name.starts_with("lane,status,t,accepted,rejected,p:k,p:c,u,v\n"));
  here.run(lanes + "p:0=1:2");
  CHECK(content(here.path / "lanes.csv") == by_name);
  const std::pair<const char*, const char*> wrong[]{
      {"solve m.ode --params kk=1",
       "unknown name 'kk' in --params (there are k, c) give one of these?"},
      {"solve m.ode --y0 w=1", "unknown name 'w' in --y0 (there are u, v) give one of these?"},
      {"solve m.ode --params k=1,2",
       "invalid --params '2' (beside others with names) give NAME=NUMBER for each?"},
      {"solve m.ode --params k=x",
       "invalid --params 'x' (a number is needed) give e.g. --params 0.5?"},
      {"ensemble m.ode --sweep p:q=1:2",
       "invalid --sweep 'p:q=1:2' (the parameters of m.ode are 0 to 1, or their names) give e.g. "
       "--sweep p:0=1:2?"},
      {"grad m.ode --loss component:w",
       "invalid --loss 'component:w' (the components of m.ode are 0 to 1, or their names) give "
       "e.g. --loss component:u?"}};
  for (const auto& [words, text] : wrong) {
    const outcome o = here.run(words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == std::string(text) + "\n");
  }
}

TEST_CASE("what is no beginning, and a model with a mistake, are one line") {
  const workplace here;
  std::ofstream(here.path / "m.ode") << "time 0 .. 1\nstate x = 1\nx' = -k * x\n";
  const std::pair<const char*, const char*> all[]{
      {"new problem ../a",
       "invalid name '../a' (it becomes a file here, of letters, digits, _ and -) give another?"},
      {"new solver a",
       "unknown beginning 'solver' (not in the list of what can be begun) give problem or method?"},
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
