// SPDX-License-Identifier: Apache-2.0
// What do the decisions themselves cost? Each schedule with 20 slots over n steps that do nothing:
// nanoseconds of the first sweep a step, and of everything a step evaluation.

#include <cstdio>

#include <revode/schedule/all.hpp>
#include <revode/schedule/auditor.hpp>

#include "measure.hpp"

namespace revode {
namespace {

/// Asks for the actions of a loop of n steps and carries none out; how many evaluations they are.
index evaluations_of(schedule_kind kind, const schedule_request& r, index n, bool reverse) {
  any_schedule plan(kind, r);
  index count = 0;
  const auto run = [&](index position) {
    const action a = plan.next();
    if (a.what == op::advance || a.what == op::record) {
      count += std::min(a.to, n) - a.from;
      position = a.to;
    }
    return a.what == op::done ? unbounded : position;
  };
  for (index position = 0; position < n;) position = run(position);
  if (!reverse) return count;
  plan.finalize(n);
  while (run(0) != unbounded) {
  }
  return count;
}

int run(int argc, char** argv) {
  nlohmann::json out{{"machine", machine()}};
  print_machine(out["machine"]);
  struct row {
    schedule_kind kind;
    bool reverse;
    index steps, evaluations;
    std::string name;
  };
  std::vector<row> rows;
  for (const auto& [kind, name] : schedule_names)
    for (const bool reverse : {false, true})
      for (const index n : {index{1000}, index{10'000}, index{100'000}}) {
        const schedule_request r{.slots = 20, .max_steps = n, .slow_slots = 5};
        rows.push_back({kind, reverse, n, evaluations_of(kind, r, n, reverse),
                        std::string(name) + (reverse ? "/all/" : "/sweep/") + std::to_string(n)});
        measure(rows.back().name, [=] { return evaluations_of(kind, r, n, reverse); });
      }
  collector times;
  const std::string json = run_all(argc, argv, times);
  std::printf(
      "\n20 slots, count not known beforehand: ns a step of the first sweep | ns an evaluation\n");
  std::printf("%-14s %8s %8s %8s | %8s %8s %8s\n", "steps", "10^3", "10^4", "10^5", "10^3", "10^4",
              "10^5");
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const row& r = rows[k];
    const double ns = times.median(r.name) / static_cast<double>(r.evaluations) * 1e9;
    if (k % 6 == 0) std::printf("%-14s", std::string(name(r.kind)).c_str());
    std::printf("%s%8.2f", k % 6 == 3 ? " | " : " ", ns);
    if (k % 6 == 5) std::printf("\n");
    out["schedules"].push_back({{"schedule", name(r.kind)},
                                {"steps", r.steps},
                                {"part", r.reverse ? "all" : "sweep"},
                                {"ns", ns}});
  }
  write_json(json, out);
  return 0;
}

}  // namespace
}  // namespace revode

int main(int argc, char** argv) { return revode::run(argc, argv); }
