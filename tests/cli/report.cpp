// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "run.hpp"

// The page of --report: what its charts hold is compared with what the command prints.

namespace revode::cli {
namespace {

/// What a page's script begins with behind these words.
nlohmann::ordered_json after(const std::string& page, const std::string& before) {
  const std::size_t from = page.find(before) + before.size();
  return nlohmann::ordered_json::parse(page.substr(from, page.find(";\n", from) - from));
}

/// The charts of a page; none: the command was built without.
nlohmann::ordered_json charts_of(const std::string& page) {
  return after(page, "<script>\nconst charts=");
}

bool without_charts(const outcome& o) {
  return o.err.find("built without its charts") != std::string::npos;
}

bool ascends(const nlohmann::ordered_json& rows) {
  return std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a[0].template get<double>() < b[0].template get<double>();
  });
}

}  // namespace

TEST_CASE(
    "the report of a solve: its curves, its steps, what was printed, and nothing from elsewhere") {
  const temporary_file file("solve.html");
  const outcome o = run("solve lorenz --save-at 5 --report '" + file.path() + "'");
  if (without_charts(o)) return;
  REQUIRE(o.exit_status == 0);
  const std::string page = file.text();
  CHECK(page.find(" src=") == page.npos);
  CHECK(page.find("href=") == page.npos);
  CHECK(page.find("<code>revode solve lorenz --report ") != page.npos);
  CHECK(page.find("<pre>" + o.out + "</pre>") != page.npos);
  const auto charts = charts_of(page);
  REQUIRE(charts.size() == 2);
  const auto y = run("solve lorenz --save-at 5 --json").json();
  CHECK(charts[0]["names"] == std::vector<std::string>{"x", "y", "z"});
  const auto& last = charts[0]["rows"].back();
  CHECK(last[0] == 10);
  for (std::size_t i = 0; i < 3; ++i) CHECK(last[i + 1] == y["y"][i]);
  CHECK(charts[1]["rows"].size() == y["stats"]["accepted"].get<std::size_t>());
  double sum = 0;
  for (const auto& row : charts[1]["rows"]) sum += row[1].get<double>();
  CHECK(sum == doctest::Approx(10));
  // backwards, and of more steps than are drawn, the axis ascends; of a stiff problem each curve has its own
  REQUIRE(run("solve lorenz --t1 -1 --report '" + file.path() + "'").exit_status == 0);
  for (const auto& chart : charts_of(file.text())) {
    CHECK(ascends(chart["rows"]));
    CHECK(chart["rows"].size() <= 8000);
    CHECK(chart["rows"].back()[0].get<double>() <= 0);
  }
  REQUIRE(run("solve rober --report '" + file.path() + "'").exit_status == 0);
  const auto stiff = charts_of(file.text());
  REQUIRE(stiff.size() == 4);
  CHECK(stiff[1]["names"] == std::vector<std::string>{"y2"});
  CHECK(stiff[1]["log_across"] == true);
}

TEST_CASE("the report of a gradient and of an ensemble") {
  const temporary_file file("more.html");
  const outcome o = run("grad bouncing_ball --report '" + file.path() + "'");
  if (without_charts(o)) return;
  REQUIRE(o.exit_status == 0);
  const std::string page = file.text();
  CHECK(charts_of(page)[0]["marks"].size() == 4);
  CHECK(page.find("<tr><td>y0 height</td><td>11.945") != page.npos);
  CHECK(page.find("<tr><td>t1</td><td>-9.8176") != page.npos);
  REQUIRE(run("ensemble lorenz --device threads --lanes 16 --sweep p:1=20:30 --report '" +
              file.path() + "'")
              .exit_status == 0);
  const auto charts = charts_of(file.text());
  REQUIRE(charts.size() == 2);
  CHECK(charts[0]["rows"].size() == 16);
  CHECK(charts[0]["rows"].back()[0] == 30);
  double lanes = 0;
  for (const auto& row : charts[1]["rows"]) lanes += row[1].get<double>();
  CHECK(lanes == 16);
}

