// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <cli/run.hpp>

namespace revode::cli {
namespace {

struct refusal {
  const char* words;
  const char* text;
};
using cases = std::vector<refusal>;

/// Exit status 2, the text as the one line on stderr, nothing on stdout.
void check(const cases& all) {
  for (const refusal& expected : all) {
    CAPTURE(expected.words);
    const outcome o = run(expected.words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == std::string(expected.text) + "\n");
    CHECK(o.out.empty());
  }
}

TEST_CASE("unknown names come with the nearest known one") {
  check(
      {{"slove lorenz",
        "unknown command 'slove' (not in the list of commands) did you mean 'solve'?"},
       {"xyzzy", "unknown command 'xyzzy' (not in the list of commands) run 'revode --help'?"},
       {"solve lornz",
        "unknown problem 'lornz' (not in the list of named problems) did you mean 'lorenz'?"},
       {"solve lorenz --method tist5",
        "unknown method 'tist5' (not in the list of methods) did you mean 'tsit5'?"},
       {"solve lorenz --method quux",
        "unknown method 'quux' (not in the list of methods) run 'revode list methods'?"},
       {"grad lorenz --schedule binomal",
        "unknown schedule 'binomal' (not in the list of schedules) did you mean 'binomial'?"},
       {"schedule --steps 9 --kind nsted",
        "unknown schedule 'nsted' (not in the list of schedules) did you mean 'nested'?"},
       {"grad lorenz --adjoint recursive_chekpoint",
        "unknown adjoint 'recursive_chekpoint' (not in the list of adjoints) did you mean "
        "'recursive_checkpoint'?"},
       {"grad lorenz --loss sun",
        "unknown loss 'sun' (not in the list of losses) did you mean 'sum'?"},
       {"list method", "unknown list 'method' (not in the list of lists) did you mean 'methods'?"},
       {"solve lorenz --mehtod tsit5",
        "unknown option '--mehtod' (not in the list of options of 'revode solve') did you mean "
        "'--method'?"},
       {"solve lorenz -x=1",
        "unknown option '-x' (not in the list of options of 'revode solve') run "
        "'revode solve --help'?"}});
}

TEST_CASE("what is missing or too much is named") {
  check(
      {{"", "no command given (revode does one thing at a time) run 'revode --help'?"},
       {"solve", "no problem given ('revode solve' needs its name) run 'revode list problems'?"},
       {"grad", "no problem given ('revode grad' needs its name) run 'revode list problems'?"},
       {"solve lorenz --rtol",
        "option --rtol without a value (it takes one) write it after --rtol?"},
       {"solve lorenz decay",
        "surplus word 'decay' ('revode solve' has all it takes before it) leave it out?"},
       {"schedule", "no --steps (a schedule is made for a number of steps) give e.g. --steps 10?"},
       {"schedule --steps 10",
        "no --slots (a binomial schedule is made for a number of snapshots) give e.g. --slots 3?"},
       {"solve lorenz --method rk4",
        "method rk4 without --fixed-step (it has no error estimate to choose steps by) give "
        "--fixed-step H, or a method with an estimate such as tsit5?"},
       {"solve lorenz --save-at 1 --save-count 2",
        "--save-at together with --save-count (each says which times are saved) give one of them?"},
       {"grad lorenz --slots 2 --budget 64KiB",
        "slots = 2 and budget = 65536 bytes (both bound the same memory) give one of them?"},
       {"grad lorenz --base 4",
        "--base with the schedule online (only nested has levels) leave it out, or choose "
        "nested?"}});
}

TEST_CASE("values that are none are refused with an example") {
  check(
      {{"solve lorenz --rtol abc",
        "invalid --rtol 'abc' (a number is needed) give e.g. --rtol 0.5?"},
       {"solve lorenz --max-steps 1.5",
        "invalid --max-steps '1.5' (a whole number is needed) give e.g. --max-steps 1000?"},
       {"solve lorenz --y0 1,b,3",
        "invalid --y0 '1,b,3' ('b' is not a number) separate numbers by commas, or give @file?"},
       {"solve lorenz --y0 1,2",
        "--y0 with 2 numbers (the state of lorenz takes 3) give that many?"},
       {"solve lorenz --params 1", "--params with 1 number (lorenz takes 3) give that many?"},
       {"solve lorenz --y0 @/nowhere/list",
        "cannot read '/nowhere/list' for --y0 (No such file or directory) give a file of numbers "
        "after the @?"},
       {"solve lorenz --save-count 0",
        "invalid --save-count '0' (the interval is cut into 1 to 100000000 equal parts) give e.g. "
        "--save-count 100?"},
       {"grad lorenz --budget 64KX",
        "invalid --budget '64KX' (a number of bytes is needed, alone or with B, kB, MB, GB, KiB, "
        "MiB or GiB) give e.g. --budget 64KiB?"},
       {"grad lorenz --loss component:3",
        "invalid --loss 'component:3' (the components of lorenz are 0 to 2, or their names) "
        "give e.g. --loss component:x?"},
       {"solve lorenz --out /nowhere/a.csv",
        "cannot write '/nowhere/a.csv' for --out (there is no such folder) give a file in an "
        "existing folder?"},
       {"solve lorenz --plot a.pdf",
        "invalid --plot 'a.pdf' (pictures are SVG or PNG) give a name that ends in .svg or .png?"},
       {"schedule --steps -1 --slots 2",
        "--steps -1 (every step is counted: 0 to 50000000) give a number between?"},
       {"schedule --steps 1000000 --slots 1",
        "--steps 1000000 with --slots 1 (500000500000 step evaluations are too many to count one "
        "by one) give more slots?"}});
}

TEST_CASE("the library's own refusals pass through") {
  check({{"solve lorenz --rtol 0 --atol 0",
          "invalid tolerances rtol=0, atol=0 (at least one must be positive) give e.g. rtol=1e-6, "
          "atol=1e-9?"},
         {"solve lorenz --save-at 11",
          "save point 11 outside the interval (it runs from 0 to 10) leave it out, or move t1?"},
         {"grad lorenz --slots 0",
          "slots = 0 (a reverse pass needs at least the initial state) give slots >= 1?"},
         {"schedule --steps 10 --slots 0",
          "slots = 0 (a reverse pass needs at least the initial state) give slots >= 1?"},
         {"schedule --steps 10 --kind nested --base 1",
          "base = 1 (a chunk is split into at least 2) give base >= 2?"},
         {"solve lorenz:3",
          "invalid problem 'lorenz:3' (lorenz takes no argument) did you mean 'lorenz'?"}});
}

TEST_CASE("help and version are no misuse") {
  CHECK(run("--version").out.starts_with("revode 0.2.0\nproducts of networks by "));
  for (const char* words :
       {"--help", "solve --help", "grad -h", "schedule --help", "list --help", "train --help"}) {
    CAPTURE(words);
    const outcome o = run(words);
    CHECK(o.exit_status == 0);
    CHECK(o.err.empty());
    CHECK(o.out.find("Usage:") != std::string::npos);
  }
}

TEST_CASE("numbers may be negative, and an option given twice counts as its last") {
  CHECK(run("solve decay --t0 -1 --t1=-1 --json").json()["t"] == -1.0);
  CHECK(run("solve decay --y0 -2,  --t1 0 --json").exit_status == 2);
  CHECK(run("solve decay --y0 -2 --t1 0 --json").json()["y"][0] == -2.0);
  CHECK(run("solve decay --t1 5 --t1 0 --json").json()["t"] == 0.0);
}

}  // namespace
}  // namespace revode::cli
