// SPDX-License-Identifier: Apache-2.0
// prints: learned before: 4482 weights, [0-9.]+ from its own turns, [0-9.]+ from the new ones
// prints: adapters: 268 numbers, [0-9.]+ from the new turns, seeds 1 to 3: 0\.0[0-9]+ 0\.0[0-9]+ 0\.0[0-9]+
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

#include <revode/nn/lora.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>
#include <revode/revode.hpp>

using namespace revode;
using namespace revode::nn;
using batch = Eigen::MatrixXd;  // samples as columns
using numbers = Eigen::VectorXd;

// Two oscillators of van der Pol's, of which nobody knows the equation: plenty was seen of the first, and of the
// second, stiffer and pushed to one side, no more than four ways.
struct oscillator {
  double stiffness, push;
  template <class Y>
  void operator()(const auto&, const Y& y, const auto&, Y& dy) const {
    for (int j = 0; j < y.cols(); ++j) {
      dy(0, j) = y(1, j);
      dy(1, j) = stiffness * (1 - y(0, j) * y(0, j)) * y(1, j) - y(0, j) + push;
    }
  }
};
constexpr oscillator first{0.5, 0}, second{1.0, 0.4};

options seen_at() {
  options o{.rtol = 1e-4, .atol = 1e-4};
  for (int k = 1; k <= 20; ++k) o.save.ts.push_back(0.1 * k);
  return o;
}
batch starts(revode::index samples, std::uint64_t stream) {
  batch y(2, samples);
  for (revode::index i = 0; i < y.size(); ++i) y.data()[i] = 5 * counter_uniform(9, stream, i) - 2.5;
  return y;
}
template <class Field, class P>
std::vector<batch> ways(const Field& f, const batch& start, const P& p, options o = seen_at()) {
  const auto s = solve(problem{f, start, 0.0, o.save.ts.back(), p}, tsit5{}, o);
  assert(s.status == status::success);
  return s.ys;
}
/// The root of the mean square of what lies between ways.
double apart(const std::vector<batch>& a, const std::vector<batch>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]).squaredNorm() / double(a[k].size() / 2);
  return std::sqrt(sum / double(a.size()));
}

/// Weights of f from p on, by `steps` steps of Adam: its ways from there are to be those that were seen.
template <class Field>
numbers learn(const Field& f, numbers p, const batch& start, const std::vector<batch>& seen, int steps, double top) {
  problem q{f, start, 0.0, 2.0, std::move(p)};
  adam<double> optimiser(q.p.size());
  const warm_up rate{20, cosine_rate{.rate = top, .steps = steps}};
  for (int step = 0; step < steps; ++step) {
    auto s = solve(q, tsit5{}, seen_at(), recursive_checkpoint{.slots = 20});
    assert(s.status == status::success);
    cotangents<batch> w;
    for (std::size_t k = 0; k < seen.size(); ++k) w.ys.push_back(2.0 / double(20 * start.cols()) * (s.ys[k] - seen[k]));
    auto g = s.pullback(w);
    clip_by_global_norm(g.p, 1.0);
    optimiser.step(q.p, g.p, rate(step));
  }
  return q.p;
}

int main(int argc, char** argv) {
  const int steps = argc > 2 ? atoi(argv[2]) : 400, steps2 = argc > 3 ? atoi(argv[3]) : 300, rank = argc > 4 ? atoi(argv[4]) : 2, few_n = argc > 5 ? atoi(argv[5]) : 4;
  const vec<double, 0> none{};
  const mlp network({2, 64, 64, 2}, activation::silu);
  const neural_field before(network);
  const batch many = starts(50, 0), few = starts(few_n, 1), others = starts(200, 2);
  auto began = std::clock();
  const numbers weights = learn(before, initial_parameters<double>(network, 1), many, ways(first, many, none), steps, 0.01);
  const auto of_first = ways(first, others, none), of_second = ways(second, others, none);
  std::printf("learned before: %d weights, %.3f from its own ways, %.3f from the new ones, %.1f\n", int(weights.size()),
              apart(ways(before, others, weights), of_first), apart(ways(before, others, weights), of_second), double(std::clock() - began) / CLOCKS_PER_SEC);
  const auto of_few = ways(second, few, none);
  for (const int seed : {1, 2, 3}) {
    began = std::clock();
    const neural_field adapted(lora_mlp(network, weights, rank));
    const numbers adapters = learn(adapted, initial_parameters<double>(adapted.network(), std::uint64_t(seed)), few, of_few, steps2, 0.02);
    const auto all = learn(before, weights, few, of_few, steps2, 0.005);
    const auto fresh = learn(before, initial_parameters<double>(network, std::uint64_t(seed)), few, of_few, steps2, 0.01);
    std::printf("adapters: %d: %.4f, all %.4f fresh %.4f %.1f\n", int(adapters.size()), apart(ways(adapted, others, adapters), of_second), apart(ways(before, others, all), of_second),
     apart(ways(before, others, fresh), of_second), double(std::clock() - began) / CLOCKS_PER_SEC);
  }
}
