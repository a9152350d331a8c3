// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <cli/run.hpp>
#include <revode/problems/bouncing_ball.hpp>

namespace revode::cli {
namespace {

using json = nlohmann::ordered_json;

/// Values and derivatives here are of the order of 1 to 50.
auto near(double x) { return doctest::Approx(x).epsilon(1e-11).scale(10); }

/// Derivatives of the bounces' times and of the final height, by hand.
struct closed_form {
  double g = 9.81, r = 0.8;
  double time(int k) const { return bouncing_ball{}.bounce_time(k); }
  double time_by_g(int k) const { return -time(k) / (2 * g); }
  double time_by_r(int k) const {
    double sum = 0;
    for (int i = 1; i <= k; ++i) sum += 2 * i * std::pow(r, i - 1);
    return std::sqrt(2 / g) * sum;
  }
  double since = bouncing_ball::t1 - time(3), speed = std::pow(r, 4) * std::sqrt(2 * g);
  double height_by_g() const {
    return -time_by_g(3) * (speed - g * since) + since * speed / (2 * g) - since * since / 2;
  }
  double height_by_r() const { return -time_by_r(3) * (speed - g * since) + since * 4 * speed / r; }
};

TEST_CASE("bouncing_ball is solved through four bounces, which are listed") {
  const temporary_file csv("events.csv");
  const outcome o = run("solve bouncing_ball --json --events '" + csv.path() + "'");
  const auto j = o.json();

  CHECK(o.exit_status == 0);
  CHECK(j["status"] == "success");
  CHECK(j["y"][0].get<double>() == near(bouncing_ball{}.reference()[0]));
  CHECK(j["y"][1].get<double>() == near(bouncing_ball{}.reference()[1]));
  REQUIRE(j["events"].size() == 4);
  std::istringstream lines(csv.text());
  std::string line;
  std::getline(lines, line);
  CHECK(line == "t,event,step");
  for (std::size_t k = 0; k < 4; ++k) {
    const json& e = j["events"][k];
    CHECK(e["event"] == "bounce");
    CHECK(e["t"].get<double>() == near(closed_form{}.time(static_cast<int>(k))));
    std::getline(lines, line);
    CHECK(line == e["t"].dump() + ",bounce," + e["step"].dump());
  }
  CHECK_FALSE(run("solve lorenz --json").json().contains("events"));
}

TEST_CASE("the gradient of bouncing_ball goes through its bounces, in one state as in all") {
  const closed_form exact;
  for (const char* how : {"", "--slots 1", "--rtol 1e-10 --slots 2", "--schedule store_all"}) {
    CAPTURE(how);
    const auto j =
        run(std::string("grad bouncing_ball --loss component:0 --check --json ") + how).json();
    CHECK(j["gradient"]["p"][0].get<double>() == near(exact.height_by_g()));
    CHECK(j["gradient"]["p"][1].get<double>() == near(exact.height_by_r()));
    CHECK(j["check"]["dot_product"]["difference"].get<double>() < 1e-12);
    CHECK(j["check"]["gradient"]["difference"].get<double>() < 1e-12);
  }
}

TEST_CASE("implicit and Rosenbrock methods go through bounces, and so do continuous adjoints") {
  const closed_form exact;
  for (const char* how : {"--method rodas5p", "--method radau_iia5", "--method dop853",
                          "--adjoint backsolve", "--adjoint interpolating", "--adjoint gauss"}) {
    CAPTURE(how);
    const std::string words = std::string("grad bouncing_ball --json --check ") + how;
    const auto height = run(words + " --loss component:0").json(),
               time = run(words + " --loss event:2").json();
    CHECK(height["events"].size() == 4);
    CHECK(height["gradient"]["p"][0].get<double>() ==
          doctest::Approx(exact.height_by_g()).epsilon(1e-7));
    CHECK(height["gradient"]["p"][1].get<double>() ==
          doctest::Approx(exact.height_by_r()).epsilon(1e-7));
    CHECK(time["loss"].get<double>() == near(exact.time(2)));
    CHECK(time["gradient"]["p"][1].get<double>() ==
          doctest::Approx(exact.time_by_r(2)).epsilon(1e-7));
    CHECK(time["check"]["gradient"]["difference"].get<double>() < 1e-7);
  }
}

TEST_CASE("a loss may be the time of an event") {
  const auto j = run("grad bouncing_ball --loss event:2 --check --json").json();

  CHECK(j["loss"].get<double>() == near(closed_form{}.time(2)));
  CHECK(j["gradient"]["p"][0].get<double>() == near(closed_form{}.time_by_g(2)));
  CHECK(j["gradient"]["p"][1].get<double>() == near(closed_form{}.time_by_r(2)));
  CHECK(j["check"]["gradient"]["difference"].get<double>() < 1e-12);
}

TEST_CASE("bounces that accumulate end with a status, and people see the events") {
  const outcome zeno = run("solve bouncing_ball --t1 5 --json");
  CHECK(zeno.exit_status == 1);
  CHECK(zeno.json()["status"] == "event_not_resolved");
  const std::string text = run("grad bouncing_ball --loss event:0").out;
  CHECK(text.find("4 events\n  0  bounce  t = 0.451523641\n  1  bounce  t = 1.173961467\n") !=
        std::string::npos);
  CHECK(text.find("loss: time of event 0 = 0.45152364098") != std::string::npos);
}

TEST_CASE("a picture of events has a panel a component") {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) return;
  const temporary_file svg("events.svg");
  CHECK(run("solve bouncing_ball --plot '" + svg.path() + "'").exit_status == 0);
  CHECK(svg.text().find("height") != std::string::npos);
  CHECK(svg.text().find("speed") != std::string::npos);
  CHECK(svg.text().find("4 events") != std::string::npos);
}

TEST_CASE("the step log has a line a step, of the steps that were taken") {
  for (const char* problem : {"bouncing_ball", "lorenz --save-at 1,2", "rober"}) {
    CAPTURE(problem);
    const temporary_file log("steps.jsonl");
    const auto j =
        run(std::string("solve --json ") + problem + " --steps-log '" + log.path() + "'").json();
    std::istringstream lines(log.text());
    std::string line;
    double t = 0;
    int steps = 0;
    for (; std::getline(lines, line); ++steps) {
      const auto row = json::parse(line);
      CHECK(row["step"] == steps);
      CHECK((steps == 0 || row["t"].get<double>() > t));
      if (steps > 0) CHECK(row["h"].get<double>() == row["t"].get<double>() - t);
      t = row["t"];
      if (row["t"] == j["t"]) CHECK(row["y"] == j["y"]);
    }
    CHECK(steps == j["stats"]["accepted"].get<int>() + 1);
    CHECK(t == j["t"]);
  }
}

TEST_CASE("a step ends where a problem's field jumps, and few are rejected there") {
  const auto j = run("solve brusselator_2d --json").json();
  CHECK(j["stats"]["rejected"] < 6);  // 11 without the stop at t = 1.1
}

TEST_CASE("misuse of events says what to do") {
  const std::vector<std::pair<std::string, std::string>> all{
      {"solve lorenz --events a.csv",
       "--events with lorenz (it has no events) leave it out, or choose a problem such as "
       "bouncing_ball?"},
      {"solve bouncing_ball --events /nowhere/a.csv",
       "cannot write '/nowhere/a.csv' for --events (there is no such folder) give a file in an "
       "existing folder?"},
      {"solve lorenz --steps-log /nowhere/a",
       "cannot write '/nowhere/a' for --steps-log (there is no such folder) give a file in an "
       "existing folder?"},
      {"grad bouncing_ball --loss event:4",
       "--loss event:4 (4 events occurred, counted from 0) give an earlier one, or a later "
       "--t1?"},
      {"grad bouncing_ball --loss event:x",
       "invalid --loss 'event:x' (events are counted from 0) give e.g. --loss event:0?"},
      {"grad lorenz --loss event:0",
       "invalid --loss 'event:0' (lorenz has no events) give e.g. --loss sum?"},
      {"solve detest:F1",
       "unknown number 'F1' in 'detest:F1' (there are A1 to A5, B1 to B5, up to E5) did you mean "
       "'detest:A1'?"}};
  for (const auto& [words, text] : all) {
    const auto& the_words = words;
    CAPTURE(the_words);
    const outcome o = run(words);
    CHECK(o.exit_status == 2);
    CHECK(o.err == text + "\n");
    CHECK(o.out.empty());
  }
}

}  // namespace
}  // namespace revode::cli
