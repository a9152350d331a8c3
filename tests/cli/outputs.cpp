// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "run.hpp"

// Outputs that cannot be written, runs that are killed, and what is said of failures.

namespace revode::cli {
namespace {

const std::string no_stdout = "cannot write the result (stdout is closed or full) give it room?\n";

std::string full(const std::string& option, const std::string& path = "/dev/full") {
  return "cannot write '" + path + "' for " + option +
         " (No space left on device) make room there, or give another file?\n";
}

}  // namespace

TEST_CASE("a result that stdout does not take: exit status 3 and one line") {
  if (!std::filesystem::exists("/dev/full")) return;
  for (const char* words : {"solve lorenz", "solve lorenz --json", "grad lorenz --json",
                            "list --json", "schedule --steps 9 --slots 2", "--help"})
    for (const char* to : {" >/dev/full", " >&-"}) {
      CAPTURE(words);
      const outcome o = run(std::string(words) + to);
      CHECK(o.exit_status == 3);
      CHECK(o.err == no_stdout);
    }
  // a pipe that nobody reads any more
  const temporary_file said("said"), ended("ended");
  const outcome gone = run("solve lorenz --save-count 100000 --json 2>'" + said.path() +
                               "'; echo $? >'" + ended.path() + "'; } | head -c 9",
                           "{");
  CHECK(ended.text() == "3\n");
  CHECK(said.text() == no_stdout);
  CHECK(gone.out == "{\"problem");
}

TEST_CASE("a file that cannot be written: exit status 3, and the result stands") {
  if (!std::filesystem::exists("/dev/full")) return;
  const std::vector<std::pair<std::string, std::string>> all{{"solve lorenz", "--out"},
                                                             {"solve lorenz", "--steps-log"},
                                                             {"solve bouncing_ball", "--out"},
                                                             {"solve bouncing_ball", "--events"},
                                                             {"grad lorenz", "--steps-log"}};
  for (const auto& [words, option] : all) {
    const auto& the_option = option;
    CAPTURE(the_option);
    const outcome o = run(words + " --json " + option + " /dev/full");
    CHECK(o.exit_status == 3);
    CHECK(o.err == full(option));
    CHECK(o.json()["status"] == "success");
  }
  // a failure is told besides
  const outcome both = run("solve lorenz --max-steps 5 --json --out /dev/full");
  CHECK(both.exit_status == 3);
  CHECK(both.err ==
        "the solve ended with max_steps (the allowed number of step attempts was used up before "
        "t1)\n" +
            full("--out"));
  // no file that is opened takes the number of a closed stdout
  const temporary_file csv("closed.csv");
  CHECK(run("solve lorenz --out '" + csv.path() + "' >&-").exit_status == 3);
  CHECK(csv.text().starts_with("t,x,y,z\n0,1,0,0\n10,"));
}

TEST_CASE("a picture that cannot be written is no success") {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) return;
  const temporary_file svg("full.svg");
  std::filesystem::create_symlink("/dev/full", svg.path());
  const outcome o = run("solve lorenz --json --plot '" + svg.path() + "'");
  CHECK(o.exit_status == 3);
  CHECK(o.err == full("--plot", svg.path()));
  CHECK(o.json()["status"] == "success");
  CHECK(run("schedule --steps 9 --slots 2 --plot '" + svg.path() + "'").exit_status == 3);
}

TEST_CASE("a run that is killed keeps the lines of its steps") {
  const temporary_file log("killed.jsonl");
  const outcome o = run(
      "solve lorenz --t1 1e6 --rtol 1e-12 --max-steps 1000000000 --steps-log '" + log.path() + "'",
      "timeout -s KILL 0.3");
  CHECK(o.exit_status != 0);
  std::istringstream lines(log.text());
  std::string line;
  int steps = 0;
  for (; std::getline(lines, line) && !lines.eof(); ++steps)
    CHECK(nlohmann::json::parse(line)["step"] == steps);
  CHECK(steps > 100);
}

TEST_CASE("slow slots and their file belong to a schedule that has them") {
  const std::vector<std::pair<std::string, std::string>> all{
      {"grad lorenz --spill .",
       "--spill with the schedule online (only two_tier has slow slots) leave it out, or choose "
       "two_tier?"},
      {"grad lorenz --schedule binomial --spill .",
       "--spill with the schedule binomial (only two_tier has slow slots) leave it out, or choose "
       "two_tier?"},
      {"grad lorenz --schedule two_tier --slots 3 --slow-slots 5",
       "--slow-slots 5 with 3 slots (the slow ones are among them) give at most as many?"},
      {"grad lorenz --schedule two_tier --slow-slots 101",
       "--slow-slots 101 with 100 slots (the slow ones are among them) give at most as many?"},
      {"schedule --kind two_tier --steps 20 --slots 3 --slow-slots 4",
       "--slow-slots 4 with 3 slots (the slow ones are among them) give at most as many?"},
      {"solve lorenz --y0 1,nan,1",
       "y0[1] = nan (a solve starts from numbers) give that element a value?"}};
  for (const auto& [words, text] : all) {
    const auto& the_words = words;
    CAPTURE(the_words);
    const outcome o = run(words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == text + "\n");
    CHECK(o.out.empty());
  }
  CHECK(run("grad lorenz --schedule two_tier --slots 3 --slow-slots 3 --spill .").exit_status == 0);
}

TEST_CASE("bounds on steps as large as integers go, and grids beyond them, are planned at once") {
  const std::string few = "grad lorenz --t1 1 --budget 64KiB --json";
  const auto all = run(few).json(), most = run(few + " --max-steps 9223372036854775807").json();
  CHECK(most["gradient"] == all["gradient"]);
  const outcome o =
      run("grad lorenz --fixed-step 1e-9 --t1 10 --max-steps 10 --budget 64KiB --json");
  CHECK(o.exit_status == 1);
  CHECK(o.json()["status"] == "max_steps");
}

}  // namespace revode::cli
