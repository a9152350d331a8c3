// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "../machine.hpp"

namespace revode::wpd {
namespace {

/// A table of texts; the first row is its head.
using table = std::vector<std::vector<std::string>>;

std::string text(const char* format, double value) {
  if (std::isnan(value)) return "-";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}
std::string micros(double seconds) {
  const double us = 1e6 * seconds;
  return text(us < 100 ? "%.1f" : "%.0f", us);
}
std::string count(index n) { return std::to_string(n); }

const curve* of_solver(const problem_report& q, const std::string& solver) {
  for (const curve& c : q.curves)
    if (c.solver == solver) return &c;
  return nullptr;
}

std::vector<std::string> peer_names(const report& all) {
  std::vector<std::string> names;
  for (const auto& q : all.problems)
    for (const curve& c : q.curves)
      if (c.peer && std::find(names.begin(), names.end(), c.solver) == names.end())
        names.push_back(c.solver);
  return names;
}

/// The fastest method of revode at equal digits, and how many times longer each peer takes.
table ratios(const report& all) {
  const auto peers = peer_names(all);
  table t{{"problem", "n", "digits", "fastest", "µs"}};
  t[0].insert(t[0].end(), peers.begin(), peers.end());
  for (const auto& q : all.problems) {
    for (const double digits : targets) {
      const curve* best = fastest(q, false, digits);
      if (best == nullptr) continue;
      const double time = seconds_at(*best, digits);
      t.push_back({q.name, std::to_string(q.n), text("%.0f", digits), best->solver, micros(time)});
      for (const auto& name : peers) {
        const curve* c = of_solver(q, name);
        t.back().push_back(c == nullptr ? "" : text("%.2f", seconds_at(*c, digits) / time));
      }
    }
  }
  return t;
}

/// Times of every solver at equal digits, with evaluations, Jacobians and factorisations at 6.
table times(const problem_report& q) {
  table t{{"solver", "4 digits", "6 digits", "8 digits", "steps", "f", "J", "LU"}};
  for (const curve& c : q.curves) {
    t.push_back({c.solver});
    for (const double digits : targets) t.back().push_back(micros(seconds_at(c, digits)));
    const auto add = [&](auto of) {
      t.back().push_back(text("%.0f", at_digits(c, 6, [&](const point& p) {
                                return std::fmax(1, static_cast<double>(of(p.end)));
                              })));
    };
    add([](const ending& e) { return e.accepted + e.rejected; });
    add([](const ending& e) { return e.fields; });
    add([](const ending& e) { return e.jacobians; });
    add([](const ending& e) { return e.factorizations; });
  }
  return t;
}

/// Every run.
table runs(const problem_report& q) {
  table t{
      {"solver", "rtol", "mescd", "scd", "µs", "median", "steps", "rejected", "f", "J", "LU", ""}};
  for (const curve& c : q.curves)
    for (const point& p : c.points)
      t.push_back({c.solver, text("%.0e", p.rtol), text("%.2f", p.mixed), text("%.2f", p.relative),
                   micros(p.least), micros(p.median), count(p.end.accepted), count(p.end.rejected),
                   count(p.end.fields), count(p.end.jacobians), count(p.end.factorizations),
                   p.end.status == "success" ? "" : p.end.status});
  return t;
}

const std::vector<std::string> judged{"radau_iia5", "rodas5p", "esdirk547"};

/// The digits asked of run k of a problem: min(−log₁₀ rtol − 2, CVODE's − 1/2).
double wanted_digits(const problem_report& q, const point& p, std::size_t k) {
  const curve* cvode = of_solver(q, "CVODE");
  const double wanted = -std::log10(p.rtol) - 2;
  if (cvode == nullptr || k >= cvode->points.size() || cvode->points[k].end.status != "success")
    return wanted;
  return std::fmin(wanted, cvode->points[k].mixed - 0.5);
}

/// Where a method reaches the end, and its digits beyond those asked.
table successes(const report& all) {
  table t{{"problem"}};
  t[0].insert(t[0].end(), judged.begin(), judged.end());
  for (const auto& q : all.problems) {
    t.push_back({q.name});
    for (const auto& name : judged) {
      const curve* c = of_solver(q, name);
      if (c == nullptr) {
        t.back().push_back("");
        continue;
      }
      int reached = 0;
      double margin = INFINITY;
      for (std::size_t k = 0; k < c->points.size(); ++k) {
        const point& p = c->points[k];
        if (p.end.status == "success") ++reached;
        margin = std::fmin(margin, p.mixed - wanted_digits(q, p, k));
      }
      t.back().push_back(std::to_string(reached) + " of " + std::to_string(c->points.size()) +
                         ", least margin " + text("%.2f", margin));
    }
  }
  return t;
}

/// The runs below that, with the digits of other codes at the same tolerances.
table shortfalls(const report& all) {
  const std::vector<std::string> others{"CVODE", "RADAU5", "RADAU", "RODAS", "odeint rosenbrock4"};
  table t{{"problem", "method", "rtol", "digits", "asked"}};
  t[0].insert(t[0].end(), others.begin(), others.end());
  for (const auto& q : all.problems) {
    for (const auto& name : judged) {
      const curve* c = of_solver(q, name);
      for (std::size_t k = 0; c != nullptr && k < c->points.size(); ++k) {
        const point& p = c->points[k];
        const double wanted = wanted_digits(q, p, k);
        if (p.mixed >= wanted && p.end.status == "success") continue;
        t.push_back(
            {q.name, name, text("%.0e", p.rtol), text("%.2f", p.mixed), text("%.2f", wanted)});
        for (const auto& other : others) {
          const curve* o = of_solver(q, other);
          const bool there = o != nullptr && k < o->points.size();
          t.back().push_back(!there ? ""
                             : o->points[k].end.status == "success"
                                 ? text("%.2f", o->points[k].mixed)
                                 : o->points[k].end.status);
        }
      }
    }
  }
  return t;
}

std::string markdown(const table& t) {
  std::string out;
  for (std::size_t row = 0; row < t.size(); ++row) {
    out += "|";
    for (const auto& cell : t[row]) out += " " + cell + " |";
    out += "\n";
    if (row > 0) continue;
    for (std::size_t i = 0; i < t[0].size(); ++i) out += i == 0 ? "|---|" : "---:|";
    out += "\n";
  }
  return out;
}
std::string html(const table& t) {
  std::string out = "<table>\n";
  for (std::size_t row = 0; row < t.size(); ++row) {
    out += "<tr>";
    for (const auto& cell : t[row]) out += (row == 0 ? "<th>" : "<td>") + cell;
    out += "\n";
  }
  return out + "</table>\n";
}
void print(const table& t) {
  std::vector<std::size_t> widths(t[0].size());
  for (const auto& row : t)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : t) {
    for (std::size_t i = 0; i < row.size(); ++i)
      std::printf(i == 0 ? "%-*s" : "  %*s", static_cast<int>(widths[i]), row[i].c_str());
    std::printf("\n");
  }
}

nlohmann::json as_json(const report& all) {
  nlohmann::json out{{"machine", machine()}, {"flags", REVODE_WPD_FLAGS}, {"peers", all.peers}};
  for (const auto& q : all.problems)
    for (const curve& c : q.curves)
      for (const point& p : c.points)
        out["points"].push_back({{"problem", q.name},
                                 {"solver", c.solver},
                                 {"rtol", p.rtol},
                                 {"status", p.end.status},
                                 {"mescd", p.mixed},
                                 {"scd", p.relative},
                                 {"seconds", p.least},
                                 {"median_seconds", p.median},
                                 {"accepted", p.end.accepted},
                                 {"rejected", p.end.rejected},
                                 {"field_evaluations", p.end.fields},
                                 {"jacobian_evaluations", p.end.jacobians},
                                 {"factorizations", p.end.factorizations}});
  return out;
}

std::string provenance(const report& all) {
  const auto m = machine();
  std::string out = m["processor"].get<std::string>() + ", " + m["system"].get<std::string>() +
                    "; compiler " + m["compiler"].get<std::string>() + ", " +
                    m["target"].get<std::string>() + ", flags " REVODE_WPD_FLAGS "; revode " +
                    m["revode"].get<std::string>();
  for (const auto& peer : all.peers) out += "; " + peer;
  return out + ".";
}

/// All figures in one, three a row.
std::string mosaic(const report& all, const palette& colour_of) {
  const auto columns = std::min<std::size_t>(3, all.problems.size());
  const auto rows = columns == 0 ? 0 : (all.problems.size() + columns - 1) / columns;
  std::string out = "<svg xmlns='http://www.w3.org/2000/svg' width='" +
                    std::to_string(columns * 520) + "' height='" + std::to_string(rows * 400) +
                    "'>\n<rect width='100%' height='100%' fill='white'/>\n";
  for (std::size_t k = 0; k < all.problems.size(); ++k)
    out += "<g transform='translate(" + std::to_string(k % columns * 520) + " " +
           std::to_string(k / columns * 400) + ")'>\n" + drawing(all.problems[k], colour_of) +
           "</g>\n";
  return out + "</svg>\n";
}

constexpr const char* explanation =
    "Times are of the processor, the least of interleaved repetitions, each with all allocations "
    "of "
    "a solve. Digits are mescd, −log₁₀ of the largest error relative to atol/rtol + |y|; times at "
    "equal digits are interpolated between logarithms. Ratios above 1: revode is faster. All "
    "libraries call the same field and Jacobian code. Where a field jumps, every code stops and "
    "starts anew. CVODE chooses its first step; the others that need one get revode's.";

constexpr const char* reasons =
    "Why, by the codes beside them: Radau has RADAU5's digits to 0.01 on pollu, ring_modulator "
    "and beam; the inner tolerance of both is 0.1 rtol^(2/3), and the oscillations of the last "
    "two add up the errors of thousands of steps. There ESDIRK 547 and Rodas5P are within 0.05 "
    "of RADAU5 or better than it at the same tolerance. On e5, with an atol of 1.7e-24, RODAS "
    "falls short at 1e-4 and 1e-5 as well, by 0.2 and 0.9.";

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path) << content;
  std::fprintf(stderr, "written: %s\n", path.c_str());
}

}  // namespace

