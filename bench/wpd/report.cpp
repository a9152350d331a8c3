// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "../json_lines.hpp"
#include "tables.hpp"

namespace revode::wpd {
namespace {

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

const std::vector<std::string> columns{"problem",
                                       "n",
                                       "solver",
                                       "peer",
                                       "rtol",
                                       "status",
                                       "mescd",
                                       "scd",
                                       "seconds",
                                       "median_seconds",
                                       "accepted",
                                       "rejected",
                                       "field_evaluations",
                                       "jacobian_evaluations",
                                       "factorizations"};

std::string as_json(const report& all) {
  nlohmann::json about = all.about;
  about["columns"] = columns;
  std::vector<nlohmann::json> rows;
  for (const auto& q : all.problems)
    for (const curve& c : q.curves)
      for (const point& p : c.points)
        rows.push_back({q.name, q.n, c.solver, c.peer, p.rtol, p.end.status, p.mixed, p.relative,
                        p.least, p.median, p.end.accepted, p.end.rejected, p.end.fields,
                        p.end.jacobians, p.end.factorizations});
  return by_lines(about, "points", rows);
}

/// A number that JSON may have lost, since it knows neither infinities nor NaN.
double number(const nlohmann::json& j) { return j.is_number() ? j.get<double>() : NAN; }

point point_of(const nlohmann::json& row) {
  point p{row.at(4), {}, number(row.at(6)), number(row.at(7))};
  p.end.status = row.at(5);
  p.least = number(row.at(8));
  p.median = number(row.at(9));
  p.end.accepted = row.at(10);
  p.end.rejected = row.at(11);
  p.end.fields = row.at(12);
  p.end.jacobians = row.at(13);
  p.end.factorizations = row.at(14);
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

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path) << content;
  std::fprintf(stderr, "written: %s\n", path.c_str());
}

}  // namespace

void print_tables(const problem_report& q) {
  std::printf("\n%s: n = %d; microseconds to so many digits (mescd), counts at 6\n", q.name.c_str(),
              q.n);
  print(times(q));
  std::fflush(stdout);
}

report read(const std::string& file) {
  report all;
  std::ifstream in(file);
  nlohmann::json j = nlohmann::json::parse(in, nullptr, false);
  if (j.is_discarded() || !j.contains("points"))
    throw std::invalid_argument("--from " + file + " (no JSON of this program) give its wpd.json?");
  if (j.value("columns", std::vector<std::string>{}) != columns)
    throw std::invalid_argument("--from " + file + " (its columns are others) measure anew?");
  for (const auto& row : j.at("points")) {
    const std::string problem = row.at(0), solver = row.at(2);
    if (all.problems.empty() || all.problems.back().name != problem)
      all.problems.push_back({problem, row.at(1), {}});
    auto& curves = all.problems.back().curves;
    if (curves.empty() || curves.back().solver != solver)
      curves.push_back({problem, solver, row.at(3), {}});
    curves.back().points.push_back(point_of(row));
  }
  j.erase("points");
  all.about = std::move(j);
  return all;
}

void write(const report& all, const std::string& folder) {
  const std::filesystem::path out = folder;
  std::filesystem::create_directories(out);
  std::string page =
      "<!doctype html><meta charset='utf-8'><title>revode: work and precision</title>\n"
      "<style>body{font:15px sans-serif;max-width:1560px;margin:2em auto}table{border-collapse:"
      "collapse;margin:1em 0}td,th{padding:2px 8px;border:1px solid #ccc;text-align:right}"
      "td:first-child{text-align:left}</style>\n<h1>Work and precision of stiff solvers</h1>\n<p>" +
      provenance(all) + "<p>" + explanation + "\n";
  const palette colour_of = palette_of(all);
  for (const auto& q : all.problems) {
    page += "<h2>" + q.name + "</h2>\n" + figure(q, colour_of) + html(times(q)) +
            "<details><summary>every run</summary>" + html(runs(q)) + "</details>\n";
    write_file(out / ("wpd_" + q.name + ".svg"), figure(q, colour_of));
  }
  write_file(out / "wpd.svg", mosaic(all, colour_of));
  write_file(out / "wpd.html", page);
  write_file(out / "wpd.json", as_json(all));
}

}  // namespace revode::wpd
