// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <revode/nn/blocks.hpp>
#include <revode/nn/gru_cell.hpp>
#include <revode/nn/layer_norm.hpp>
#include <revode/nn/lora.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/module_call.hpp>

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

}  // namespace
}  // namespace revode::nn