TEST_CASE("the report of a training: its losses, and what was learned") {
  const temporary_file file("train.html");
  const std::string words = "train density --epochs 2 --report '" + file.path() + "'";
  const outcome o = run(words);
  if (without_charts(o)) return;
  REQUIRE(o.exit_status == 0);
  const std::string page = file.text();
  CHECK(page.find(" src=") == page.npos);
  CHECK(page.find("href=") == page.npos);
  CHECK(page.find("<code>revode train density --epochs 2 --report ") != page.npos);
  CHECK(page.find("<pre>" + o.out + "</pre>") != page.npos);
  const auto losses = charts_of(page);
  const auto said = run(words + " --json").json();
  REQUIRE(losses.size() == 1);
  CHECK(losses[0]["across"] == "epoch");
  CHECK(losses[0]["log_up"] == false);
  REQUIRE(losses[0]["rows"].size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(losses[0]["rows"][k][0] == k + 1);
    CHECK(losses[0]["rows"][k][1] == said["losses"][k]);
    CHECK(losses[0]["rows"][k][2] == said["true_loss"]);
  }
  const auto learned = after(page, "\nconst planes=");
  REQUIRE(learned.size() == 2);
  const double cell = (3.5 + 3.5) / learned[0]["side"].get<double>();
  double mass = 0;  // of a density
  for (const auto& p : learned[0]["shades"]) mass += p.get<double>() * cell * cell;
  CHECK(mass > 0.9);
  CHECK(mass < 1.01);
  CHECK(learned[1]["shades"].empty());
  CHECK(learned[1]["drawn"][0]["points"].size() == 1500);
}

TEST_CASE("the report of a training over decades, and of one that fails") {
  const temporary_file file("spiral.html");
  const outcome o = run("train spiral --epochs 6 --report '" + file.path() + "'");
  if (without_charts(o)) return;
  CHECK(charts_of(file.text())[0]["log_up"] == true);
  CHECK(charts_of(file.text())[0]["rows"].size() == 6);
  const auto learned = after(file.text(), "\nconst planes=");
  REQUIRE(learned.size() == 1);
  const auto& network = learned[0]["drawn"][0]["points"];
  const auto& data = learned[0]["drawn"][1]["points"];
  REQUIRE(network.size() == 5 * 120 + 1);
  REQUIRE(data.size() == 120 + 1);
  CHECK(network[0] == data[0]);
  for (std::size_t k = 0; k <= 120; ++k)  // y = 2 exp(-t/10) (cos 2t, -sin 2t) at t = k/10
    CHECK(std::hypot(data[k][0].get<double>(), data[k][1].get<double>()) ==
          doctest::Approx(2 * std::exp(-0.01 * static_cast<double>(k))).epsilon(1e-5));
  CHECK(network[5][0].get<double>() == doctest::Approx(data[1][0].get<double>()).epsilon(0.2));
  CHECK(run("train spiral --rate 1e6 --report '" + file.path() + "'").exit_status == 1);
  CHECK(charts_of(file.text()).empty());
  CHECK(file.text().find("const planes=") == std::string::npos);
}

TEST_CASE("a report that is no page, or cannot be written") {
  const outcome o = run("solve lorenz --report lorenz.txt");
  CHECK(o.exit_status == 2);
  CHECK(o.err ==
        "invalid --report 'lorenz.txt' (a report is a page) give a name that ends in .html?\n");
  const temporary_file file("full.html");
  if (!std::filesystem::exists("/dev/full")) return;
  std::filesystem::create_symlink("/dev/full", file.path());
  const outcome full = run("solve lorenz --json --report '" + file.path() + "'");
  if (without_charts(full)) return;
  CHECK(full.exit_status == 3);
  CHECK(full.json()["status"] == "success");
  CHECK(full.err.starts_with("cannot write '" + file.path() + "' for --report"));
}

}  // namespace revode::cli
