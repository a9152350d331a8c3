// SPDX-License-Identifier: Apache-2.0
// prints: 4482 weights: 0\.[0-2][0-9]+ from the ways of the pendulum seen often, 0\.[7-9][0-9]+ from the other's
// prints: adapters of 520 numbers, from four ways: 0\.[01][0-9]+ 0\.[01][0-9]+ 0\.[01][0-9]+
// prints: 4482 weights anew, from the same four: 0\.[3-9][0-9]+ 0\.[3-9][0-9]+ 0\.[3-9][0-9]+
#include <cassert>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include <revode/nn/lora.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/neural_field.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>
#include <revode/revode.hpp>

#include "picture.hpp"

using namespace revode;
using namespace revode::nn;
using batch = Eigen::MatrixXd;  // samples as columns
using Eigen::VectorXd;

// Two pendulums, of which nobody knows the equation: one was seen on many ways, the other, of other gravity and
// friction, on four. A network learns the first one's field; what it knows then serves for the second.
struct pendulum {
  double gravity, friction;
  void operator()(const auto&, const auto& y, const auto&, auto& dy) const {
    for (int j = 0; j < y.cols(); ++j)
      dy.col(j) << y(1, j), -gravity * std::sin(y(0, j)) - friction * y(1, j);
  }
};
constexpr pendulum first{4, 0.1}, second{2.5, 0.5};

const options seen_at = [] {
  options o{.rtol = 1e-4, .atol = 1e-4};
  for (int k = 1; k <= 20; ++k) o.save.ts.push_back(0.1 * k);
  return o;
}();
batch starts(revode::index samples, std::uint64_t stream) {
  batch y(2, samples);
  for (revode::index i = 0; i < y.size(); ++i) y.data()[i] = 4 * counter_uniform(9, stream, i) - 2;
  return y;
}
VectorXd initial(const auto& f, int seed) {
  return initial_parameters<double>(f.network(), std::uint64_t(seed));
}
std::vector<batch> ways(const auto& f, const batch& start, const auto& p) {
  const auto s = solve(problem{f, start, 0.0, 2.0, p}, tsit5{}, seen_at);
  assert(s.status == status::success);
  return s.ys;
}
/// The root of the mean square of what lies between ways.
double apart(const std::vector<batch>& a, const std::vector<batch>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]).colwise().squaredNorm().mean();
  return std::sqrt(sum / double(a.size()));
}

/// Weights of f from p on, by `steps` steps of Adam: its ways from there are to be those that were seen.
VectorXd learn(const auto& f, VectorXd p, const batch& start, const std::vector<batch>& seen,
               int steps) {
  problem q{f, start, 0.0, 2.0, std::move(p)};
  adam<double> optimiser(q.p.size());
  const warm_up rate{20, cosine_rate{.rate = 0.01, .steps = steps}};
  for (int step = 0; step < steps; ++step) {
    auto s = solve(q, tsit5{}, seen_at, recursive_checkpoint{.slots = 20});
    assert(s.status == status::success);
    cotangents<batch> w;
    for (std::size_t k = 0; k < seen.size(); ++k)
      w.ys.push_back(2.0 / double(20 * start.cols()) * (s.ys[k] - seen[k]));
    auto g = s.pullback(w);
    clip_by_global_norm(g.p, 1.0);
    optimiser.step(q.p, g.p, rate(step));
  }
  return q.p;
}

int main(int argc, char** argv) {
  const vec<double, 0> none{};
  const mlp network({2, 64, 64, 2}, activation::silu);
  const neural_field before(network);
  const batch many = starts(50, 0), few = starts(4, 1), others = starts(200, 2);
  const VectorXd weights = learn(before, initial(before, 1), many, ways(first, many, none), 400);
  const auto truth = ways(second, others, none), seen = ways(second, few, none);
  const auto unchanged = ways(before, others, weights);
  const double at_first = apart(unchanged, truth);
  std::printf(
      "4482 weights: %.3f from the ways of the pendulum seen often, %.3f from the other's\n",
      apart(unchanged, ways(first, others, none)), at_first);
  // An adapter of rank 2 for each layer. The weights are read where they lie; they have no gradient.
  const neural_field adapted(lora_mlp(network, weights, 2));
  assert(weights.size() == 4482 && adapted.parameters() == 520);
  std::vector<double> by_adapters, anew;
  for (const int seed : {1, 2, 3}) {
    const VectorXd adapters = learn(adapted, initial(adapted, seed), few, seen, 200);
    const VectorXd fresh = learn(before, initial(before, seed), few, seen, 200);
    const auto said = ways(adapted, others, adapters);
    by_adapters.push_back(apart(said, truth));
    anew.push_back(apart(ways(before, others, fresh), truth));
    assert(by_adapters.back() < 0.3 * at_first && by_adapters.back() < 0.7 * anew.back());
    if (argc < 2 || seed != 1) continue;
    picture two(argv[1], 2, -2.3, 2.3, 3.2);  // angle and velocity; dots are what was seen
    for (const auto* shown : {&unchanged, &said}) {
      two.next_panel();
      for (int j = 0; j < 6; ++j)
        for (const auto* w : {&truth, shown})
          two.curve(
              w == &truth ? "#ccc" : "#d55e00", w == &truth ? 6 : 1.4, int(w->size()),
              [&](int k) { return (*w)[std::size_t(k)](0, j); },
              [&](int k) { return (*w)[std::size_t(k)](1, j); });
      for (const batch& points : seen)
        for (const auto& y : points.colwise()) two.dot("#0072b2", y[0], y[1]);
    }
  }
  for (const auto& [what, d] : {std::pair{"adapters of 520 numbers, from four ways", by_adapters},
                                {"4482 weights anew, from the same four", anew}})
    std::printf("%s: %.3f %.3f %.3f\n", what, d[0], d[1], d[2]);
}
