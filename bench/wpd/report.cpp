// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "tables.hpp"

namespace revode::wpd {
namespace {

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
  nlohmann::json out = all.about;
  for (const auto& q : all.problems)
    for (const curve& c : q.curves)
      for (const point& p : c.points)
        out["points"].push_back({{"problem", q.name},
                                 {"n", q.n},
                                 {"solver", c.solver},
                                 {"peer", c.peer},
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

/// A number that JSON may have lost, since it knows neither infinities nor NaN.
double number(const nlohmann::json& j) { return j.is_number() ? j.get<double>() : NAN; }

point point_of(const nlohmann::json& j) {
  point p{j.at("rtol"), {}, number(j.at("mescd")), number(j.at("scd"))};
  p.least = number(j.at("seconds"));
  p.median = number(j.at("median_seconds"));
  p.end.status = j.at("status");
  p.end.accepted = j.at("accepted");
  p.end.rejected = j.at("rejected");
  p.end.fields = j.at("field_evaluations");
  p.end.jacobians = j.at("jacobian_evaluations");
  p.end.factorizations = j.at("factorizations");
  return p;
}

std::string provenance(const report& all) {
  const auto& m = all.about.at("machine");
  const auto of = [](const nlohmann::json& j, const char* key) {
    return j.at(key).get<std::string>();
  };
  std::string out = of(m, "processor") + ", " + of(m, "system") + "; compiler " +
                    of(m, "compiler") + ", " + of(m, "target") + ", flags " +
                    of(all.about, "flags") + "; revode " + of(m, "revode");
  for (const auto& peer : all.about.at("peers")) out += "; " + peer.get<std::string>();
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
    "starts anew. CVODE chooses its first step; the others that need one get revode's. After a "
    "solve of over a second tighter tolerances are left out, hence some dashes; others: digits "
    "that a code does not reach, or more steps than allowed (20,000 from n = 21 on). On emep, "
    "which is driven, odeint's method has order 1.";

constexpr const char* ranking_text =
    "Time over that of the fastest method, geometric mean over the problems with n ≤ 20 (in "
    "brackets: how many of them were reached, if not all); then the fastest six of each problem.";

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

void print_tables(const problem_report& q) {
  std::printf("\n%s: n = %d; microseconds to so many digits (mescd), counts at 6\n", q.name.c_str(),
              q.n);
  print(times(q, true));
  std::fflush(stdout);
}

report read(const std::string& file) {
  report all;
  std::ifstream in(file);
  nlohmann::json j = nlohmann::json::parse(in, nullptr, false);
  if (j.is_discarded() || !j.contains("points"))
    throw std::invalid_argument("--from " + file + " (no JSON of this program) give its wpd.json?");
  for (const auto& one : j.at("points")) {
    const std::string problem = one.at("problem"), solver = one.at("solver");
    if (all.problems.empty() || all.problems.back().name != problem)
      all.problems.push_back({problem, one.at("n"), {}});
    auto& curves = all.problems.back().curves;
    if (curves.empty() || curves.back().solver != solver)
      curves.push_back({problem, solver, one.at("peer"), {}});
    curves.back().points.push_back(point_of(one));
  }
  j.erase("points");
  all.about = std::move(j);
  return all;
}

void write(const report& all, const std::string& folder) {
  const std::filesystem::path out = folder;
  std::filesystem::create_directories(out);
  std::string md =
      "<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Work and precision of stiff solvers\n\n" +
      provenance(all) + "\n\n" + explanation +
      "\n\n## Time of others over revode's, at equal digits\n\n" + markdown(ratios(all)) +
      "\n## revode's methods\n\n" + ranking_text + "\n\n" + markdown(ranking(all)) + "\n" +
      markdown(leaders(all)) + "\n## Success\n\n" + markdown(successes(all)) +
      "\nBelow the digits asked, min(−log₁₀ rtol − 2, CVODE's − 1/2):\n\n" +
      markdown(shortfalls(all)) + "\n" + reasons + "\n";
  std::string page =
      "<!doctype html><meta charset='utf-8'><title>revode: work and precision</title>\n"
      "<style>body{font:15px sans-serif;max-width:1560px;margin:2em auto}table{border-collapse:"
      "collapse;margin:1em 0}td,th{padding:2px 8px;border:1px solid #ccc;text-align:right}"
      "td:first-child{text-align:left}</style>\n<h1>Work and precision of stiff solvers</h1>\n<p>" +
      provenance(all) + "<p>" + explanation + "\n<h2>Time of others over revode's</h2>\n" +
      html(ratios(all)) + "<h2>revode's methods</h2>\n<p>" + ranking_text + "\n" +
      html(ranking(all)) + html(leaders(all)) + "<h2>Success</h2>\n" + html(successes(all)) +
      "<p>Below the digits asked, min(−log₁₀ rtol − 2, CVODE's − 1/2):\n" + html(shortfalls(all)) +
      "<p>" + reasons + "\n";
  const palette colour_of = palette_of(all);
  for (const auto& q : all.problems) {
    md += "\n## " + q.name + "\n\nMicroseconds to so many digits; counts at 6 digits.\n\n" +
          markdown(times(q, false));
    page += "<h2>" + q.name + "</h2>\n" + figure(q, colour_of) + html(times(q, true)) +
            "<details><summary>every run</summary>" + html(runs(q)) + "</details>\n";
    write_file(out / ("wpd_" + q.name + ".svg"), figure(q, colour_of));
  }
  write_file(out / "wpd.svg", mosaic(all, colour_of));
  write_file(out / "wpd.md", md);
  write_file(out / "wpd.html", page);
  write_file(out / "wpd.json", as_json(all).dump(1) + "\n");
}

}  // namespace revode::wpd
