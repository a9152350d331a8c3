// SPDX-License-Identifier: Apache-2.0
// prints: step +0: loss [0-9.e+-]+
// prints: step 600: loss [0-9.e+-]+, [0-9]+ rounds of [0-9]+ to [0-9]+ attempts
// prints: distance from the spiral: 0\.0[0-9]+
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/batch/batch_solver.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>
#include <revode/revode.hpp>

using namespace revode;
using namespace revode::nn;

using matrix = Eigen::MatrixXd;  // samples as columns
using field = neural_field<mlp>;
using samples_and_times = batch_problem<field, matrix, Eigen::VectorXd>;

/// The spiral that the network does not know: y' = A y, A with eigenvalues −0.1 ± 2i.
Eigen::Vector2d on_spiral(double t) {
  return 2 * std::exp(-0.1 * t) * Eigen::Vector2d(std::cos(2 * t), -std::sin(2 * t));
}

constexpr int samples = 40;

/// 40 pieces of it: each begins at a time of its own, and was seen 3 to 9 times, at times of its own.
samples_and_times observe(const field& f, std::vector<std::vector<Eigen::Vector2d>>& seen) {
  samples_and_times b{f, matrix(2, samples), {}, {}, initial_parameters<double>(f.network(), 1)};
  const auto uniform = [](std::uint64_t what, int i) { return counter_uniform(7, what, i); };
  for (int j = 0; j < samples; ++j) {
    const double t0 = 12 * uniform(0, j), span = 0.3 + 1.7 * uniform(1, j);
    const int points = 3 + static_cast<int>(7 * uniform(2, j));
    std::vector<double> times;
    for (int k = 0; k < points; ++k) times.push_back(t0 + span * uniform(3, 10 * j + k));
    std::sort(times.begin(), times.end());
    b.t0.push_back(t0);
    b.t1.push_back(times.back());
    b.y0.col(j) = on_spiral(t0);
    b.save_ts.push_back(times);
    seen.emplace_back();
    for (const double t : times) seen.back().push_back(on_spiral(t));
  }
  return b;
}

/// The mean square of what was missed; what it says of the solution is left in w.
double miss(const batch_solution<matrix>& s, const std::vector<std::vector<Eigen::Vector2d>>& seen,
            batch_cotangents<matrix>& w) {
  double loss = 0;
  const double scale = 1.0 / static_cast<double>(s.ys.size());
  w.ys = s.ys;
  for (std::size_t j = 0; j < samples; ++j)
    for (revode::index k = 0; k < s.points[j]; ++k) {
      const revode::index at = s.first_point[j] + k;
      const Eigen::Vector2d off = s.ys.col(at) - seen[j][static_cast<std::size_t>(k)];
      loss += scale * off.squaredNorm();
      w.ys->col(at) = 2 * scale * off;
    }
  return loss;
}

int main() {
  const field f(mlp({2, 32, 2}, activation::silu));
  std::vector<std::vector<Eigen::Vector2d>> seen;
  samples_and_times b = observe(f, seen);
  adam<double> optimiser(b.p.size());
  const warm_up rate{20, cosine_rate{.rate = 0.03, .steps = 601}};
  for (revode::index step = 0; step <= 600; ++step) {
    auto s = solve(b, tsit5{}, {.rtol = 1e-4, .atol = 1e-4}, recursive_checkpoint{.slots = 20});
    assert(s.failed() == 0);
    batch_cotangents<matrix> w;
    const double loss = miss(s, seen, w);
    auto g = s.pullback(w);
    clip_by_global_norm(g.p, 1.0);
    optimiser.step(b.p, g.p, rate(step));
    if (step % 200 != 0) continue;
    revode::index least = s.together.rounds, most = 0;
    for (const auto& of : s.stats) {
      least = std::min(least, of.accepted + of.rejected);
      most = std::max(most, of.accepted + of.rejected);
    }
    assert(most <= s.together.rounds);
    std::printf("step %3d: loss %.2e, %d rounds of %d to %d attempts\n", static_cast<int>(step),
                loss, static_cast<int>(s.together.rounds), static_cast<int>(least),
                static_cast<int>(most));
  }
  options o{.rtol = 1e-6, .atol = 1e-6};
  for (int k = 1; k <= 120; ++k) o.save.ts.push_back(0.1 * k);
  const auto s = solve(problem{f, matrix(on_spiral(0)), 0.0, 12.0, b.p}, tsit5{}, o);
  double largest = 0;
  for (std::size_t k = 0; k < s.ys.size(); ++k)
    largest = std::max(largest, (s.ys[k].col(0) - on_spiral(s.ts[k])).norm());
  std::printf("distance from the spiral: %.3f\n", largest);
  assert(largest < 0.1);
}
