// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "../json_lines.hpp"
#include "../machine.hpp"

namespace revode::bench {
namespace {

template <class... Values>
std::string line(const char* format, Values... values) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

std::string heading(const section& s, double most) {
  return line("%s: %d states, the gradient by %d parameters, error at most %g", s.name.c_str(), s.n,
              s.parameters, most);
}
std::string row(const curve& c, double most, const char* format, const char* none) {
  const point* p = fastest(c, most);
  if (p == nullptr) return line(none, c.solver.c_str(), c.setting.c_str());
  return line(format, c.solver.c_str(), c.setting.c_str(), 1e3 * p->seconds,
              static_cast<double>(p->of.bytes) / 1024, p->error, p->rtol, p->of.steps, p->of.back);
}

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path) << content;
  std::fprintf(stderr, "written: %s\n", path.c_str());
}

}  // namespace

const point* fastest(const curve& c, double most) {
  const point* best = nullptr;
  for (const point& p : c.points)
    if (p.of.good && p.error <= most && (best == nullptr || p.seconds < best->seconds)) best = &p;
  return best;
}

void print_table(const section& s, double most) {
  std::printf("\n%s\n%-22s %-11s %10s %10s %9s %8s %7s %7s\n", heading(s, most).c_str(), "solver",
              "stored", "ms", "KiB", "error", "rtol", "steps", "back");
  for (const curve& c : s.curves)
    std::printf("%s\n", row(c, most, "%-22s %-11s %10.2f %10.0f %9.1e %8.0e %7ld %7ld",
                            "%-22s %-11s          -")
                            .c_str());
  std::fflush(stdout);
}

void write(const std::vector<section>& all, const std::vector<std::string>& peers, double most,
           const std::string& folder) {
  const std::filesystem::path out = folder;
  std::filesystem::create_directories(out);
  nlohmann::json about{{"machine", machine()},
                       {"flags", REVODE_BENCH_FLAGS},
                       {"peers", peers},
                       {"error", most},
                       {"columns",
                        {"problem", "solver", "stored", "rtol", "good", "error", "seconds",
                         "median_seconds", "bytes", "steps", "back"}}};
  std::vector<nlohmann::json> rows;
  for (const section& s : all) {
    about["problems"].push_back({{"name", s.name}, {"n", s.n}, {"parameters", s.parameters}});
    for (const curve& c : s.curves)
      for (const point& p : c.points)
        rows.push_back({s.name, c.solver, c.setting, p.rtol, p.of.good, p.error, p.seconds,
                        p.median, p.of.bytes, p.of.steps, p.of.back});
  }
  write_file(out / "adjoint.json", by_lines(about, "points", rows));
}

}  // namespace revode::bench