const curve* fastest(const problem_report& q, bool peer, double digits) {
  const curve* best = nullptr;
  for (const curve& c : q.curves)
    if (c.peer == peer && !std::isnan(seconds_at(c, digits)) &&
        (best == nullptr || seconds_at(c, digits) < seconds_at(*best, digits)))
      best = &c;
  return best;
}

void print_tables(const problem_report& q) {
  std::printf("\n%s: n = %d; microseconds to so many digits (mescd), counts at 6\n", q.name.c_str(),
              q.n);
  print(times(q));
  std::fflush(stdout);
}

void write(const report& all, const std::string& folder) {
  const std::filesystem::path out = folder;
  std::filesystem::create_directories(out);
  std::string md =
      "<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Work and precision of stiff solvers\n\n" +
      provenance(all) + "\n\n" + explanation +
      "\n\n## Time of others over revode's, at equal digits\n\n" + markdown(ratios(all)) +
      "\n## Success\n\n" + markdown(successes(all)) +
      "\nBelow the digits asked, min(−log₁₀ rtol − 2, CVODE's − 1/2):\n\n" +
      markdown(shortfalls(all)) + "\n" + reasons + "\n";
  std::string page =
      "<!doctype html><meta charset='utf-8'><title>revode: work and precision</title>\n"
      "<style>body{font:15px sans-serif;max-width:1560px;margin:2em auto}table{border-collapse:"
      "collapse;margin:1em 0}td,th{padding:2px 8px;border:1px solid #ccc;text-align:right}"
      "td:first-child{text-align:left}</style>\n<h1>Work and precision of stiff solvers</h1>\n<p>" +
      provenance(all) + "<p>" + explanation + "\n<h2>Time of others over revode's</h2>\n" +
      html(ratios(all)) + "<h2>Success</h2>\n" + html(successes(all)) +
      "<p>Below the digits asked, min(−log₁₀ rtol − 2, CVODE's − 1/2):\n" + html(shortfalls(all)) +
      "<p>" + reasons + "\n";
  const palette colour_of = palette_of(all);
  for (const auto& q : all.problems) {
    md += "\n## " + q.name + "\n\nMicroseconds to so many digits; counts at 6 digits.\n\n" +
          markdown(times(q));
    page += "<h2>" + q.name + "</h2>\n" + figure(q, colour_of) + html(times(q)) +
            "<details><summary>every run</summary>" + html(runs(q)) + "</details>\n";
    write_file(out / ("wpd_" + q.name + ".svg"), figure(q, colour_of));
  }
  write_file(out / "wpd.svg", mosaic(all, colour_of));
  write_file(out / "wpd.md", md);
  write_file(out / "wpd.html", page);
  write_file(out / "wpd.json", as_json(all).dump(1) + "\n");
}

}  // namespace revode::wpd
