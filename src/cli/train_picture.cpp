// SPDX-License-Identifier: Apache-2.0
#include <cli/train.hpp>

#include <algorithm>
#include <string>

#include <cli/gnuplot.hpp>
#include <cli/report_file.hpp>
#include <cli/text.hpp>

namespace revode::cli {
namespace {

std::string range(double from, double to) {
  return "[" + rounded(from, 6) + ":" + rounded(to, 6) + "]";
}

void draw(gnuplot_program& g, const plane& c) {
  const auto at = [&](int axis, int i) {
    const auto k = static_cast<std::size_t>(axis);
    return c.from[k] + (c.to[k] - c.from[k]) * (i + 0.5) / c.side;
  };
  if (c.side > 0) {
    g << "$shades << EOD\n";
    for (int j = 0; j < c.side * c.side; ++j)
      ((((g << at(0, j % c.side)) << " ") << at(1, j / c.side)) << " ")
          << c.shades[static_cast<std::size_t>(j)] << "\n";
    g << "EOD\n";
  }
  std::string plots = c.side > 0 ? "$shades using 1:2:3 with image" : "";
  for (std::size_t k = 0; k < c.drawn.size(); ++k) {
    const drawn_points& t = c.drawn[k];
    const std::string data = "$drawn_points" + std::to_string(k);
    g << data + " << EOD\n";
    for (const auto& [x, y] : t.points) ((g << x) << " ") << y << "\n";
    g << "EOD\n";
    plots += (plots.empty() ? "" : ", ") + data + " using 1:2 with " +
             (t.dots ? std::string("points pt 7 lc rgb '#d55e00' ps ") +
                           (t.points.size() > 500 ? "0.3" : "0.5")
                     : "lines lt 1 lw 2") +
             " title " + gnuplot_quoted(t.name);
  }
  g.title(c.title);
  g << "set xlabel " + gnuplot_quoted(c.across) + "\nset ylabel " + gnuplot_quoted(c.up) +
           " rotate by 0\nset xrange " + range(c.from[0], c.to[0]) + "\nset yrange " +
           range(c.from[1], c.to[1]) +
           (c.drawn.size() > 1 ? "\nset key inside bottom right\n" : "\nunset key\n") + "plot " +
           plots + "\n";
}

}  // namespace

void draw_planes(const std::string& path, const std::vector<plane>& planes) {
  const bool one = planes.size() == 1;
  gnuplot_program g(path, one ? 760 : 1160, one ? 720 : 600);
  g << "set size ratio -1\nunset colorbox\nset palette defined (0 '#ffffff', 0.25 '#b8d4ea', 0.6 "
       "'#3b83b8', 1 '#062f55')\n";
  if (!one) g << "set multiplot layout 1," + std::to_string(planes.size()) + "\n";
  for (const plane& c : planes) draw(g, c);
  if (!one) g << "unset multiplot\n";
  g.run();
}

chart losses_by_epoch(const training_request& r, const training& t) {
  chart c;
  c.title = r.what + ", seed " + std::to_string(r.seed) + ", rate " + shortest(r.rate);
  c.across = "epoch";
  c.names = {"loss, its mean over the epoch"};
  const auto best = std::find_if(t.found.begin(), t.found.end(), [](const found_number& f) {
    return std::string(f.name) == "true_loss";
  });
  if (best != t.found.end()) c.names.push_back("that of the density itself");
  for (const double loss : t.losses) {
    c.rows.push_back({static_cast<double>(c.rows.size() + 1), loss});
    if (best != t.found.end()) c.rows.back().push_back(best->value);
  }
  const auto [least, most] = std::minmax_element(t.losses.begin(), t.losses.end());
  c.logarithmic_up = !t.losses.empty() && *least > 0 && *most > 20 * *least;
  return c;
}

void draw_losses(const training_request& r, const training& t) {
  const chart c = losses_by_epoch(r, t);
  gnuplot_program g(r.loss_plot, 900, 480, "--loss-plot");
  g << "$losses << EOD\n";
  for (const auto& row : c.rows) {
    for (const double x : row) (g << x) << " ";
    g << "\n";
  }
  g << "EOD\n";
  g.title(c.title);
  g << "set xlabel 'epoch'\nset ylabel 'loss' rotate by 0\nset grid ytics\nset key inside top "
       "right\n";
  if (c.logarithmic_up) g << "set logscale y\nset format y '10^{%L}'\n";
  g << "plot $losses using 1:2 with linespoints lt 1 lw 2 pt 7 ps 0.3 title " +
           gnuplot_quoted(c.names[0]);
  if (c.names.size() > 1)
    g << ", $losses using 1:3 with lines lt 2 dt 2 title " + gnuplot_quoted(c.names[1]);
  g << "\n";
  g.run();
}

void write_report(const arguments& given, const training_request& r, const training& t,
                  const std::vector<plane>& planes, const std::string& printed) {
  report_page page{
      r.what + ", " + std::to_string(r.epochs) + (r.epochs == 1 ? " epoch" : " epochs"),
      command_line(given), printed};
  if (!t.losses.empty()) {
    page.charts.push_back(losses_by_epoch(r, t));
    page.charts.back().title = "Loss by epoch";
  }
  page.planes = planes;
  write_file("--report", r.report, page.html());
}

}  // namespace revode::cli
