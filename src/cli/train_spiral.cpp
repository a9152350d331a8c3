// SPDX-License-Identifier: Apache-2.0
#include <cli/train.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include <cli/train_weights.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/nn/minibatches.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/solvers/tsit5.hpp>

namespace revode::cli {
namespace {

using batch = Eigen::MatrixXd;
using field = nn::neural_field<nn::mlp>;
using spiral_problem = problem<field, batch, Eigen::VectorXd>;

constexpr index segments = 160, points = 10, followed = 12 * points, finer = 5;
constexpr double between = 0.1, decay = -0.1, turn = 2;

/// Points of y' = (−0.1 y₁ + 2 y₂, −2 y₁ − 0.1 y₂) from (2, 0), `between` apart, as columns: in closed form.
batch observe() {
  batch seen(2, segments + points);
  for (index k = 0; k < seen.cols(); ++k) {
    const double t = between * static_cast<double>(k), size = 2 * std::exp(decay * t);
    seen.col(k) << size * std::cos(turn * t), -size * std::sin(turn * t);
  }
  return seen;
}

options saved(double tolerance, index count, double apart = between) {
  options o{.rtol = tolerance, .atol = tolerance, .max_steps = 1000};
  for (index k = 1; k <= count; ++k) o.save.ts.push_back(apart * static_cast<double>(k));
  return o;
}

/// One step of Adam on the segments that begin at `chosen`, solved side by side.
trained_step learn(spiral_problem& q, const batch& seen, std::span<const index> chosen,
                   nn::adam<double>& optimiser, double rate) {
  q.y0.resize(2, static_cast<index>(chosen.size()));
  nn::take_samples(seen, 2, chosen, q.y0);
  auto s = solve(q, tsit5{}, saved(1e-4, points), recursive_checkpoint{.slots = 20});
  if (s.status != status::success) return {s.status, 0};
  cotangents<batch> w;
  double loss = 0;
  const double scale = 1 / static_cast<double>(points * q.y0.size());
  for (index k = 1; k <= points; ++k) {
    batch off = s.ys[static_cast<std::size_t>(k - 1)];
    for (index j = 0; j < off.cols(); ++j)
      off.col(j) -= seen.col(chosen[static_cast<std::size_t>(j)] + k);
    loss += scale * off.squaredNorm();
    w.ys.push_back(2 * scale * off);
  }
  auto g = s.pullback(w);
  if (g.status != status::success) return {g.status, loss};
  nn::clip_by_global_norm(g.p, 1.0);
  optimiser.step(q.p, g.p, rate);
  return {status::success, loss};
}

/// The network's solution from the start on, 12 times a segment's length, `finer` times as dense as the data.
solution<batch> follow(const spiral_problem& trained, const batch& seen) {
  const spiral_problem q{trained.f, batch(seen.col(0)), 0.0,
                         between * static_cast<double>(followed), trained.p};
  return solve(q, tsit5{}, saved(1e-6, finer * followed, between / finer));
}

plane picture(const training_request& r, const batch& seen, const solution<batch>& s,
              double distance) {
  plane c{"spiral, " + std::to_string(r.epochs) + (r.epochs == 1 ? " epoch" : " epochs") +
              ": the network follows it to within " + rounded(distance, 2),
          "y0", "y1"};
  c.drawn = {{"network", {{seen(0, 0), seen(1, 0)}}}, {"data", {}, true}};
  for (const batch& y : s.ys) c.drawn[0].points.push_back({y(0), y(1)});
  for (index k = 0; k <= followed; ++k) c.drawn[1].points.push_back({seen(0, k), seen(1, k)});
  double most = 0;
  for (const drawn_points& t : c.drawn)
    for (const auto& [x, y] : t.points) most = std::max({most, std::abs(x), std::abs(y)});
  c.to.fill(1.05 * most);
  c.from.fill(-1.05 * most);
  return c;
}

}  // namespace

training train_spiral(const training_request& r) {
  const batch seen = observe();
  const field f(nn::mlp({2, 50, 2}, nn::activation::silu));
  const auto q = std::make_shared<spiral_problem>(
      spiral_problem{f, batch(2, 20), 0.0, between * static_cast<double>(points),
                     nn::initial_parameters<double>(f.network(), r.seed)});
  nn::adam<double> optimiser(q->p.size());
  nn::minibatches batches(segments, 20, r.seed);
  training t;
  t.parameters = q->p.size();
  run_epochs(
      r, batches.count(), t,
      [&](index epoch, index b, double rate) {
        return learn(*q, seen, batches.of(epoch, b), optimiser, rate);
      },
      [&](byte_stream& s) { pass_trained(s, q->p, optimiser); });
  if (t.ended != status::success) return t;
  const solution<batch> s = follow(*q, seen);
  t.ended = s.status;
  if (t.ended != status::success) return t;
  double distance = 0;
  for (index k = 1; k <= followed; ++k)
    distance =
        std::max(distance, (s.ys[static_cast<std::size_t>(finer * k - 1)] - seen.col(k)).norm());
  t.found.push_back({"distance", distance, "greatest distance from the spiral"});
  t.learned = [=] { return std::vector{picture(r, seen, s, distance)}; };
  t.save = [=](const std::string& path) { save_weights(q->f.network(), q->p, path); };
  return t;
}

}  // namespace revode::cli
