// SPDX-License-Identifier: Apache-2.0
#include <cli/solution_picture.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <cli/gnuplot.hpp>
#include <cli/text.hpp>

namespace revode::cli {
namespace {

constexpr index image_rows = 400;
constexpr Eigen::Index most_curves = 8, most_panels = 4;

/// Two components that make a curve in the plane.
struct plane {
  int across = 0, up = 0;
};

/// (x, y) of an orbit, (x1, y1), (x2, y2), … of several, by their labels.
std::vector<plane> orbits(const erased_problem& p) {
  std::vector<plane> found;
  for (std::size_t i = 0; i < p.labels.size(); ++i) {
    if (!p.labels[i].starts_with('x')) continue;
    const std::string partner = "y" + p.labels[i].substr(1);
    for (std::size_t j = 0; j < p.labels.size(); ++j)
      if (p.labels[j] == partner) found.push_back({static_cast<int>(i), static_cast<int>(j)});
  }
  return found;
}

std::vector<plane> planes_of(const erased_problem& p) {
  if (!p.drawn.empty()) {  // as the problem has it
    std::vector<plane> asked;
    for (const int up : p.drawn)
      if (p.drawn_over >= 0) asked.push_back({p.drawn_over, up});
    return asked;
  }
  if (p.y0.size() == 2) return {{0, 1}};
  if (p.y0.size() == 3) return {{0, 2}};
  return orbits(p);
}

std::string label(const run_request& r, int i) {
  return r.problem.labels[static_cast<std::size_t>(i)];
}

std::string column(int component) { return std::to_string(component + 2); }

std::string columns(plane p) { return column(p.across) + ":" + column(p.up); }

/// One curve, coloured by time; its start is a dot.
std::string plot_of_one(plane p) {
  const std::string at = columns(p);
  return "$curve using " + at + ":1 with lines lw 1.4 lc palette, $curve every ::::0 using " + at +
         " with points pt 7 ps 0.9 lc rgb '#440154'";
}

std::string plot_of_several(const std::vector<plane>& planes) {
  std::string text;
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const std::string at = columns(planes[k]), number = std::to_string(k + 1);
    text += (k > 0 ? ", $curve using " : "$curve using ") + at + " with lines lt " + number +
            " title '" + number + "', $curve every ::::0 using " + at +
            " with points pt 7 ps 0.7 lt " + number + " notitle";
  }
  return text;
}

void draw_planes(const run_request& r, const solution_type& s, const std::vector<plane>& planes) {
  gnuplot_program g(r.plot, 900, 720);
  g.add_data("curve", dense_solve(r, curve_points(s)));
  g.add_data("saved", s);
  g.title(picture_title(r));
  const plane first = planes.front();
  const bool one = planes.size() == 1;
  g << "set xlabel " + gnuplot_quoted(one ? label(r, first.across) : "x") + "\nset ylabel " +
           gnuplot_quoted(one ? label(r, first.up) : "y") + " rotate by 0\n";
  if (one) g << "set cblabel 't' rotate by 0 offset 0.6\nset colorbox noborder\nunset key\n";
  if (r.problem.y0.size() > 3) g << "set size ratio -1\n";
  g << "plot " + (one ? plot_of_one(first) : plot_of_several(planes));
  if (one && !s.ts.empty() && s.ts.size() <= most_dots)
    g << ", $saved using " + columns(first) + " with points pt 7 ps 0.5 lc rgb '#333333'";
  g << "\n";
  g.run();
}

void draw_curves(const run_request& r, const solution_type& s) {
  gnuplot_program g(r.plot, 1000, 600);
  g.add_data("curve", dense_solve(r, curve_points(s)));
  g.add_data("saved", s);
  g.title(picture_title(r));
  g << "set xlabel 't'\nplot ";
  std::vector<int> shown = r.problem.drawn;
  for (int i = 0; r.problem.drawn.empty() && i < length(r.problem.y0); ++i) shown.push_back(i);
  for (const int i : shown)
    g << (i != shown.front() ? ", " : "") + std::string("$curve using 1:") + column(i) +
             " with lines lt " + std::to_string(i + 1) + " title " + gnuplot_quoted(label(r, i));
  for (const int i : shown)
    if (!s.ts.empty() && s.ts.size() <= most_dots)
      g << ", $saved using 1:" + column(i) + " with points pt 7 ps 0.45 lt " +
               std::to_string(i + 1) + " notitle";
  g << "\n";
  g.run();
}

/// Place across, time up, value in colour. Of the interleaved fields u, v of brusselator_1d: u.
void draw_image(const run_request& r) {
  const Eigen::Index every = r.problem.name.starts_with("brusselator_1d") ? 2 : 1;
  gnuplot_program g(r.plot, 900, 720);
  const solution_type s = dense_solve(r, image_rows);
  g << "$image << EOD\n";
  for (std::size_t k = 0; k < s.ts.size(); ++k) {
    for (Eigen::Index i = 0; i < s.y.size(); i += every)
      ((((g << static_cast<double>(i / every + 1)) << " ") << s.ts[k]) << " ")
          << s.ys[k][i] << "\n";
    g << "\n";
  }
  g << "EOD\n";
  g.title(picture_title(r));
  g << (every == 2 ? "set xlabel 'grid point (u)'\n" : "set xlabel 'component'\n");
  g << "set ylabel 't' rotate by 0\nunset key\nunset grid\nset colorbox noborder\n"
       "set autoscale noextend\nplot $image using 1:2:3 with image\n";
  g.run();
}

}  // namespace

