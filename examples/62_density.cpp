// SPDX-License-Identifier: Apache-2.0
// prints: seed 1, step +0: loss [0-9.]+
// prints: seed 3, step 500: loss [0-9.]+
// prints: the mean of -log p over 4000 other points is 2\.[0-9]+ 2\.[0-9]+ 2\.[0-9]+ \(of the density itself 2\.4[0-9]+\)
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <vector>

#include <revode/nn/density.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>
#include <revode/revode.hpp>

using namespace revode;
using namespace revode::nn;
using batch = Eigen::MatrixXf;  // samples as columns
using flow_type = flow_field<neural_field<mlp>>;

// What is observed: points about eight places on a ring, of which the flow is told nothing else.
constexpr double radius = 2, spread = 0.3;
const options accurate{.rtol = 1e-4, .atol = 1e-4};
double place(double k, bool vertical) {
  const double angle = std::numbers::pi / 4 * k;
  return radius * (vertical ? std::sin(angle) : std::cos(angle));
}
/// Samples of stream `stream` with 0 in the rows below them: any stream can be had again.
batch observe(const flow_type& flow, revode::index count, std::uint64_t stream) {
  batch y = batch::Zero(flow.states(), count);
  for (revode::index j = 0; j < count; ++j) {
    const double k = std::floor(8 * counter_uniform(1, stream, j));
    for (int i = 0; i < 2; ++i)
      y(i, j) = float(place(k, i == 1) + spread * counter_normal(2, stream, 2 * j + i));
  }
  return y;
}
/// −log of the density that they are of.
double true_loss(double x, double y) {
  double sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += std::exp(-(std::pow(x - place(k, false), 2) + std::pow(y - place(k, true), 2)) /
                    (2 * spread * spread));
  return -std::log(sum / (16 * std::numbers::pi * spread * spread));
}

/// Left the density on a grid, as the flow has it; right what it makes of normal numbers.
template <class Problem>
void draw(const char* path, Problem q, const flow_type& flow) {
  constexpr int cells = 80;
  const auto at = [](int i) { return 7.0 * (i + 0.5) / cells - 3.5; };
  batch grid = batch::Zero(flow.states(), cells * cells);
  for (int j = 0; j < cells * cells; ++j)
    grid.col(j).head(2) << float(at(j % cells)), float(at(j / cells));
  q.y0 = grid;
  const batch end = solve(q, tsit5{}, accurate).y;
  std::ofstream svg(path);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 830 410' width='830' height='410'>\n"
      << "<rect width='830' height='410' fill='white'/><g shape-rendering='crispEdges'>\n";
  for (int j = 0; j < cells * cells; ++j) {
    const double p = std::exp(log_normal(end.col(j).data(), 2) - end(2, j));
    const double dark = std::min(1.0, p / 0.23);  // the density's own maximum is 0.22
    if (dark > 0.01)
      svg << "<rect x='" << 5 + 5 * (j % cells) << "' y='" << 400 - 5 * (j / cells)
          << "' width='5' height='5' fill='rgb(" << int(255 - 250 * dark) << ','
          << int(255 - 190 * dark) << ',' << int(255 - 120 * dark) << ")'/>\n";
  }
  q.y0 = normal_start<float>(flow, 2000, 7);
  std::swap(q.t0, q.t1);  // from the normal distribution back to the data
  const batch made = solve(q, tsit5{}, accurate).y;
  svg << "</g><g fill='#d55e00' fill-opacity='0.5'>\n";
  for (int j = 0; j < made.cols(); ++j)
    svg << "<circle r='1.6' cx='" << 625 + 400 / 7.0 * made(0, j) << "' cy='"
        << 205 - 400 / 7.0 * made(1, j) << "'/>\n";
  svg << "</g><g fill='none' stroke='#999'><rect x='5' y='5' width='400' height='400'/>"
      << "<rect x='425' y='5' width='400' height='400'/></g></svg>\n";
}

int main(int argc, char** argv) {
  std::vector<double> reached;
  double best = 0;
  for (const int seed : {1, 2, 3}) {
    const flow_type flow(neural_field(mlp({3, 64, 2}), time_input::yes), {.kinetic_energy = true});
    problem q{flow, batch(), 0.0, 1.0,  // from the data to the normal distribution
              initial_parameters<float>(flow.field().network(), std::uint64_t(seed))};
    adam<float> optimiser(q.p.size());
    const warm_up rate{20, cosine_rate{.rate = 0.03, .steps = 501}};
    for (revode::index step = 0; step <= 500; ++step) {
      q.y0 = observe(flow, 128, std::uint64_t(1000 * seed + step));
      auto s = solve(q, tsit5{}, {.rtol = 1e-3, .atol = 1e-3}, recursive_checkpoint{.slots = 20});
      assert(s.status == status::success);
      batch w = s.y;
      const double loss = negative_log_likelihood(flow, s.y, w);
      w.row(3).setConstant(0.03f / 128);  // straight ways are easy to follow: few steps
      auto g = s.pullback({.y = w});
      clip_by_global_norm(g.p, 1.0);
      optimiser.step(q.p, g.p, rate(step));
      if (step % 250 == 0) std::printf("seed %d, step %3d: loss %.3f\n", seed, int(step), loss);
    }
    q.y0 = observe(flow, 4000, 0);
    best = 0;
    for (int j = 0; j < 4000; ++j) best += true_loss(q.y0(0, j), q.y0(1, j)) / 4000;
    batch w = q.y0;
    reached.push_back(negative_log_likelihood(flow, solve(q, tsit5{}, accurate).y, w));
    assert(reached.back() > best - 0.01 && reached.back() < best + 0.08);
    if (argc > 1 && seed == 1) draw(argv[1], q, flow);
  }
  std::printf(
      "the mean of -log p over 4000 other points is %.3f %.3f %.3f (of the density itself %.3f)\n",
      reached[0], reached[1], reached[2], best);
}
