// SPDX-License-Identifier: Apache-2.0
#include <cli/train.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <cli/text.hpp>
#include <cli/train_weights.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/nn/density.hpp>
#include <revode/nn/minibatches.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode::cli {
namespace {

using batch = Eigen::MatrixXf;
using flow = nn::flow_field<nn::neural_field<nn::mlp>>;
using flow_problem = problem<flow, batch, Eigen::VectorXf>;

constexpr index observed = 2048, batch_size = 128, others = 4000;
constexpr double radius = 2, spread = 0.3;
constexpr float energy = 0.03f;  // straight ways are easy to follow: few steps

double place(int k, int row) {
  const double angle = std::numbers::pi / 4 * k;
  return radius * (row == 1 ? std::sin(angle) : std::cos(angle));
}

/// Points about eight places on a ring, with 0 in the rows below them.
batch observe(const flow& f, index count, std::uint64_t stream) {
  batch y = batch::Zero(f.states(), count);
  for (index j = 0; j < count; ++j) {
    const int k = static_cast<int>(8 * counter_uniform(1, stream, j));
    for (int i = 0; i < 2; ++i)
      y(i, j) = static_cast<float>(place(k, i) + spread * nn::counter_normal(2, stream, 2 * j + i));
  }
  return y;
}

/// The mean of −log p for the density that they are of.
double true_loss(const batch& x) {
  double mean = 0;
  for (index j = 0; j < x.cols(); ++j) {
    double sum = 0;
    for (int k = 0; k < 8; ++k)
      sum += std::exp(-(std::pow(x(0, j) - place(k, 0), 2) + std::pow(x(1, j) - place(k, 1), 2)) /
                      (2 * spread * spread));
    mean -=
        std::log(sum / (16 * std::numbers::pi * spread * spread)) / static_cast<double>(x.cols());
  }
  return mean;
}

options solved(double tolerance) {
  return {.rtol = tolerance, .atol = tolerance, .max_steps = 1000};
}

/// One step of Adam on the likelihood of the points `chosen`.
trained_step learn(flow_problem& q, const batch& seen, std::span<const index> chosen,
                   nn::adam<float>& optimiser, double rate) {
  q.y0.resize(q.f.states(), static_cast<index>(chosen.size()));
  nn::take_samples(seen, q.f.states(), chosen, q.y0);
  auto s = solve(q, tsit5{}, solved(1e-3), recursive_checkpoint{.slots = 20});
  if (s.status != status::success) return {s.status, 0};
  batch w = s.y;
  const double loss = nn::negative_log_likelihood(q.f, s.y, w);
  w.row(3).setConstant(energy / static_cast<float>(w.cols()));
  auto g = s.pullback({.y = w});
  if (g.status != status::success) return {g.status, loss};
  nn::clip_by_global_norm(g.p, 1.0);
  optimiser.step(q.p, g.p, rate);
  return {status::success, loss};
}

/// The flow's density on a grid, and what it makes of normal numbers.
std::vector<plane> picture(const training_request& r, flow_problem q, double loss) {
  constexpr int cells = 120;
  constexpr double edge = 3.5;
  const auto at = [](int i) { return static_cast<float>(2 * edge * (i + 0.5) / cells - edge); };
  plane density{"density after " + std::to_string(r.epochs) +
                    (r.epochs == 1 ? " epoch" : " epochs") + ": mean of -log p " + rounded(loss, 4),
                "x0",
                "x1",
                {-edge, -edge},
                {edge, edge},
                cells};
  plane samples = density;
  q.y0 = batch::Zero(q.f.states(), cells * cells);
  for (int j = 0; j < cells * cells; ++j) q.y0.col(j).head(2) << at(j % cells), at(j / cells);
  const batch end = solve(q, tsit5{}, solved(1e-4)).y;
  for (int j = 0; j < cells * cells; ++j)
    density.shades.push_back(std::exp(nn::log_normal(end.col(j).data(), 2) - end(2, j)));
  q.y0 = nn::normal_start<float>(q.f, 1500, r.seed);
  std::swap(q.t0, q.t1);  // from the normal distribution back to the data
  const batch made = solve(q, tsit5{}, solved(1e-4)).y;
  samples.title = "1500 samples";
  samples.side = 0;
  samples.drawn = {{"samples", {}, true}};
  for (index j = 0; j < made.cols(); ++j)
    samples.drawn[0].points.push_back({made(0, j), made(1, j)});
  return {std::move(density), std::move(samples)};
}

}  // namespace

training train_density(const training_request& r) {
  const flow f(nn::neural_field(nn::mlp({3, 64, 2}), nn::time_input::yes),
               {.kinetic_energy = true});
  const batch seen = observe(f, observed, 1);
  const auto q = std::make_shared<flow_problem>(flow_problem{
      f, batch(), 0.0, 1.0, nn::initial_parameters<float>(f.field().network(), r.seed)});
  nn::adam<float> optimiser(q->p.size());
  nn::minibatches batches(observed, batch_size, r.seed);
  training t;
  t.parameters = q->p.size();
  run_epochs(
      r, batches.count(), t,
      [&](index epoch, index b, double rate) {
        return learn(*q, seen, batches.of(epoch, b), optimiser, rate);
      },
      [&](byte_stream& s) { pass_trained(s, q->p, optimiser); });
  if (t.ended != status::success) return t;
  q->y0 = observe(f, others, 0);
  const auto s = solve(*q, tsit5{}, solved(1e-4));
  if (s.status != status::success) {
    t.ended = s.status;
    return t;
  }
  batch w = s.y;
  const double loss = nn::negative_log_likelihood(f, s.y, w), least = true_loss(q->y0);
  t.found = {{"held_out_loss", loss, "loss of 4000 other points"},
             {"true_loss", least, "that of the density itself"}};
  t.learned = [=] { return picture(r, *q, loss); };
  t.save = [=](const std::string& path) { save_weights(q->f.field().network(), q->p, path); };
  return t;
}

}  // namespace revode::cli
