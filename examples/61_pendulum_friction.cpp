// SPDX-License-Identifier: Apache-2.0
// prints: step +0: loss [0-9.e+-]+
// prints: friction at velocity +1\.0: -0\.2[0-9] \(true: -0\.25\)
#include <cassert>
#include <cmath>
#include <cstdio>
#include <vector>

#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>
#include <revode/revode.hpp>

using namespace revode;
using namespace revode::nn;
using batch = Eigen::MatrixXd;

// What is known: a pendulum, and its frequency. Of friction nothing is.
struct pendulum {
  static constexpr int states = 2, parameters = 0;
  void operator()(const auto&, const auto& y, const auto&, auto& dy) const {
    using std::sin;
    dy[0] = y[1];
    dy[1] = -4.0 * sin(y[0]);
  }
};

double friction(double velocity) { return -0.2 * velocity - 0.05 * velocity * velocity * velocity; }

// The pendulum as it is: ten of them, from angles on both sides, are observed.
struct truth {
  void operator()(const auto&, const auto& y, const auto&, auto& dy) const {
    for (int j = 0; j < y.cols(); ++j) {
      dy(0, j) = y(1, j);
      dy(1, j) = -4.0 * std::sin(y(0, j)) + friction(y(1, j));
    }
  }
};

int main() {
  batch start(2, 10);
  for (int j = 0; j < 10; ++j) start.col(j) << (j % 2 == 0 ? 0.25 : -0.25) * (j + 1), 0.0;
  options o{.rtol = 1e-6, .atol = 1e-6};
  for (int k = 1; k <= 40; ++k) o.save.ts.push_back(0.1 * k);
  const auto seen = solve(problem{truth{}, start, 0.0, 4.0, vec<double, 0>{}}, tsit5{}, o).ys;

  // The network adds to the second row; it sees angle and velocity, and has to find out that friction
  // depends on the velocity alone.
  const neural_field f(mlp({2, 16, 1}, activation::silu), pendulum{}, 1);
  problem q{f, start, 0.0, 4.0, initial_parameters<double>(f.network(), 1)};
  adam<double> optimiser(q.p.size());
  const cosine_rate rate{.rate = 0.05, .steps = 601};
  double loss = 0;
  for (revode::index step = 0; step <= 600; ++step) {
    auto s = solve(q, tsit5{}, o, recursive_checkpoint{.slots = 30});
    assert(s.status == status::success);
    cotangents<batch> w;
    const double scale = 1.0 / static_cast<double>(40 * start.size());
    loss = 0;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      const batch off = s.ys[k] - seen[k];
      loss += scale * off.squaredNorm();
      w.ys.push_back(2 * scale * off);
    }
    auto g = s.pullback(w);
    clip_by_global_norm(g.p, 1.0);
    optimiser.step(q.p, g.p, rate(step));
    if (step % 200 == 0) std::printf("step %3d: loss %.2e\n", static_cast<int>(step), loss);
  }

  // What has it learned? The force beside the pendulum's own, at the lowest point.
  for (const double velocity : {-2.0, -1.0, 1.0, 2.0}) {
    const batch y = (batch(2, 1) << 0.0, velocity).finished();
    batch dy(2, 1);
    f(0.0, y, q.p, dy);
    std::printf("friction at velocity %4.1f: %5.2f (true: %5.2f)\n", velocity, dy(1),
                friction(velocity));
    assert(std::abs(dy(1) - friction(velocity)) < 0.05);
  }
  assert(loss < 3e-4);
}
