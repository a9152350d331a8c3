// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <revode/nn/blocks.hpp>
#include <revode/nn/gru_cell.hpp>
#include <revode/nn/layer_norm.hpp>
#include <revode/nn/lora.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/module_call.hpp>
#include <revode/nn/neural_field.hpp>

#include "../refusal.hpp"
#include "module_checks.hpp"

namespace revode::nn {
namespace {

TEST_CASE("blocks: values, products by duals, transposes, symmetric second derivatives") {
  check_module(layer_norm{5});
  check_module(gru_cell{2, 3});
  check_module(chain(dense_layer{3, 6, activation::silu},
                     residual(chain(layer_norm{6}, dense_layer{6, 6, activation::gelu})),
                     mlp({6, 4, 2})));
  random_numbers random(5);
  check_float(layer_norm{5}, 3, random);
  check_float(gru_cell{2, 3}, 3, random);
}

TEST_CASE("blocks: what is frozen is read where it lies, with duals as well") {
  const dense_layer layer{5, 4, activation::tanh};
  const auto weights = initial_parameters<double>(layer, 1);
  const auto kept = initial_parameters<double>(mlp({4, 6, 3}), 2);
  const chain adapted(lora_layer(layer, weights, 2, 0.5), frozen_module(mlp({4, 6, 3}), kept));
  CHECK(adapted.parameters() == 2 * (5 + 4));
  check_module(adapted);

  // An adapter begins as the layer that it adapts.
  call_of<double, dense_layer> before(layer, 2);
  const lora_layer adapter(layer, weights, 1);
  call_of<double, lora_layer<double>> after(adapter, 2);
  random_numbers random(1);
  before.x = after.x = random.like(before.x);
  before.p = weights;
  after.p = initial_parameters<double>(adapter, 3);
  before.forward(false);
  after.forward(false);
  CHECK((before.y - after.y).norm() <= 1e-15);
}

TEST_CASE("blocks: called by themselves they give what fields have of them") {
  const gru_cell cell{2, 3};
  call_of<double, gru_cell> by_hand(cell, 4);
  random_numbers random(8);
  by_hand.x = random.like(by_hand.x);
  by_hand.p = random.like(by_hand.p);
  by_hand.forward(true);
  const array_of<double> w = random.like(by_hand.y), dx = random.like(by_hand.x),
                         dp = random.like(by_hand.p);
  array_of<double> gp = array_of<double>::Zero(dp.size()), gp_by_hand = gp;
  module_call<double, gru_cell> call(cell);
  Eigen::MatrixXd x = by_hand.x.reshaped(5, 4), gx = x;
  CHECK(Eigen::MatrixXd(call(x, by_hand.p)) == by_hand.y.reshaped(3, 4));
  call.pull(w, gx, gp);
  CHECK(gx.reshaped() == by_hand.pull(w, &gp_by_hand));
  CHECK(gp == gp_by_hand);
  CHECK(Eigen::MatrixXd(call.push(dx, dp)).reshaped() == by_hand.push(dx, &dp));
}

TEST_CASE("blocks: an adapted network begins as the network, and is a module like others") {
  const mlp network({3, 6, 5, 2}, activation::silu);
  const auto weights = initial_parameters<double>(network, 1);
  const lora_mlp adapted(network, weights, 2, 0.5);
  CHECK(adapted.parameters() == 2 * (3 + 6) + 2 * (6 + 5) + 2 * (5 + 2));
  CHECK(find_leaf(leaves_of(adapted), "layers.1.weight").is_frozen);
  check_module(adapted);
  const array_of<double> adapters = initial_parameters<double>(adapted, 2);
  module_call<double, mlp> before(network);
  module_call<double, lora_mlp<double>> after(adapted);
  const Eigen::MatrixXd x = random_numbers(3).like(Eigen::MatrixXd(3, 4));
  CHECK((before(x, weights) - after(x, adapters)).norm() <= 1e-15);
  const array_of<double> few = weights.head(7);
  CHECK(refusal([&] { lora_mlp(network, few, 2); }) ==
        "7 frozen weights (the network has 71 parameters) give as many?");
}

dual<double, 1> moved(double value, double by) {
  dual<double, 1> x(value);
  x.d[0] = by;
  return x;
}

/// What a series_call gives, point by point for each sample alone.
template <class S>
array_of<S> hidden_after(const gru_cell& cell, const array_of<S>& seen,
                         const std::vector<index>& points, const array_of<S>& p, reading order) {
  array_of<S> all(cell.hidden * static_cast<index>(points.size()));
  index first = 0, sample = 0;
  for (const index n : points) {
    call_of<S, gru_cell> call(cell, 1);
    call.p = p;
    call.y.setZero();
    for (index k = 0; k < n; ++k) {
      const index point = first + (order == reading::forwards ? k : n - 1 - k);
      call.x << seen.segment(point * cell.observed, cell.observed), array_of<S>(call.y);
      call.forward(true);
    }
    all.segment(sample++ * cell.hidden, cell.hidden) = call.y;
    first += n;
  }
  return all;
}

TEST_CASE("blocks: a cell along series of any lengths, and its exact transpose") {
  using S = dual<double, 1>;
  const gru_cell cell{2, 3};
  random_numbers random(4);
  for (const auto order : {reading::forwards, reading::backwards}) {
    series_call<double, gru_cell> encoder(cell, order);
    for (const std::vector<index>& points :
         {std::vector<index>{2, 0, 5, 1}, std::vector<index>{1}, std::vector<index>{0, 0}}) {
      const index columns = std::accumulate(points.begin(), points.end(), index{0});
      const array_of<double> seen = random.like(array_of<double>(2 * columns)),
                             d_seen = random.like(seen),
                             p = random.like(array_of<double>(cell.parameters())),
                             dp = random.like(p);
      array_of<S> moving_seen(seen.size()), moving_p(p.size());
      for (index i = 0; i < seen.size(); ++i) moving_seen[i] = moved(seen[i], d_seen[i]);
      for (index i = 0; i < p.size(); ++i) moving_p[i] = moved(p[i], dp[i]);
      const auto moving = hidden_after(cell, moving_seen, points, moving_p, order);
      const array_of<double> h = encoder(seen, points, p).reshaped(), w = random.like(h);
      double out = 0;
      for (index i = 0; i < h.size(); ++i) {
        CHECK(std::abs(h[i] - moving[i].value) <= 1e-14);
        out += w[i] * moving[i].d[0];
      }
      array_of<double> g_seen(seen.size()), gp = array_of<double>::Zero(p.size());
      encoder.pull(w, g_seen, gp);
      CHECK(std::abs(g_seen.dot(d_seen) + gp.dot(dp) - out) <= 1e-13);
    }
  }
}

TEST_CASE("blocks: shares of one array are those of its modules, in order") {
  const gru_cell cell{2, 3};
  const dense_layer layer{3, 2};
  array_of<double> p = array_of<double>::LinSpaced(71, 0, 70);
  const auto [of_cell, of_layer] = shares_of(p, cell, layer);
  CHECK(of_cell.size() == 63);
  CHECK(of_layer.size() == 8);
  CHECK(of_layer.data() == p.data() + 63);
  CHECK(refusal([&] { shares_of(p, cell); }) ==
        "an array of 71 numbers (the modules have 63 parameters) give as many?");
}

TEST_CASE("blocks: series that do not fit") {
  series_call<double, gru_cell> encoder(gru_cell{2, 3});
  const array_of<double> p = array_of<double>::Zero(63), seen = array_of<double>::Zero(6);
  array_of<double> g(6), gp = p, w(3);
  CHECK(refusal([&] { encoder(seen, {}, p); }) ==
        "series of 0 samples (there is nothing to read) give one or more?");
  CHECK(refusal([&] {
          encoder(seen, {4, -1}, p);
        }) == "a series of -1 points (it has none or more) count them again?");
  CHECK(refusal([&] {
          encoder(seen, {2, 2}, p);
        }) == "6 observations (the module has 8) give as many?");
  CHECK(refusal([&] { encoder(seen, {3}, seen); }) ==
        "6 parameters (the module has 63) give as many?");
  encoder(seen, {1, 2}, p);
  CHECK(refusal([&] { encoder.pull(w, g, gp); }) ==
        "3 cotangents (the module has 6) give as many?");
}

TEST_CASE("blocks: a width below 1 is told before any work") {
  CHECK(refusal([] { neural_field(dense_layer{}); }) ==
        "network from 0 inputs to 0 outputs (each has at least one) give widths of 1 or more?");
  CHECK(refusal([] {
          neural_field(chain(dense_layer{2, -3}, dense_layer{-3, 2}));
        }) ==
        "leaf \"0.weight\" of a network with -3 rows (each has at least one) give widths of 1 or "
        "more?");
  CHECK(refusal([] {
          initial_parameters<double>(dense_layer{0, 3}, 1);
        }) ==
        "network from 0 inputs to 3 outputs (each has at least one) give widths of 1 or more?");
  for (const auto& call :
       std::vector<std::function<void()>>{[] { neural_field(layer_norm{}); },
                                          [] {
                                            module_call<double, gru_cell>(gru_cell{2, 0});
                                          },
                                          [] {
                                            series_call<double, gru_cell>(gru_cell{0, 0});
                                          }})
    CHECK(refusal(call).ends_with("(each has at least one) give widths of 1 or more?"));
}

TEST_CASE("blocks: a gated unit without observations has the parameters of its leaves") {
  const gru_cell alone{0, 3};
  index all = 0;
  for (const leaf& l : leaves_of(alone)) all += l.size();
  CHECK(all == alone.parameters());
  CHECK(initial_parameters<double>(alone, 1).allFinite());
  check_module(alone);
}

}  // namespace
}  // namespace revode::nn
