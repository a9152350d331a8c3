// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/nn/minibatches.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/optimisers.hpp>
#include <revode/nn/rates.hpp>

#include "../refusal.hpp"

namespace revode::nn {
namespace {

using flat = Eigen::VectorXd;

TEST_CASE("training: two steps of Adam by hand, in place") {
  flat p(2), g(2);
  p << 1, -2;
  adam<double> optimiser(2, {.mean_kept = 0.9, .square_kept = 0.99, .epsilon = 1e-8});
  const double* const home = p.data();
  g << 0.5, -4;
  optimiser.step(p, g, 0.1);  // m/(1 − 0.9) = g, v/(1 − 0.99) = g²: a step of 0.1 against the sign
  CHECK(p[0] == doctest::Approx(1 - 0.1 * 0.5 / (0.5 + 1e-8)).epsilon(1e-15));
  CHECK(p[1] == doctest::Approx(-2 + 0.1 * 4 / (4 + 1e-8)).epsilon(1e-15));
  const double before = p[0];
  g << 1, 0;
  optimiser.step(p, g, 0.1);
  const double m = (0.9 * 0.05 + 0.1) / (1 - 0.81), v = (0.99 * 0.0025 + 0.01) / (1 - 0.9801);
  CHECK(p[0] == doctest::Approx(before - 0.1 * m / (std::sqrt(v) + 1e-8)).epsilon(1e-14));
  CHECK(p.data() == home);
  CHECK(optimiser.steps == 2);
}

TEST_CASE("training: AdamW takes decay from matrices and leaves biases theirs") {
  const mlp network({2, 3, 1});
  flat p = flat::Ones(network.parameters());
  const flat g = flat::Zero(network.parameters());
  adam<double> optimiser(p.size(), {.decay = decay_of_matrices(network, 0.5)});
  optimiser.step(p, g, 0.1);
  const auto leaves = leaves_of(network);
  CHECK(view_of(leaves, "layers.0.weight", p) == Eigen::MatrixXd::Constant(3, 2, 0.95));
  CHECK(view_of(leaves, "layers.0.bias", p) == Eigen::MatrixXd::Ones(3, 1));
  CHECK(view_of(leaves, "layers.1.weight", p) == Eigen::MatrixXd::Constant(1, 3, 0.95));
}

TEST_CASE("training: two steps of SGD with momentum, plain and Nesterov's") {
  flat p = flat::Zero(1), g = flat::Ones(1);
  sgd<double> plain(1, {.momentum = 0.5});
  plain.step(p, g, 0.1);
  plain.step(p, g, 0.1);
  CHECK(p[0] == doctest::Approx(-0.1 - 0.15).epsilon(1e-15));
  p.setZero();
  sgd<double> looking_ahead(1, {.momentum = 0.5, .nesterov = true});
  looking_ahead.step(p, g, 0.1);
  looking_ahead.step(p, g, 0.1);
  CHECK(p[0] == doctest::Approx(-0.15 - 0.175).epsilon(1e-15));
}

TEST_CASE("training: rates are functions of the step") {
  CHECK(constant_rate{0.3}(17) == 0.3);
  const cosine_rate cosine{.rate = 1, .steps = 100, .floor = 0.2};
  CHECK(cosine(0) == 1);
  CHECK(cosine(50) == doctest::Approx(0.6).epsilon(1e-15));
  CHECK(cosine(100) == 0.2);
  CHECK(cosine(1000) == 0.2);
  const warm_up warm{10, constant_rate{1}};
  CHECK(warm(0) == 0.1);
  CHECK(warm(9) == 1);
  CHECK(warm(10) == 1);
}

TEST_CASE("training: clipping keeps the direction, and leaves what is no number alone") {
  flat g(2);
  g << 3, 4;
  CHECK(clip_by_global_norm(g, 10) == 5);
  CHECK(g[1] == 4);
  CHECK(clip_by_global_norm(g, 1) == 5);
  CHECK(g[0] == doctest::Approx(0.6).epsilon(1e-15));
  g[0] = std::nan("");
  CHECK(std::isnan(clip_by_global_norm(g, 1)));
  CHECK(g[1] == doctest::Approx(0.8).epsilon(1e-15));
}

TEST_CASE("training: averaged weights follow") {
  flat p = flat::Zero(2);
  averaged_weights<double> mean(p, 0.75);
  p.setOnes();
  mean.follow(p);
  mean.follow(p);
  CHECK(mean.average[1] == doctest::Approx(1 - 0.75 * 0.75).epsilon(1e-15));
}

TEST_CASE("training: an epoch is an order of all samples, the same whenever it is asked for") {
  minibatches batches(103, 10, 5);
  CHECK(batches.count() == 11);
  const auto epoch = [&](index number) {
    std::vector<index> all;
    for (index b = 0; b < batches.count(); ++b)
      for (const index i : batches.of(number, b)) all.push_back(i);
    return all;
  };
  const auto third = epoch(3), fourth = epoch(4);
  CHECK(third != fourth);
  CHECK(batches.of(4, 10).size() == 3);
  CHECK(epoch(3) == third);
  minibatches again(103, 10, 5);
  CHECK(again.of(3, 7)[2] == third[72]);
  auto sorted = third;
  std::sort(sorted.begin(), sorted.end());
  for (index i = 0; i < 103; ++i) CHECK(sorted[static_cast<std::size_t>(i)] == i);
  minibatches whole(23, std::numeric_limits<index>::max(), 1);  // all at once
  CHECK(whole.count() == 1);
  CHECK(whole.of(7, 0).size() == 23);
  // Each sample comes everywhere: first places of 10,000 epochs of 4 samples, χ² with 3 degrees of
  // freedom below 16.3 (one in a thousand is above).
  minibatches few(4, 4, 1);
  int counts[4] = {};
  for (index e = 0; e < 10000; ++e) ++counts[few.of(e, 0)[0]];
  double chi_squared = 0;
  for (const int n : counts) chi_squared += (n - 2500.0) * (n - 2500.0) / 2500.0;
  CHECK(chi_squared < 16.3);
  Eigen::MatrixXd data(2, 3), batch(2, 2);
  data << 1, 2, 3, 4, 5, 6;
  const index chosen[] = {2, 0};
  take_samples(data, 2, chosen, batch);
  CHECK(batch == (Eigen::MatrixXd(2, 2) << 3, 1, 6, 4).finished());
}

TEST_CASE("training: misuse is told with what to do") {
  flat p(3), g(2);
  adam<double> optimiser(3);
  CHECK(refusal([&] { optimiser.step(p, g, 0.1); }) ==
        "3 parameters and a gradient of 2 (the optimiser is one for 3) give as many of both?");
  CHECK(refusal([&] { optimiser.step(p, p, std::nan("")); }) ==
        "a step of rate nan (no weight would be left) give a finite one?");
  CHECK(refusal([] { adam<double>(3, {.square_kept = 1}); }) ==
        "square_kept = 1.000000 (what is kept of an average is 0 or more and below 1) give e.g. "
        "0.9?");
  CHECK(refusal([&] { averaged_weights<double>(p, 1.5); }).starts_with("kept = 1.500000 ("));
  CHECK(refusal([&] {
          adam<double>(3, {.decay = {{2, 2, 0.1}}});
        }) ==
        "decay of 2 numbers from 2 on (there are 3 parameters) take the ranges of this network?");
  CHECK(refusal([&] { clip_by_global_norm(g, 0); }) ==
        "clipping to a norm of 0.000000 (nothing would be left) give a positive one?");
  CHECK(refusal([] { minibatches(0, 2, 1); }) ==
        "batches of 0 samples (there is nothing to learn from) give one or more?");
  CHECK(refusal([] { minibatches(5, 0, 1); }) ==
        "a batch of 0 samples (it has no loss) give a size of 1 or more?");
  const Eigen::MatrixXd data = Eigen::MatrixXd::Ones(2, 3);
  const Eigen::Matrix<double, -1, -1, Eigen::RowMajor> by_rows = data;
  Eigen::MatrixXd batch(2, 2);
  const auto taking = [&](const auto& from, std::vector<index> chosen, index rows = 2) {
    return refusal([&] { take_samples(from, rows, std::span<const index>(chosen), batch); });
  };
  CHECK(taking(data, {0, 1, 2}) ==
        "a batch of 2 samples (3 are chosen; the last of an epoch may be fewer) resize it?");
  CHECK(taking(data, {0}) ==
        "a batch of 2 samples (1 are chosen; the last of an epoch may be fewer) resize it?");
  CHECK(taking(data, {0, 3}) ==
        "sample 3 (there are 3, counted from 0) make minibatches of as many?");
  CHECK(taking(by_rows, {0, 1}).starts_with("data of 2 x 3 numbers, row after row ("));
  CHECK(taking(data, {0, 1}, 0) == "samples of 0 numbers (each has at least one) give 1 or more?");
  CHECK(refusal([] { minibatches(5, 2, 1).of(0, 3); }) ==
        "batch 3 of epoch 0 (an epoch has 3, both are counted from 0) ask for one of these?");
}

}  // namespace
}  // namespace revode::nn
