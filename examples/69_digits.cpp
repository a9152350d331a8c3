// SPDX-License-Identifier: Apache-2.0
// prints: 1797 (images of scikit-learn's|generated images .*), every fifth for the test
// prints: seed 1: loss [0-9.]+, after 15 epochs 0\.[0-9]+
// prints: told rightly of 360 images for the test: 0\.9[0-9]+ 0\.9[0-9]+ 0\.9[0-9]+
#include <cassert>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

#include <revode/nn/minibatches.hpp>
#include <revode/nn/module_call.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>
#include <revode/revode.hpp>

#include "digits.hpp"

using namespace revode;
using namespace revode::nn;
using matrix = Eigen::MatrixXd;  // samples as columns

/// Forty images of the test with what was said of each, in red where that is wrong.
void draw(const char* path, const images& test, const std::vector<revode::index>& says) {
  std::ofstream svg(path);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 610 290' width='610' height='290'>\n"
      << "<rect width='610' height='290' fill='white'/>\n";
  for (int j = 0; j < 40; ++j) {
    const bool right = says[std::size_t(j)] == test.shows[std::size_t(j)];
    svg << "<g transform='translate(" << 10 + 60 * (j % 10) << ',' << 10 + 70 * (j / 10)
        << ") scale(6)' fill='" << (right ? "#000" : "#d00")
        << "'><text font-size='2.2' x='3.4' y='10'>" << says[std::size_t(j)] << "</text>";
    for (int i = 0; i < 64; ++i)
      if (const double dark = std::round(10 * test.pixels(i, j)) / 10; dark > 0)
        svg << "<rect x='" << i % 8 << "' y='" << i / 8 << "' width='1' height='1' opacity='"
            << dark << "'/>";
    svg << "</g>\n";
  }
  svg << "</svg>\n";
}

/// The mean of −log of the probability of what is shown, by softmax of the scores; those become its cotangents.
double cross_entropy(matrix& scores, const std::vector<revode::index>& shows) {
  double loss = 0;
  for (revode::index j = 0; j < scores.cols(); ++j) {
    auto w = scores.col(j);
    w = (w.array() - w.maxCoeff()).exp();
    w /= w.sum();
    loss -= std::log(w[shows[std::size_t(j)]]) / double(scores.cols());
    w[shows[std::size_t(j)]] -= 1;
  }
  scores /= double(scores.cols());
  return loss;
}

int main(int argc, char** argv) {
  const images all = argc > 1 ? load(argv[1]) : generate();
  images train, test;
  for (revode::index j = 0; j < all.count(); ++j)
    (j % 5 == 0 ? test : train).add(all.pixels.col(j).data(), all.shows[std::size_t(j)]);
  std::printf("%d %s, every fifth for the test\n", int(all.count()),
              argc > 1 ? "images of scikit-learn's" : "generated images (see digits.py)");
  // A layer makes a state of an image, a field moves it, a layer says what it shows.
  const dense_layer first{64, 16, activation::identity}, last{16, 10, activation::identity};
  const neural_field f(mlp({16, 32, 16}));
  module_call<double, dense_layer> enter(first), leave(last);
  std::vector<double> rightly;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Eigen::VectorXd p(first.parameters() + f.parameters() + last.parameters()), g(p.size());
    p << initial_parameters<double>(first, seed), initial_parameters<double>(f.network(), seed),
        initial_parameters<double>(last, seed);
    auto [p_first, p_field, p_last] = shares_of(p, first, f, last);
    auto [g_first, g_field, g_last] = shares_of(g, first, f, last);
    adam<double> optimiser(p.size(), {.decay = {{0, p.size(), 0.1}}});
    minibatches batches(train.count(), 64, seed);
    const warm_up rate{20, cosine_rate{.rate = 0.02, .steps = 15 * batches.count()}};
    double loss = 0;
    for (revode::index step = 0; step < 15 * batches.count(); ++step) {
      const auto chosen = batches.of(step / batches.count(), step % batches.count());
      matrix x(64, revode::index(chosen.size())), x_bar = x;
      take_samples(train.pixels, 64, chosen, x);
      std::vector<revode::index> shows;
      for (const auto j : chosen) shows.push_back(train.shows[std::size_t(j)]);
      const problem q{f, enter(x, p_first), 0.0, 1.0, p_field};
      auto s = solve(q, tsit5{}, {.rtol = 1e-3, .atol = 1e-3}, recursive_checkpoint{});
      assert(s.status == status::success);
      matrix scores = leave(s.y, p_last), y_bar = s.y;
      loss = cross_entropy(scores, shows);
      if (step == 0) std::printf("seed %d: loss %.3f, ", int(seed), loss);
      g.setZero();
      leave.pull(scores, y_bar, g_last);
      const auto back = s.pullback({.y = y_bar});
      g_field = back.p;
      enter.pull(back.y0, x_bar, g_first);
      clip_by_global_norm(g, 1);
      optimiser.step(p, g, rate(step));
    }
    std::printf("after 15 epochs %.3f\n", loss);
    const problem q{f, enter(test.pixels, p_first), 0.0, 1.0, p_field};
    const matrix scores = leave(solve(q, tsit5{}, {.rtol = 1e-3, .atol = 1e-3}).y, p_last);
    std::vector<revode::index> says(std::size_t(test.count()));
    double right = 0;
    for (std::size_t j = 0; j < says.size(); ++j) {
      scores.col(revode::index(j)).maxCoeff(&says[j]);
      right += says[j] == test.shows[j];
    }
    rightly.push_back(right / double(test.count()));
    assert(rightly.back() > 0.94);
    if (argc > 2 && seed == 1) draw(argv[2], test, says);
  }
  std::printf("told rightly of %d images for the test: %.3f %.3f %.3f\n", int(test.count()),
              rightly[0], rightly[1], rightly[2]);
}
