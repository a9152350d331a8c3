// SPDX-License-Identifier: Apache-2.0
#include <cli/train.hpp>

#include <algorithm>
#include <string>

#include <cli/gnuplot.hpp>
#include <cli/text.hpp>

namespace revode::cli {

void draw_losses(const training_request& r, const training& t) {
  const auto [least, most] = std::minmax_element(t.losses.begin(), t.losses.end());
  const bool logarithmic = *least > 0 && *most > 20 * *least;
  const auto best = std::find_if(t.found.begin(), t.found.end(), [](const found_number& f) {
    return std::string(f.name) == "true_loss";
  });
  gnuplot_program g(r.loss_plot, 900, 480, "--loss-plot");
  g << "$losses << EOD\n";
  for (std::size_t k = 0; k < t.losses.size(); ++k)
    ((g << static_cast<double>(k + 1)) << " ") << t.losses[k] << "\n";
  g << "EOD\n";
  g.title(r.what + ", seed " + std::to_string(r.seed) + ", rate " + shortest(r.rate));
  g << "set xlabel 'epoch'\nset ylabel 'loss' rotate by 0\nset grid ytics\nset key inside top "
       "right\n";
  if (logarithmic) g << "set logscale y\nset format y '10^{%L}'\n";
  g << "plot $losses using 1:2 with linespoints lt 1 lw 2 pt 7 ps 0.3 title 'mean over the epoch'";
  if (best != t.found.end()) (g << ", ") << best->value << " lt 2 dt 2 title 'the density itself'";
  g << "\n";
  g.run();
}

}  // namespace revode::cli
