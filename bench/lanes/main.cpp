// SPDX-License-Identifier: Apache-2.0
// revode-bench-lanes: ensembles on lanes, one by one, and by Boost.Odeint.
#include <algorithm>
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "../machine.hpp"
#include "case.hpp"

namespace revode::lanes {

std::vector<lane_case> cases() {
  return {{"lorenz", "tsit5 at 1e-8 to t = 10, a sweep of rho", lorenz_sweep, 2048},
          {"lorenz:fixed", "1000 equal steps of tsit5", lorenz_fixed, 2048},
          {"vdpol", "tsit5 at 1e-6 to t = 20, mu scattered from 1 to 100", oscillators, 2048},
          {"rober", "rodas5p at 1e-6 to t = 1e5, rates scattered", robertson, 512},
          {"hires", "rodas5p at 1e-6, a sweep of the first protein", proteins, 256},
          {"lorenz96:4", "tsit5 at 1e-8 to t = 3", ring_of_4, 1024},
          {"lorenz96:8", "tsit5 at 1e-8 to t = 3", ring_of_8, 512},
          {"lorenz96:16", "tsit5 at 1e-8 to t = 3", ring_of_16, 256},
          {"lorenz96:32", "tsit5 at 1e-8 to t = 3", ring_of_32, 128},
          {"lorenz96:40", "tsit5 at 1e-8 to t = 3", ring_of_40, 128},
          {"lorenz96:8, 1e5 steps", "tsit5, steps of at most 6e-4 to t = 60, 32 states a lane",
           long_ring, 32}};
}

namespace {

nlohmann::json json_of(const lane_case& c, const measured& m) {
  nlohmann::json rows = nlohmann::json::array(), samples = rows;
  for (const row& r : m.rows)
    rows.push_back({{"who", r.who},
                    {"kind", r.kind},
                    {"seconds", r.seconds},
                    {"together", r.together},
                    {"attempts", r.attempts},
                    {"worst", r.worst},
                    {"median", r.median},
                    {"bytes", r.bytes}});
  for (const sample& s : m.samples)
    samples.push_back({{"lane", s.lane}, {"y", s.y}, {"gradient", s.gradient}});
  return {{"case", c.name},
          {"summary", c.summary},
          {"method", m.method},
          {"slots", m.slots},
          {"max_step", m.max_step},
          {"lanes", m.lanes},
          {"t1", m.t1},
          {"rtol", m.rtol},
          {"atol", m.atol},
          {"fixed_step", m.fixed_step},
          {"attempts", m.attempts},
          {"y0", m.y0},
          {"p", m.p},
          {"rows", rows},
          {"samples", samples}};
}

void print(const lane_case& c, const measured& m) {
  std::printf("%s: %s; %lld lanes of %.0f to %.0f attempts, %.0f on average\n", c.name, c.summary,
              static_cast<long long>(m.lanes), m.attempts[0], m.attempts[2], m.attempts[1]);
  const auto lanes = static_cast<double>(m.lanes);
  for (const row& r : m.rows) {
    const auto first = std::find_if(m.rows.begin(), m.rows.end(),
                                    [&](const row& other) { return other.kind == r.kind; });
    std::printf(
        "  %-42s %-8s %10.0f lanes/s %9.2f ns an attempt %7.2f times, error %.1e\n",
        (r.who + (r.together > 1 ? ", " + std::to_string(r.together) + " together" : "")).c_str(),
        r.kind.c_str(), lanes / r.seconds, 1e9 * r.seconds / (lanes * r.attempts),
        r.seconds / first->seconds, r.worst);
  }
}

int run(int argc, char** argv) {
  const auto all = cases();
  std::vector<std::string> known, names;
  for (const auto& c : all) known.push_back(c.name);
  request r{.lanes = 0};
  index times = 1;
  bool json = false, list = false;
  CLI::App app{"Ensembles on lanes, one by one, and by Boost.Odeint: lanes a second and errors."};
  app.add_option("case", names, "which cases (default: all)")->check(CLI::IsMember(known));
  app.add_option("--lanes", r.lanes, "of every case (default: its own)")
      ->check(CLI::PositiveNumber);
  app.add_option("--times", times, "that many times each case's own lanes")
      ->check(CLI::PositiveNumber);
  app.add_option("--repeats", r.repeats, "the least time counts (default 5)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--json", json, "everything measured, as JSON");
  app.add_flag("--list", list, "the cases' names, as JSON");
  CLI11_PARSE(app, argc, argv);
  if (list) {
    std::printf("%s\n", nlohmann::json(known).dump().c_str());
    return 0;
  }
  nlohmann::json found{{"machine", machine()}, {"cases", nlohmann::json::array()}};
  for (const auto& c : all) {
    if (!names.empty() && std::find(names.begin(), names.end(), c.name) == names.end()) continue;
    const measured m = c.measure({r.lanes > 0 ? r.lanes : times * c.lanes, r.repeats});
    if (json)
      found["cases"].push_back(json_of(c, m));
    else
      print(c, m);
  }
  if (json) std::printf("%s\n", found.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace revode::lanes

int main(int argc, char** argv) {
  try {
    return revode::lanes::run(argc, argv);
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "revode-bench-lanes: %s\n", wrong.what());
    return 1;
  }
}
