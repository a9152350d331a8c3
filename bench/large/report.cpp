// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "../json_lines.hpp"
#include "../machine.hpp"

namespace revode::large {
namespace {

void print(const char* kind, const std::vector<wpd::curve>& curves) {
  for (const wpd::curve& c : curves)
    for (const wpd::point& p : c.points)
      std::printf("%-8s %-28s %7.0e %6.2f %10.3g %10.1f %6ld %6ld %8ld %8ld %7ld %5ld %5ld  %s\n",
                  kind, c.solver.c_str(), p.rtol, p.mixed, p.least,
                  static_cast<double>(p.end.bytes) / 1e6, static_cast<long>(p.end.accepted),
                  static_cast<long>(p.end.rejected), static_cast<long>(p.end.fields),
                  static_cast<long>(p.end.products), static_cast<long>(p.end.pulls),
                  static_cast<long>(p.end.jacobians), static_cast<long>(p.end.factorizations),
                  p.end.status == "success" ? "" : p.end.status.c_str());
}

void take(std::vector<nlohmann::json>& rows, const section& s, const char* kind,
          const std::vector<wpd::curve>& curves) {
  for (const wpd::curve& c : curves)
    for (const wpd::point& p : c.points)
      rows.push_back({s.problem, kind, c.solver, c.peer, p.rtol, p.end.status, p.mixed, p.least,
                      p.median, p.end.bytes, p.end.accepted, p.end.rejected, p.end.fields,
                      p.end.products, p.end.pulls, p.end.jacobians, p.end.factorizations});
}

}  // namespace

void print(const section& s) {
  std::printf(
      "\n%s: %d unknowns, %d parameters; pattern of %ld entries and %d colours in %.3g s; "
      "reference "
      "in %.3g s\n%-8s %-28s %7s %6s %10s %10s %6s %6s %8s %8s %7s %5s %5s\n",
      s.problem.c_str(), s.n, s.parameters, s.entries, s.colours, s.pattern_seconds,
      s.reference_seconds, "", "solver", "rtol", "digits", "seconds", "MB", "steps", "rej", "f",
      "jvp", "vjp", "J", "LU");
  print("solve", s.solves);
  print("gradient", s.gradients);
  std::fflush(stdout);
}

void write(const std::vector<section>& all, const std::vector<std::string>& peers,
           const std::vector<std::string>& left_out, const std::string& command,
           const std::string& folder) {
  const std::filesystem::path out = folder;
  std::filesystem::create_directories(out);
  nlohmann::json about{
      {"machine", machine()},
      {"flags", REVODE_BENCH_FLAGS},
      {"peers", peers},
      {"command", command},
      {"left_out", left_out},
      {"columns",
       {"problem", "kind", "solver", "peer", "rtol", "status", "digits", "seconds",
        "median_seconds", "bytes", "accepted", "rejected", "field_evaluations", "jvp_evaluations",
        "vjp_evaluations", "jacobian_evaluations", "factorizations"}}};
  std::vector<nlohmann::json> rows;
  for (const section& s : all) {
    about["problems"].push_back({{"name", s.problem},
                                 {"family", s.family},
                                 {"n", s.n},
                                 {"parameters", s.parameters},
                                 {"entries", s.entries},
                                 {"colours", s.colours},
                                 {"pattern_seconds", s.pattern_seconds},
                                 {"reference_seconds", s.reference_seconds}});
    take(rows, s, "solve", s.solves);
    take(rows, s, "gradient", s.gradients);
  }
  std::ofstream(out / "large.json") << by_lines(about, "points", rows);
  std::fprintf(stderr, "written: %s\n", (out / "large.json").c_str());
}

}  // namespace revode::large
