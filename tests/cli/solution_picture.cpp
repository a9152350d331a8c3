// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include <cli/run.hpp>

namespace revode::cli {
namespace {

TEST_CASE("pictures are made of solves and schedules") {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) return;
  for (const char* what :
       {"solve lorenz", "solve arenstorf", "solve pleiades --t1 1", "solve decay",
        "solve heat_1d:12", "solve rober", "grad hires", "grad lotka_volterra",
        "solve decay --t1 0", "schedule --steps 20 --slots 3",
        "schedule --steps 9 --kind store_all"}) {
    CAPTURE(what);
    const temporary_file svg("picture.svg"), png("picture.png");
    const outcome o = run(std::string(what) + " --plot '" + svg.path() + "'");
    CHECK(o.exit_status == 0);
    CHECK(o.err.empty());
    CHECK(svg.text().find("</svg>") != std::string::npos);
    CHECK(run(std::string(what) + " --plot '" + png.path() + "'").exit_status == 0);
    CHECK(png.text().starts_with("\x89PNG"));
  }
}

TEST_CASE("a stiff problem has a panel a component, over the logarithm of a long span") {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) return;
  const temporary_file long_span("long.svg"), short_span("short.svg");
  REQUIRE(run("solve rober --plot '" + long_span.path() + "'").exit_status == 0);
  REQUIRE(run("solve vdpol_stiff --plot '" + short_span.path() + "'").exit_status == 0);
  const std::string power = "dy=\"-6.00px\">-";  // of a negative exponent
  CHECK(long_span.text().find(power) != std::string::npos);
  CHECK(short_span.text().find(power) == std::string::npos);
}

TEST_CASE("a picture changes nothing in the result") {
  const temporary_file svg("same.svg");
  const auto plain = run("solve lorenz --json --method vern7").json();

  auto drawn = run("solve lorenz --json --method vern7 --plot '" + svg.path() + "'").json();

  drawn["stats"]["seconds"] = plain["stats"]["seconds"];
  CHECK(drawn == plain);
}

TEST_CASE("a missing gnuplot is said on stderr and the solve stands") {
  const temporary_file svg("none.svg");

  const outcome o = run("solve lorenz --json --plot '" + svg.path() + "'", "PATH=/nowhere");

  CHECK(o.exit_status == 0);
  CHECK(o.err == "no picture '" + svg.path() +
                     "' (gnuplot is not installed) install the package gnuplot-nox?\n");
  CHECK(o.json()["status"] == "success");
  CHECK_FALSE(svg.exists());
}

}  // namespace
}  // namespace revode::cli
