// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <cli/run.hpp>
#include <revode/config.hpp>

namespace revode::cli {
namespace {

using json = nlohmann::ordered_json;

std::string shown(double x) { return json(x).dump(); }

/// Is there a batch system in this build? Without one, ensembles run on threads.
bool lanes_are_built() {
  const outcome o = run("ensemble decay --lanes 1 --json");
  if (o.exit_status == 0) return o.json()["device"] != "threads";
  CHECK(o.exit_status == 2);
  CHECK(o.err.starts_with("lanes cannot run on the device (CUDA says: "));
  MESSAGE("skipped: ", o.err);
  return false;
}

TEST_CASE("ensemble --json: every lane has the numbers of its solve and gradient alone") {
  if (!lanes_are_built()) return;
  const outcome o = run("ensemble lorenz --lanes 5 --sweep p:1=20:30 --t1 2 --gradient --json");
  const auto j = o.json();

  CHECK(o.exit_status == 0);
  CHECK(o.err.empty());
  std::vector<std::string> keys;
  for (const auto& item : j.items()) keys.push_back(item.key());
  CHECK(keys == std::vector<std::string>{"lanes", "device", "statuses", "lane_params", "y", "stats",
                                         "seconds", "lanes_per_second", "loss", "gradient",
                                         "reverse"});
  CHECK(j["lanes"] == 5);
  CHECK(j["statuses"] == json{{"success", 5}});
  index accepted = 0;
  for (std::size_t l = 0; l < 5; ++l) {
    const double rho = 20 + 2.5 * static_cast<double>(l);
    CHECK(j["lane_params"][l] == json{10, rho, 8.0 / 3});
    const auto alone = run("grad lorenz --method tsit5 --t1 2 --json --params 10," + shown(rho) +
                           "," + shown(8.0 / 3))
                           .json();
    accepted += alone["stats"]["accepted"].get<index>();
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(j["y"][l][i].get<double>() ==
            doctest::Approx(alone["y"][i].get<double>()).epsilon(1e-9));
      CHECK(j["gradient"]["y0"][l][i].get<double>() ==
            doctest::Approx(alone["gradient"]["y0"][i].get<double>()).epsilon(1e-7));
      CHECK(j["gradient"]["p"][l][i].get<double>() ==
            doctest::Approx(alone["gradient"]["p"][i].get<double>()).epsilon(1e-7));
    }
  }
  CHECK(j["stats"]["accepted"] == accepted);
}

TEST_CASE("ensemble: other methods solve the lanes as they solve one problem") {
  if (!lanes_are_built()) return;
  for (const char* method : {"bosh3", "rk4 --fixed-step 0.01", "vern7", "dop853"})
    for (const char* problem : {"lorenz --t1 2", "kepler", "lotka_volterra", "vdpol --t1 2"}) {
      CAPTURE(method);
      CAPTURE(problem);
      const std::string words = std::string(problem) + " --json --method " + method;
      const auto lanes = run("ensemble --lanes 3 --sweep y0:0=0.5:1 " + words).json();
      const auto& y0 = lanes["lane_y0"][1];
      std::string start;
      for (const auto& x : y0) start += (start.empty() ? "" : ",") + x.dump();
      const auto alone = run("solve --y0 " + start + " " + words).json();
      for (std::size_t i = 0; i < y0.size(); ++i)
        CHECK(lanes["y"][1][i].get<double>() ==
              doctest::Approx(alone["y"][i].get<double>()).epsilon(1e-8));
    }
}

TEST_CASE("ensemble: lanes of stiff problems are solved by Rodas5P, to the references") {
  if (!lanes_are_built()) return;
  const auto j = run("ensemble rober --lanes 2 --sweep p:0=0.04:0.05 --rtol 1e-7 --json").json();
  CHECK(j["statuses"] == json{{"success", 2}});
  CHECK(j["y"][0][2].get<double>() == doctest::Approx(0.99999997916651517).epsilon(1e-7));
  CHECK(run("ensemble orego --lanes 1").out.find("method rodas5p (chosen)") != std::string::npos);
  CHECK(run("ensemble orego --lanes 2 --gradient --json").json()["device"] == "threads");
}

TEST_CASE("ensemble: gradients by other methods are those of one problem") {
  if (!lanes_are_built()) return;
  const std::vector<std::pair<std::string, std::string>> all{
      {"p:0=0.04:1", " rober --method rosenbrock23 --rtol 1e-5 --t1 40 --loss component:0 --json"},
      {"p:0=1.5:2", " lotka_volterra --method vern7 --t1 3 --loss squared --json"}};
  for (const auto& [sweep, words] : all) {
    const auto& the_words = words;
    CAPTURE(the_words);
    const auto lanes = run("ensemble --lanes 1 --gradient --sweep " + sweep + words).json(),
               alone = run("grad" + words).json();
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(lanes["gradient"]["p"][0][i].get<double>() ==
            doctest::Approx(alone["gradient"]["p"][i].get<double>()).epsilon(1e-6));
  }
}

TEST_CASE("ensemble: slots, log and budget choose the memory and change no bit") {
  if (!lanes_are_built()) return;
  const std::string words = "ensemble lotka_volterra --lanes 20 --sweep p:0=1:2 --gradient --json ";
  const auto plain = run(words + "--loss squared").json();
  CHECK(plain["reverse"]["plan"] == "states");
  CHECK(plain["reverse"]["replayed_rounds"] == 0);
  for (const char* memory : {"--slots 5", "--slots 5 --log controller", "--budget 20kB"}) {
    CAPTURE(memory);
    const auto j = run(words + "--loss squared " + memory).json();
    CHECK(j["reverse"]["plan"] != "states");
    CHECK(j["reverse"]["replayed_rounds"] > 0);
    CHECK(j["loss"] == plain["loss"]);
    CHECK(j["gradient"] == plain["gradient"]);
  }
  CHECK(run(words + "--slots 5").json()["reverse"]["slots"] == 5);
}

TEST_CASE("ensemble: lanes that fail are counted, their gradients are null, and the exit is 1") {
  if (!lanes_are_built()) return;
  const temporary_file csv("lanes.csv");
  const outcome o =
      run("ensemble vdpol --lanes 9 --sweep p:0=1:100:log --sweep y0:0=1:2 --max-steps 300 "
          "--gradient --json --out '" +
          csv.path() + "'");
  const auto j = o.json();

  CHECK(o.exit_status == 1);
  CHECK(j["statuses"] == json{{"success", 3}, {"max_steps", 6}});
  CHECK(j["lane_params"] == json::parse("[[1.0],[1.0],[1.0],[10.0],[10.0],[10.0],[100.0],[100.0],"
                                        "[100.0]]"));
  CHECK(j["lane_y0"][1] == json{1.5, 0.0});
  CHECK(j["loss"][2].is_number());
  CHECK(j["loss"][3].is_null());
  CHECK(j["gradient"]["p"][3].is_null());
  CHECK(j["stats"]["slowest"][0] == json{{"lane", 3}, {"attempts", 300}});

  std::istringstream lines(csv.text());
  std::string line;
  std::getline(lines, line);
  CHECK(line == "lane,status,t,accepted,rejected,p:0,y1,y2,loss,loss/y0:y1,loss/y0:y2,loss/p:0");
  for (int l = 0; l < 9; ++l) {
    std::getline(lines, line);
    CHECK(line.starts_with(std::to_string(l) + (l < 3 ? ",success,20," : ",max_steps,")));
    CHECK(line.ends_with(",nan,nan,nan,nan") == (l >= 3));
  }
}

TEST_CASE("ensemble: the time of an event is a loss of single solves") {
  const outcome o = run("ensemble bouncing_ball --lanes 2 --gradient --loss event:0");
  CHECK(o.exit_status == 2);
  CHECK(o.err ==
        "invalid --loss 'event:0' (the time of an event is a loss of single solves) take revode "
        "grad, or --loss sum?\n");
}

TEST_CASE("ensemble: a sweep of any length is read or refused in words") {
  if (!lanes_are_built()) return;
  const std::string long_one = "p:0=1" + std::string(100'000, '1') + ":2";
  const outcome o = run("ensemble lorenz --lanes 2 --sweep " + long_one);
  CHECK(o.exit_status == 2);
  CHECK(o.err.starts_with("invalid --sweep 'p:0=1111"));
  for (const char* part : {"p:0", "p:=1:2", "p:0=1=1:2", "p:0:=1:2", "q:0=1:2", "y0:0=1:2:log:log"})
    CHECK(run("ensemble lorenz --lanes 2 --sweep " + std::string(part)).exit_status == 2);
}

TEST_CASE("ensemble: without a sweep parameters are 1 to 1.1 times their own, the same each time") {
  if (!lanes_are_built()) return;
  const outcome o = run("ensemble kepler:0.3 --lanes 50 --json");
  if (o.exit_status != 0) {
    CHECK(o.err ==
          "no --sweep (lanes differ at random by Random123, which this build is without) "
          "give e.g. --sweep p:0=1:2, or build with librandom123-dev?\n");
    return;
  }
  const auto j = o.json();
  for (const auto& p : j["lane_params"]) {
    CHECK(p[0] >= 1.0);
    CHECK(p[0] < 1.1);
  }
  CHECK(j["lane_params"][0] != j["lane_params"][1]);
  CHECK(run("ensemble kepler:0.3 --lanes 50 --json").json()["y"] == j["y"]);
}

TEST_CASE("ensemble: the text names the slowest lanes") {
  if (!lanes_are_built()) return;
  const outcome o = run("ensemble lorenz --lanes 100 --sweep p:1=20:30 --gradient");
  CHECK(o.exit_status == 0);
  CHECK(o.err.empty());
  for (const char* part :
       {"lorenz from t = 0 to 10, method tsit5 (chosen), rtol 1e-6, atol 1e-9\n100 lanes on ",
        "p:1 from 20 to 30\nstatuses: 100 success\n", "\nslowest lanes: ", " attempts, p = 10, ",
        " lanes/s\nloss: sum of the final state", "\nreverse: plan states, "}) {
    CAPTURE(part);
    CHECK(o.out.find(part) != std::string::npos);
  }
}

TEST_CASE(
    "ensemble on threads: any problem by any method, in the bits of its solve and gradient alone") {
  for (const char* what : {"pleiades --method dopri5", "rober --t1 10", "bouncing_ball",
                           "hires --method esdirk547", "lorenz --t1 2 --method rkc --rtol 1e-3"}) {
    CAPTURE(what);
    const auto j = run("ensemble " + std::string(what) +
                       " --lanes 4 --device threads --gradient --loss squared --json")
                       .json();
    CHECK(j["device"] == "threads");
    CHECK(j["reverse"]["plan"] == "recursive_checkpoint");
    for (const std::size_t l : {std::size_t{0}, std::size_t{3}}) {
      std::string p;
      for (const auto& x : j["lane_params"][l]) p += (p.empty() ? "" : ",") + shown(x);
      const auto alone =
          run("grad " + std::string(what) + " --loss squared --unresolved inf --json" +
              (p.empty() ? "" : " --params " + p))
              .json();
      CHECK(j["y"][l] == alone["y"]);
      CHECK(j["loss"][l] == alone["loss"]);
      CHECK(j["gradient"]["y0"][l] == alone["gradient"]["y0"]);
      CHECK(j["gradient"]["p"][l] == alone["gradient"]["p"]);
    }
  }
}

TEST_CASE("ensemble: lanes and threads agree to the bit, gradients as well") {
  if (!lanes_are_built()) return;
  const std::string what = "ensemble lorenz --t1 2 --lanes 5 --gradient --json";
  const auto lanes = run(what).json(),
             threads = run(what + " --device threads --method tsit5").json();
  for (const char* key : {"y", "loss", "gradient", "lane_params", "statuses"})
    CHECK(lanes[key] == threads[key]);
}

TEST_CASE("ensemble: pictures of final states and of step counts") {
  if (!lanes_are_built() || std::system("gnuplot --version >/dev/null 2>&1") != 0) return;
  for (const char* what : {"lorenz --t1 1", "decay --sweep p:0=1:2", "lorenz96:8 --t1 0"}) {
    CAPTURE(what);
    const temporary_file plot("lanes.svg"), counts("counts.png");
    const outcome o = run("ensemble --lanes 40 " + std::string(what) + " --plot '" + plot.path() +
                          "' --histogram '" + counts.path() + "'");
    CHECK(o.exit_status == 0);
    CHECK(o.err.empty());
    CHECK(plot.text().find("</svg>") != std::string::npos);
    CHECK(counts.text().starts_with("\x89PNG"));
  }
}

TEST_CASE("ensemble: misuse is one line of the known form") {
  if (!lanes_are_built()) return;
  const std::string known =
      "decay, harmonic, lotka_volterra, lorenz, vdpol, brusselator, kepler, lorenz96:8, rober, "
      "orego";
  const std::string device = run("ensemble decay --lanes 1 --json").json()["device"],
                    on_lanes = " --device " + device;
  const std::vector<std::pair<std::string, std::string>> all{
      {"lorenz", "no --lanes (an ensemble is made of so many problems) give e.g. --lanes 1000?"},
      {"lorenz --lanes 0", "--lanes 0 (an ensemble has 1 to 1000000000000) give a number between?"},
      {"lorenz --lanes 1 --device gpu",
       "unknown device 'gpu' (not in the list of devices) give cpp, omp, tbb, cuda or threads?"},
      {"pleiades --lanes 1" + on_lanes, "--device " + device +
                                            " for pleiades (its lanes are compiled for " + known +
                                            ") leave it out to solve on threads?"},
      {"lorenz96:9 --lanes 1" + on_lanes, "--device " + device +
                                              " for lorenz96:9 (its lanes are compiled for " +
                                              known + ") leave it out to solve on threads?"},
      {"lorenz --lanes 1 --method dopri5" + on_lanes,
       "--device " + device +
           " with --method dopri5 (lanes for lorenz are compiled for tsit5, bosh3, rk4, vern7, "
           "dop853) "
           "choose one of these, or leave it out to solve on threads?"},
      {"lorenz --lanes 1 --method rk4",
       "method rk4 without --fixed-step (it has no error estimate to choose steps by) give "
       "--fixed-step H, or a method with an estimate such as tsit5?"},
      {"lorenz --lanes 1 --method vern7 --gradient" + on_lanes,
       "--device " + device +
           " with --method vern7 (lanes for gradients of lorenz are compiled for tsit5) choose one "
           "of "
           "these, or leave it out to solve on threads?"},
      {"lorenz --lanes 1 --sweep p:7=1:2",
       "invalid --sweep 'p:7=1:2' (the parameters of lorenz are 0 to 2, or their names) give e.g. "
       "--sweep p:0=1:2?"},
      {"lorenz --lanes 1 --sweep p:0=1",
       "invalid --sweep 'p:0=1' (p:I=lo:hi, y0:I=lo:hi, or one of these with :log is needed) give "
       "e.g. --sweep p:0=1:2?"},
      {"lorenz --lanes 1 --sweep p:0=1:x",
       "invalid --sweep 'p:0=1:x' (p:I=lo:hi, y0:I=lo:hi, or one of these with :log is needed) "
       "give e.g. --sweep p:0=1:2?"},
      {"lorenz --lanes 1 --sweep p:0=0:2:log",
       "invalid --sweep 'p:0=0:2:log' (logarithms need positive ends) give e.g. --sweep p:0=1:2?"},
      {"lorenz --lanes 10 --sweep p:0=1:2 --sweep p:1=20:30",
       "--lanes 10 with 2 sweeps (a grid has as many values of each) give 9 or 16?"},
      {"lorenz --lanes 1 --slots 3",
       "--slots without --gradient (it says how a gradient is made) add --gradient, or leave it "
       "out?"},
      {"lorenz --lanes 1 --gradient --slots 0",
       "slots = 0 (a reverse pass needs at least the initial state) give slots >= 1?"},
      {"lorenz --lanes 1 --histogram a.pdf",
       "invalid --histogram 'a.pdf' (pictures are SVG or PNG) give a name that ends in .svg or "
       ".png?"},
      {"lorenz --lanes 1 --save-at 1",
       "unknown option '--save-at' (not in the list of options of 'revode ensemble') run 'revode "
       "ensemble --help'?"}};
  for (const auto& [words, text] : all) {
    const auto& the_words = words;
    CAPTURE(the_words);
    const outcome o = run("ensemble " + words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == text + "\n");
    CHECK(o.out.empty());
  }
}

TEST_CASE("ensemble: the device of another build is said to be that, and how it is built") {
  if (!lanes_are_built()) return;
  const std::string built = run("ensemble decay --lanes 1 --json").json()["device"];
  const std::string other = built == "cuda" ? "tbb" : "cuda",
                    upper = built == "cuda" ? "TBB" : "CUDA";
  CHECK(run("ensemble decay --lanes 1 --device " + other).err ==
        "--device " + other + " (lanes of this build run on " + built +
            ") leave it out, or configure a build with -DREVODE_BATCH_SYSTEM=" + upper + "?\n");
  CHECK(run("ensemble decay --lanes 1 --device " + built).exit_status == 0);
}

TEST_CASE("ensemble: more lanes than memory says what they need and what would fit") {
  if (!lanes_are_built()) return;
  const outcome o = run("ensemble lorenz --lanes 900000000000 --sweep p:0=1:2");
  CHECK(o.exit_status == 2);
  CHECK(
      o.err.starts_with("900000000000 lanes need 309600000000000 bytes for their parameters and "
                        "results ("));
  CHECK(o.err.find(" are free) solve at most ") != std::string::npos);
  CHECK(o.err.ends_with(" at a time?\n"));
}

}  // namespace
}  // namespace revode::cli
