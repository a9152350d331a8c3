// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include <cli/run.hpp>

namespace revode::cli {
namespace {

TEST_CASE("--out writes the save points as CSV that reads back to the same bits") {
  const temporary_file csv("points.csv");

  const auto j = run("solve lorenz --save-count 3 --json --out '" + csv.path() + "'").json();

  std::istringstream lines(csv.text());
  std::string line;
  std::getline(lines, line);
  CHECK(line == "t,x,y,z");
  std::size_t k = 0;
  for (; std::getline(lines, line); ++k) {
    const auto row = nlohmann::ordered_json::parse("[" + line + "]");
    CHECK(row[0].get<double>() == j["ts"][k].get<double>());
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(row[i + 1].get<double>() == j["ys"][k][i].get<double>());
  }
  CHECK(k == 4);
}

TEST_CASE("--out without save points writes the start and the end") {
  const temporary_file csv("ends.csv");

  run("solve decay --t1 0 --t0 0 --out '" + csv.path() + "'");

  CHECK(csv.text() == "t,y1\n0,1\n0,1\n");
}

TEST_CASE("a list can come from a file, one number a line or between commas") {
  const temporary_file list("list");
  std::ofstream(list.path()) << "10\n28.0,\n  2.5\n";

  const auto from_file = run("solve lorenz --json --params '@" + list.path() + "'").json();

  CHECK(from_file["y"] == run("solve lorenz --json --params 10,28,2.5").json()["y"]);
}

TEST_CASE("a file that is no text is refused, its control characters as question marks") {
  const temporary_file list("list");
  std::ofstream(list.path()) << "10" << '\0' << " 28 2.5";
  const outcome refused = run("solve lorenz --params '@" + list.path() + "'");
  CHECK(refused.exit_status == 2);
  CHECK(refused.err.find("('10?' is not a number)") != std::string::npos);
}

}  // namespace
}  // namespace revode::cli
