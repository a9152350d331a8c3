// SPDX-License-Identifier: Apache-2.0
// prints: seed 1, step +0: loss [0-9.e+-]+
// prints: seed 3, step 800: loss [0-9.e+-]+
// prints: distance from the spiral over 12 times a segment's length: 0\.[0-9]+ 0\.[0-9]+ 0\.[0-9]+
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/nn/minibatches.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>
#include <revode/revode.hpp>

using namespace revode;
using namespace revode::nn;

using batch = Eigen::MatrixXd;  // samples as columns
using field = neural_field<mlp>;

// What is observed, and what the network does not know.
struct spiral {
  void operator()(const auto&, const auto& y, const auto&, auto& dy) const {
    dy[0] = -0.1 * y[0] + 2.0 * y[1];
    dy[1] = -2.0 * y[0] - 0.1 * y[1];
  }
};

constexpr int segments = 160, points = 10;
constexpr double between = 0.1;

/// Points of the spiral, `between` apart, as the columns of a matrix.
batch observe() {
  options o{.rtol = 1e-8, .atol = 1e-8};
  for (int k = 0; k < segments + points; ++k) o.save.ts.push_back(between * k);
  const problem q{spiral{}, vec{2.0, 0.0}, 0.0, between * (segments + points), vec<double, 0>{}};
  const auto ys = solve(q, tsit5{}, o).ys;
  batch seen(2, segments + points);
  for (int k = 0; k < seen.cols(); ++k) seen.col(k) << ys[std::size_t(k)][0], ys[std::size_t(k)][1];
  return seen;
}

/// One step of Adam on the segments that begin at `chosen`, solved side by side.
template <class Problem>
double learn(Problem& q, const batch& seen, std::span<const revode::index> chosen,
             adam<double>& optimiser, double rate) {
  options o{.rtol = 1e-4, .atol = 1e-4};
  for (int k = 1; k <= points; ++k) o.save.ts.push_back(between * k);
  q.y0.resize(2, static_cast<revode::index>(chosen.size()));
  take_samples(seen, 2, chosen, q.y0);
  auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 20});
  assert(s.status == status::success);
  cotangents<batch> w;
  double loss = 0;
  const double scale = 1.0 / static_cast<double>(points * q.y0.size());
  for (int k = 1; k <= points; ++k) {
    batch off = s.ys[std::size_t(k - 1)];
    for (revode::index j = 0; j < off.cols(); ++j)
      off.col(j) -= seen.col(chosen[std::size_t(j)] + k);
    loss += scale * off.squaredNorm();
    w.ys.push_back(2 * scale * off);
  }
  auto g = s.pullback(w);
  clip_by_global_norm(g.p, 1.0);
  optimiser.step(q.p, g.p, rate);
  return loss;
}

/// The greatest distance of the network's solution from the spiral, from the start over all of it.
double distance(const field& f, const Eigen::VectorXd& p, const batch& seen) {
  options o{.rtol = 1e-6, .atol = 1e-6};
  for (int k = 1; k <= 12 * points; ++k) o.save.ts.push_back(between * k);
  const auto s = solve(problem{f, batch(seen.col(0)), 0.0, 12 * points * between, p}, tsit5{}, o);
  double largest = 0;
  for (int k = 1; k <= 12 * points; ++k)
    largest = std::max(largest, (s.ys[std::size_t(k - 1)] - seen.col(k)).norm());
  return largest;
}

int main() {
  const batch seen = observe();
  std::vector<double> distances;
  for (const int seed : {1, 2, 3}) {
    const field f(mlp({2, 50, 2}, activation::silu));
    problem q{f, batch(2, 20), 0.0, points * between,
              initial_parameters<double>(f.network(), static_cast<std::uint64_t>(seed))};
    const double* const home = q.p.data();
    adam<double> optimiser(q.p.size());
    minibatches batches(segments, 20, static_cast<std::uint64_t>(seed));
    const warm_up rate{20, cosine_rate{.rate = 0.03, .steps = 801}};
    for (revode::index step = 0; step <= 800; ++step) {
      const auto chosen = batches.of(step / batches.count(), step % batches.count());
      const double loss = learn(q, seen, chosen, optimiser, rate(step));
      if (step % 200 == 0)
        std::printf("seed %d, step %3d: loss %.2e\n", seed, static_cast<int>(step), loss);
    }
    assert(q.p.data() == home);  // one copy of the weights
    distances.push_back(distance(f, q.p, seen));
    assert(distances.back() < 0.05);
  }
  std::printf("distance from the spiral over 12 times a segment's length: %.3f %.3f %.3f\n",
              distances[0], distances[1], distances[2]);
}
