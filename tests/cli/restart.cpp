// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <cli/run.hpp>

namespace revode::cli {
namespace {

/// The file of a run and those beside it.
struct kept_run {
  temporary_file file{"run.kept"}, old{"run.kept.old"}, fresh{"run.kept.new"};
  std::string option() const { return " --restart '" + file.path() + "'"; }
};

/// Lets the command begin, and asks it to keep its run and end.
void run_and_terminate(const std::string& words, const char* seconds) {
  run(words, std::string("timeout -s TERM ") + seconds);
}

}  // namespace

TEST_CASE("a command that is killed and given again writes the bytes of one that is not") {
  for (const std::string& words :
       {std::string("solve lorenz --t1 2000 --rtol 1e-10 --save-count 7 --method tsit5"),
        std::string("grad lorenz --t1 4 --rtol 1e-11 --slots 5 --method tsit5"),
        std::string("ensemble lorenz --lanes 3000 --t1 1 --device threads --method tsit5 "
                    "--gradient --sweep p:1=20:30")}) {
    CAPTURE(words);
    const kept_run kept;
    const temporary_file whole("whole.npz"), resumed("resumed.npz");
    CHECK(run(words + " --out '" + whole.path() + "'").exit_status == 0);
    for (const char* seconds : {"0.05", "0.1", "0.1"})
      run_and_terminate(words + kept.option(), seconds);
    CHECK(run(words + kept.option() + " --out '" + resumed.path() + "'").exit_status == 0);
    CHECK(kept.file.exists());
    CHECK(whole.text().size() > 1000);
    CHECK(resumed.text() == whole.text());
    // it has ended: the same again solves nothing
    CHECK(run(words + kept.option() + " --out '" + resumed.path() + "'").exit_status == 0);
    CHECK(resumed.text() == whole.text());
  }
}

TEST_CASE("a training that is killed twenty times ends in the numbers of one that is not") {
  for (const std::string& words : {std::string("train spiral --epochs 30 --seed 2 --json"),
                                   std::string("train density --epochs 3 --json")}) {
    CAPTURE(words);
    const kept_run kept;
    const temporary_file whole("whole.safetensors"), resumed("resumed.safetensors");
    const auto first = run(words + " --out '" + whole.path() + "'").json();
    // Asked to end, where it keeps itself, and by SIGKILL, where it cannot.
    for (int k = 0; k < 20; ++k) {
      const std::string seconds = "0.0" + std::to_string(10 + 37 * k % 90);
      run(words + kept.option(),
          std::string("timeout -s ") + (k % 2 == 0 ? "TERM " : "KILL ") + seconds);
    }
    const auto again = run(words + kept.option() + " --out '" + resumed.path() + "'").json();
    for (const char* number : {"status", "steps", "losses", "distance", "held_out_loss"})
      if (first.contains(number)) CHECK(again[number] == first[number]);
    CHECK(resumed.text() == whole.text());
    const auto refused = [&](const char* other) {
      const std::string err = run(other + kept.option()).err,
                        start = "is that of another run (its ";
      return err.substr(err.find(start) + start.size());
    };
    CHECK(refused("train spiral --epochs 31").find(", here it is ") != std::string::npos);
    CHECK(refused("solve lorenz").starts_with("kind is a training) "));
  }
}

TEST_CASE("--restart: misuse is one line of the known form") {
  const kept_run kept;
  run("solve lorenz --t1 1 --method tsit5" + kept.option());
  const std::string name = "the restart file '" + kept.file.path() + "'";
  const std::vector<std::pair<std::string, std::string>> all{
      {"solve lorenz --t1 1 --method dop853" + kept.option(),
       name +
           " is that of another run (its method is tsit5, here it is dop853) give another name, or "
           "remove it to begin anew?"},
      {"solve decay --why --restart x",
       "--why with --restart (the steps before a restart are not taken again) leave one of them "
       "out?"},
      {"solve decay --restart /nowhere/x",
       "cannot write '/nowhere/x' for --restart (there is no such folder) give a file in an "
       "existing "
       "folder?"},
      {"solve decay --restart '" REVODE_COMMAND "'",
       "the restart file '" REVODE_COMMAND "' is no file of a run of this version (it does not "
       "begin as one) give another name, or remove "
       "it?"}};
  for (const auto& [words, text] : all) {
    const auto& the_words = words;
    CAPTURE(the_words);
    const outcome o = run(words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == text + "\n");
  }
  std::filesystem::remove(kept.old.path());
  std::filesystem::rename(kept.file.path(), kept.old.path());
  CHECK(
      run("grad lorenz --t1 1 --method dop853" + kept.option())
          .err.starts_with(name.substr(0, name.size() - 1) + ".old' is that of another run (its "));
}

}  // namespace revode::cli
