// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

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

std::string provenance(const std::vector<std::string>& peers) {
  const auto m = machine();
  std::string out = m["processor"].get<std::string>() + ", " + m["system"].get<std::string>() +
                    "; compiler " + m["compiler"].get<std::string>() + ", flags " +
                    REVODE_BENCH_FLAGS + "; revode " + m["revode"].get<std::string>();
  for (const auto& peer : peers) out += "; " + peer;
  return out + ".";
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
  std::string md = "<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Gradients of stiff solves\n\n" +
                   provenance(peers) + "\n\n";
  nlohmann::json points;
  for (const section& s : all) {
    md += "## " + heading(s, most) +
          "\n\n| solver | stored | ms | KiB | error | rtol | steps | back |\n"
          "|---|---|---:|---:|---:|---:|---:|---:|\n";
    for (const curve& c : s.curves) {
      md += row(c, most, "| %s | %s | %.2f | %.0f | %.1e | %.0e | %ld | %ld |\n",
                "| %s | %s | - | | | | | |\n");
      for (const point& p : c.points)
        points.push_back({{"problem", s.name},
                          {"solver", c.solver},
                          {"stored", c.setting},
                          {"rtol", p.rtol},
                          {"good", p.of.good},
                          {"error", p.error},
                          {"seconds", p.seconds},
                          {"bytes", p.of.bytes},
                          {"steps", p.of.steps},
                          {"back", p.of.back}});
    }
    md += "\n";
  }
  write_file(out / "adjoint.md", md);
  write_file(
      out / "adjoint.json",
      nlohmann::json{{"machine", machine()}, {"peers", peers}, {"points", points}}.dump(1) + "\n");
}

}  // namespace revode::bench
