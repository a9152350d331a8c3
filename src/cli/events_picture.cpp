// SPDX-License-Identifier: Apache-2.0
#include <cli/solution_picture.hpp>

#include <string>
#include <vector>

#include <cli/gnuplot.hpp>

namespace revode::cli {
namespace {

/// A point of a curve; `ends`: the state jumps behind it.
struct curve_point {
  double t;
  vector y;
  bool ends = false, begins = false;
};

/// The state behind the events at one time, of which `k` is the first; k becomes the next.
vector behind(const run_request& r, const std::vector<occurrence>& all, std::size_t& k, vector y) {
  const double t = all[k].t;
  for (; k < all.size() && all[k].t == t; ++k) {
    const vector before = y;
    r.problem.events.each[static_cast<std::size_t>(all[k].which)].jump(t, before, r.problem.p, y);
  }
  return y;
}

auto broken_curve(const run_request& r, const solution_type& s) -> std::vector<curve_point> {
  const solution_type found = dense_solve(r, curve_points(s), s.events);
  std::vector<curve_point> curve;
  std::size_t k = 0;
  for (std::size_t i = 0; i < found.ts.size(); ++i) {
    curve.push_back({found.ts[i], found.ys[i]});
    if (k == s.events.size() || s.events[k].t != found.ts[i]) continue;
    curve.back().ends = true;
    curve.push_back({found.ts[i], behind(r, s.events, k, found.ys[i]), false, true});
  }
  return curve;
}

void add_point(gnuplot_program& g, const curve_point& at) {
  g << at.t;
  for (const double x : at.y) (g << " ") << x;
  g << (at.ends ? "\n\n" : "\n");
}

}  // namespace

void draw_events(const run_request& r, const solution_type& s) {
  const auto curve = broken_curve(r, s);
  const auto n = static_cast<std::size_t>(r.problem.y0.size());
  gnuplot_program g(r.plot, 1000, 180 + 220 * static_cast<int>(n));
  g << "$curve << EOD\n";
  for (const curve_point& at : curve) add_point(g, at);
  g << "EOD\n$events << EOD\n";
  for (curve_point at : curve)
    if (at.ends || at.begins) {
      at.ends = false;
      add_point(g, at);
    }
  g << "EOD\n";
  g << "set multiplot layout " + std::to_string(n) + ",1\nunset key\nset lmargin 10\n";
  for (std::size_t i = 0; i < n; ++i) {
    const std::string at = "1:" + std::to_string(i + 2), line = std::to_string(i + 1);
    if (i == 0) g.title(picture_title(r) + ", " + std::to_string(s.events.size()) + " events");
    if (i == 1) g << "unset label 1\n";
    if (i + 1 == n) g << "set xlabel 't'\n";
    g << "set ylabel " + gnuplot_quoted(r.problem.labels[i]) + "\nplot $curve using " + at +
             " with lines lt " + line;
    if (!s.events.empty())
      g << ", $events using " + at + " with points pt 7 ps 0.6 lc rgb '#333333'";
    g << "\n";
  }
  g << "unset multiplot\n";
  g.run();
}

}  // namespace revode::cli