index curve_points(const solution_type& s) {
  return std::clamp<index>(4 * s.stats.accepted, 2000, 20'000);
}

auto dense_solve(const run_request& r, index intervals, const std::vector<occurrence>& besides)
    -> solution_type {
  save_at points = equal_times(r.problem.t0, r.problem.t1, intervals);
  std::vector<double> times;
  for (const occurrence& e : besides) times.push_back(e.t);
  add_times(r, times, points.ts);
  return solve_at(r, std::move(points));
}

void add_times(const run_request& r, const std::vector<double>& more, std::vector<double>& ts) {
  ts.insert(ts.end(), more.begin(), more.end());
  const bool backwards = r.problem.t1 < r.problem.t0;
  std::sort(ts.begin(), ts.end(), [=](double a, double b) { return backwards ? b < a : a < b; });
  ts.erase(std::unique(ts.begin(), ts.end()), ts.end());
}

auto solve_at(const run_request& r, save_at points) -> solution_type {
  options o = r.settings;
  o.save = std::move(points);
  return r.solve(bind(r.problem, r.problem.f), o).result;
}

std::string picture_title(const run_request& r) {
  const options& o = r.settings;
  return (r.problem.title.empty() ? r.problem.name : r.problem.title) + ", " +
         std::string(r.method.name) +
         (o.fixed_step > 0 ? ", fixed step " + rounded(o.fixed_step, 6)
                           : ", rtol " + shortest(o.rtol));
}

void draw_solution(const run_request& r, const solution_type& s) {
  const std::vector<plane> planes = planes_of(r.problem);
  if (!planes.empty() && !r.problem.drawn.empty())
    draw_planes(r, s, planes);
  else if (!r.problem.drawn.empty() &&
           static_cast<Eigen::Index>(r.problem.drawn.size()) <= most_curves)
    draw_curves(r, s);
  else if (r.has_events() && r.problem.y0.size() <= most_panels)
    draw_events(r, s);
  else if (r.problem.stiff() && r.problem.y0.size() <= most_curves)
    draw_panels(r, s);
  else if (!planes.empty())
    draw_planes(r, s, planes);
  else if (r.problem.y0.size() <= most_curves)
    draw_curves(r, s);
  else
    draw_image(r);
}

}  // namespace revode::cli
