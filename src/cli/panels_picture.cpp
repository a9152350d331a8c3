// SPDX-License-Identifier: Apache-2.0
#include <cli/solution_picture.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <cli/gnuplot.hpp>

namespace revode::cli {
namespace {

/// The ends of the steps.
std::vector<double> step_ends(const run_request& r) {
  options o = r.settings;
  o.save = {};
  o.save.every = 1;
  return r.solve(bind(r.problem, r.problem.f), o).result.ts;
}

/// Half of the steps lie in the first hundredth of a span that begins at 0.
bool is_logarithmic(const run_request& r, const std::vector<double>& ends) {
  return r.problem.t0 == 0 && r.problem.t1 > 0 && !ends.empty() &&
         ends[ends.size() / 2] < r.problem.t1 / 100;
}

std::vector<double> geometric_times(double from, double to, index intervals) {
  std::vector<double> ts;
  const double ratio = std::log(to / from) / static_cast<double>(intervals);
  for (index k = 0; k < intervals; ++k)
    ts.push_back(from * std::exp(ratio * static_cast<double>(k)));
  ts.push_back(to);
  return ts;
}

/// The ends of the steps, where a curve turns, and so many intervals between them.
auto points_of(const run_request& r, const solution_type& s, const std::vector<double>& ends,
               bool logarithmic, index intervals) -> save_at {
  save_at points;
  points.ts = logarithmic ? geometric_times(ends.front(), s.t, intervals)
                          : equal_times(r.problem.t0, s.t, intervals).ts;
  points.t0 = !logarithmic;
  add_times(r, ends, points.ts);
  return points;
}

}  // namespace

auto curve_along(const run_request& r, const solution_type& s, index intervals) -> drawn_curve {
  drawn_curve found{.points = {}, .ends = step_ends(r), .logarithmic = false};
  found.logarithmic = is_logarithmic(r, found.ends) && found.ends.front() < s.t;
  found.points = solve_at(r, points_of(r, s, found.ends, found.logarithmic, intervals));
  return found;
}

void draw_panels(const run_request& r, const solution_type& s) {
  const auto [curve, ends, logarithmic] = curve_along(r, s, curve_points(s));
  const auto n = static_cast<int>(r.problem.y0.size());
  const int columns = n > 4 ? 2 : 1, rows = (n + columns - 1) / columns;
  gnuplot_program g(r.plot, 1000, 180 + 220 * rows);
  g.add_data("curve", curve);
  g.add_data("saved", s);
  g << "set multiplot layout " + std::to_string(rows) + "," + std::to_string(columns) +
           "\nunset key\nset lmargin 16\n";
  if (logarithmic) g << "set logscale x\nset format x '10^{%T}'\n";
  for (int i = 0; i < n; ++i) {
    const std::string at = "1:" + std::to_string(i + 2), line = std::to_string(i + 1);
    if (i == 0) g.title(picture_title(r));
    if (i == 1) g << "unset label 1\n";
    if (i + columns >= n) g << "set xlabel 't'\n";
    g << "set ylabel " + gnuplot_quoted(r.problem.labels[static_cast<std::size_t>(i)]) +
             "\nplot $curve using " + at + " with lines lt " + line;
    if (!s.ts.empty() && s.ts.size() <= most_dots)
      g << ", $saved using " + at + " with points pt 7 ps 0.45 lc rgb '#333333'";
    g << "\n";
  }
  g << "unset multiplot\n";
  g.run();
}

}  // namespace revode::cli
