// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/nn/blocks.hpp>
#include <revode/nn/layer_norm.hpp>
#include <revode/nn/lora.hpp>
#include <revode/nn/mlp.hpp>
#include <revode/nn/module_call.hpp>

#include "../refusal.hpp"
#include "module_checks.hpp"

namespace revode::nn {
namespace {

constexpr activation all_activations[] = {
    activation::identity, activation::tanh, activation::sigmoid, activation::softplus,
    activation::silu,     activation::gelu, activation::relu,    activation::sin};

TEST_CASE("modules: values, products by duals, transposes, symmetric second derivatives") {
  check_module(mlp({3, 5, 4, 2}));
  check_module(mlp({3, 2}, activation::tanh));
  for (const activation sigma : all_activations) {
    CAPTURE(static_cast<int>(sigma));
    random_numbers random(3);
    const dense_layer layer{4, 3, sigma};
    check_first_order(layer, 90, random);
    check_float(layer, 90, random);
    if (sigma != activation::identity) check_second_order(layer, 3, random);
  }
}

TEST_CASE("modules: activations are the functions that they are named for, NaN stays NaN") {
  const auto value = [](activation sigma, double x, double* slope = nullptr) {
    double y = x;
    bias_and_activation<double, double>(sigma, nullptr, columns_view<double>(&y, 1, 1), slope);
    return y;
  };
  for (const double x : {-40.0, -3.0, -0.5, 0.0, 0.25, 2.0, 30.0}) {
    CAPTURE(x);
    const double s = 1 / (1 + std::exp(-x));
    CHECK(value(activation::tanh, x) == doctest::Approx(std::tanh(x)).epsilon(1e-15));
    CHECK(value(activation::sigmoid, x) == doctest::Approx(s).epsilon(1e-14));
    CHECK(value(activation::softplus, x) ==
          doctest::Approx(x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)))
              .epsilon(1e-14));
    CHECK(value(activation::silu, x) == doctest::Approx(x * s).epsilon(1e-14));
    CHECK(value(activation::gelu, x) ==
          doctest::Approx(x * std::erfc(-x / std::sqrt(2.0)) / 2).epsilon(1e-12));
    CHECK(value(activation::relu, x) == (x > 0 ? x : 0.0));
    CHECK(value(activation::sin, x) == std::sin(x));
    for (const activation sigma : all_activations) {
      if (sigma == activation::identity || (sigma == activation::relu && x == 0)) continue;
      double slope = 0;
      value(sigma, x, &slope);
      const double h = 1e-6;
      CHECK(std::abs((value(sigma, x + h) - value(sigma, x - h)) / (2 * h) - slope) < 2e-8);
    }
  }
  for (const activation sigma : all_activations) {
    CHECK(std::isnan(value(sigma, std::numeric_limits<double>::quiet_NaN())));
    for (const double edge : {-1e300, 1e300}) {
      double slope = 0;
      CHECK_FALSE(std::isnan(value(sigma, edge, &slope)));
      CHECK_FALSE(std::isnan(slope));
    }
  }
}

TEST_CASE("modules: leaves have names, places and a start of their own") {
  const chain network(mlp({2, 50, 2}), layer_norm{2});
  const auto leaves = leaves_of(network);
  REQUIRE(leaves.size() == 6);
  CHECK(leaves[0].name == "0.layers.0.weight");
  CHECK(leaves[3].name == "0.layers.1.bias");
  CHECK(leaves[5].name == "1.bias");
  CHECK(leaves[5].offset == 254);
  CHECK(network.parameters() == 256);
  auto p = initial_parameters<double>(network, 4);
  CHECK(p == initial_parameters<double>(network, 4));
  CHECK(p != initial_parameters<double>(network, 5));
  CHECK(view_of(leaves, "1.weight", p) == Eigen::MatrixXd::Ones(2, 1));
  CHECK(p.head(100).cwiseAbs().maxCoeff() < std::sqrt(6.0 / 52));
  CHECK(p.head(100).cwiseAbs().maxCoeff() > 0.9 * std::sqrt(6.0 / 52));
  view_of(leaves, "0.layers.1.weight", p)(1, 3) = 7;
  CHECK(p[150 + 50 + 3] == 7);
}

/// What does it say?
TEST_CASE("modules: misuse is told with what to do") {
  CHECK(refusal([] {
          chain(dense_layer{2, 3}, dense_layer{4, 2});
        }) == "module 0 with 3 outputs (module 1 behind it takes 4) make them equal?");
  CHECK(refusal([] {
          residual(dense_layer{2, 3});
        }) == "residual block from 2 inputs to 3 outputs (x is added to them) make them equal?");
  CHECK(refusal([] { mlp({2}); }) ==
        "mlp of 1 widths (a layer leads from one to the next) give two or more?");
  CHECK(refusal([] {
          mlp({2, 0, 2});
        }) == "mlp with a layer of 0 units (each has at least one) give widths of 1 or more?");
  const Eigen::VectorXd few(3);
  CHECK(refusal([&] {
          frozen_module(dense_layer{2, 2}, few);
        }) == "3 frozen weights (the module has 6 parameters) give as many?");
  CHECK(refusal([&] {
          lora_layer(dense_layer{2, 2}, few, 1);
        }) == "3 frozen weights (the layer has 6 parameters) give as many?");
  const Eigen::VectorXd weights = Eigen::VectorXd::Zero(6);
  CHECK(refusal([&] {
          lora_layer(dense_layer{2, 2}, weights, 0);
        }) == "adapter of rank 0 (it could learn nothing) take a rank of 1 or more?");
  module_call<double, dense_layer> call(dense_layer{2, 3});
  const Eigen::VectorXd p9 = Eigen::VectorXd::Zero(9), none;
  CHECK(refusal([&] { call(few, p9); }) ==
        "input of 3 numbers (a sample has 2, and there is at least one) give a whole number of "
        "samples?");
  CHECK(refusal([&] { call(none, p9); }) ==
        "input of 0 numbers (a sample has 2, and there is at least one) give a whole number of "
        "samples?");
  CHECK(refusal([&] { call(weights, few); }) == "3 parameters (the module has 9) give as many?");
  call(weights, p9);
  CHECK(refusal([&] { call.push(few, p9); }) ==
        "3 tangents of the input (the module has 6) give as many?");
  const chain adapted(lora_layer(dense_layer{2, 2}, weights, 1));
  const auto leaves = leaves_of(adapted);
  Eigen::VectorXd g = Eigen::VectorXd::Zero(adapted.parameters());
  CHECK(refusal([&] { view_of(leaves, "0.weight", g); }) ==
        "leaf \"0.weight\" in an array of parameters (it is frozen: it lies outside and has no "
        "gradient) read it where it lies, or do not freeze it?");
  CHECK(refusal([&] { view_of(leaves, "0.lora_c", g); }) ==
        "leaf \"0.lora_c\" (the network has 0.weight, 0.bias, 0.lora_a, 0.lora_b) take one of "
        "these?");
  Eigen::VectorXd other = Eigen::VectorXd::Zero(3);
  CHECK(refusal([&] { view_of(leaves, "0.lora_b", other); }) ==
        "an array of 3 numbers (the network has 4 parameters) give these, without what lies beside "
        "them?");
  other.resize(5);  // physics in front, say: no leaf lies where it would be read
  CHECK(refusal([&] { view_of(leaves, "0.lora_b", other); }) ==
        "an array of 5 numbers (the network has 4 parameters) give these, without what lies beside "
        "them?");
}

}  // namespace
}  // namespace revode::nn
