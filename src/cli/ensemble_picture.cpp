// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include <cli/ensemble_output.hpp>
#include <cli/gnuplot.hpp>
#include <cli/text.hpp>

namespace revode::cli {
namespace {

constexpr std::size_t most_dots = 20'000;
constexpr index bins = 40;

std::string title(const ensemble_request& r) {
  return r.problem.name + ", " + std::to_string(r.in_lanes.lanes) +
         " lanes, t = " + rounded(r.problem.t1, 6);
}

}  // namespace

void draw_lanes(const ensemble_request& r, const lanes_result& found) {
  const std::size_t n = r.problem.labels.size(), up = n == 3 ? 2 : n == 1 ? 0 : 1;
  const std::size_t every = (found.ended.size() + most_dots - 1) / most_dots;
  // coloured by the first sweep; what has one component has that across
  const bool swept = !r.sweeps.empty();
  const std::string colour =
      swept ? (r.sweeps[0].of_state ? "y0:" : "p:") + std::to_string(r.sweeps[0].at) : "attempts";
  gnuplot_program g(r.plot, 900, 720);
  g << "$lanes << EOD\n";
  for (std::size_t l = 0; l < found.ended.size(); l += every) {
    if (found.ended[l] != status::success) continue;
    const lane_problem q = problem_of_lane(r, l);
    const double shade =
        swept ? (r.sweeps[0].of_state ? q.y0 : q.p)[static_cast<std::size_t>(r.sweeps[0].at)]
              : static_cast<double>(found.attempts(l));
    (((((g << (n == 1 ? shade : found.y[l * n])) << " ") << found.y[l * n + up]) << " ") << shade)
        << "\n";
  }
  g << "EOD\n";
  g.title(title(r) + (every > 1 ? ", one in " + std::to_string(every) : ""));
  g << "set xlabel " + gnuplot_quoted(n == 1 ? colour : r.problem.labels[0]) + "\nset ylabel " +
           gnuplot_quoted(r.problem.labels[up]) + " rotate by 0\nset cblabel " +
           gnuplot_quoted(colour) +
           " offset 0.6\nset colorbox noborder\nunset key\n"
           "plot $lanes using 1:2:3 with points pt 7 ps 0.4 lc palette\n";
  g.run();
}

void draw_histogram(const ensemble_request& r, const lanes_result& found) {
  index least = found.attempts(0), most = least;
  for (std::size_t l = 0; l < found.ended.size(); ++l) {
    least = std::min(least, found.attempts(l));
    most = std::max(most, found.attempts(l));
  }
  const index width = (most - least) / bins + 1;
  std::vector<index> counts(static_cast<std::size_t>((most - least) / width + 1));
  for (std::size_t l = 0; l < found.ended.size(); ++l)
    ++counts[static_cast<std::size_t>((found.attempts(l) - least) / width)];
  gnuplot_program g(r.histogram, 900, 540, "--histogram");
  g << "$bins << EOD\n";
  for (std::size_t b = 0; b < counts.size(); ++b)
    ((g << static_cast<double>(least + static_cast<index>(b) * width) +
               static_cast<double>(width - 1) / 2)
     << " ")
        << static_cast<double>(counts[b]) << "\n";
  g << "EOD\n";
  g.title(title(r));
  g << "set xlabel 'attempts'\nset ylabel 'lanes'\nset yrange [0:*]\nunset key\nset style fill "
       "solid "
       "0.8 noborder\nset boxwidth " +
           rounded(0.9 * static_cast<double>(width), 6) +
           "\nplot $bins using 1:2 with boxes lt 1\n";
  g.run();
}

}  // namespace revode::cli
