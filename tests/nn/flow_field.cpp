// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

#include "flow_checks.hpp"

namespace revode::nn {
namespace {

constexpr activation all_activations[] = {
    activation::identity, activation::tanh, activation::sigmoid, activation::softplus,
    activation::silu,     activation::gelu, activation::relu,    activation::sin};

struct pendulum {
  static constexpr int states = 2, parameters = 1;
  template <class T, class Y, class Q>
  void operator()(const T& t, const Y& y, const Q& q, Y& dy) const {
    using std::sin;
    dy[0] = y[1];
    dy[1] = 0.1 * t - q[0] * sin(y[0]);
  }
};

neural_field<mlp> timed(const std::vector<index>& widths, activation sigma) {
  return neural_field(mlp(widths, sigma), time_input::yes);
}

template <class Flow>
void check_derivatives(const Flow& flow) {
  random_numbers random(4);
  for (const index samples : {1, 3}) {
    check_field_first_order(flow, samples, random);
    check_field_second_order(flow, samples, random);
  }
}

TEST_CASE("flows: exact rows are trace and norm of the dense Jacobian, for every activation") {
  random_numbers random(3);
  for (const activation sigma : all_activations) {
    CAPTURE(static_cast<int>(sigma));
    check_rows(timed({4, 7, 3}, sigma), 5, random);
    check_rows(timed({3, 5, 4, 2}, sigma), 2, random);
  }
  check_rows(neural_field(mlp({1, 4, 1})), 1, random);  // d = 1, one sample
  check_rows(neural_field(mlp({3, 3})), 4, random);     // no hidden layer
  check_rows(neural_field(mlp({2, 5, 1}), pendulum{}, 1), 3, random);
}

TEST_CASE(
    "flows: the closed form's jvp is that of duals, its vjp the transpose, its second symmetric") {
  for (const activation sigma : all_activations) {
    CAPTURE(static_cast<int>(sigma));
    check_derivatives(flow_field(timed({4, 6, 3}, sigma)));
  }
  check_derivatives(flow_field(timed({3, 6, 2}, activation::tanh), {.kinetic_energy = true}));
  check_derivatives(flow_field(neural_field(mlp({1, 4, 1}))));
}

TEST_CASE("flows: so are those of all rows by vectors, exact and random, deep and with physics") {
  for (const probes by : {probes::unit_vectors, probes::rademacher, probes::gaussian}) {
    CAPTURE(static_cast<int>(by));
    const flow_options all{.by = by, .seed = 5, .kinetic_energy = true, .squared_jacobian = true};
    check_derivatives(flow_field(timed({4, 5, 4, 3}, activation::silu), all));
    random_numbers random(4);
    check_field_first_order(flow_field(neural_field(mlp({2, 5, 1}), pendulum{}, 1), all), 3,
                            random);
  }
  check_derivatives(
      flow_field(timed({3, 4, 2}, activation::tanh),
                 {.by = probes::rademacher, .log_density = false, .squared_jacobian = true}));
  check_derivatives(
      flow_field(neural_field(mlp({2, 4, 4, 2})), {.log_density = false, .kinetic_energy = true}));
}

/// A field that does not share its forward pass between vectors.
struct unshared : neural_field<mlp> {
  using neural_field::neural_field;
  void call_and_pull() const = delete;
};

TEST_CASE("flows: a field that shares no forward pass gives the same bits") {
  random_numbers random(4);
  const flow_options all{.kinetic_energy = true, .squared_jacobian = true};
  const flow_field shared(timed({3, 5, 4, 2}, activation::tanh), all);
  const flow_field apart(unshared(mlp({3, 5, 4, 2}), time_input::yes), all);
  const field_point<decltype(shared)> at(shared, 3, random);
  batch one = at.y, other = at.y;
  shared(at.t, at.y, at.p, one);
  apart(at.t, at.y, at.p, other);
  CHECK(one == other);
}

/// The rates of one sample below x, by these vectors and that drawing.
flat rows_of(flow_field<neural_field<mlp>>& f, index drawing, const batch& y, const flat& p) {
  batch rate = y;
  f.draw(drawing);
  f(0.0, y, p, rate);
  return rate.bottomRows(f.rows()).col(0);
}

TEST_CASE("flows: the mean over the four sign vectors of the plane is exact") {
  const neural_field f(mlp({2, 6, 5, 2}));
  flow_field exact(f, {.squared_jacobian = true});
  flow_field estimate(f, {.by = probes::rademacher, .seed = 2, .squared_jacobian = true});
  random_numbers random(8);
  const batch y = random.like(batch(4, 1));
  const flat p = initial_parameters<double>(f.network(), 3);
  flat mean = flat::Zero(2);
  std::set<std::pair<double, double>> seen;
  for (index drawing = 0; seen.size() < 4; ++drawing) {
    REQUIRE(drawing < 100);
    estimate.draw(drawing);
    if (!seen.emplace(estimate.vectors().at(0, 0), estimate.vectors().at(1, 0)).second) continue;
    mean += rows_of(estimate, drawing, y, p) / 4;
  }
  CHECK((mean - rows_of(exact, 0, y, p)).norm() <= 1e-14);
}

TEST_CASE("flows: normal vectors estimate without bias, and a drawing can be had again") {
  const neural_field f(mlp({2, 6, 5, 2}));
  flow_field exact(f, {.squared_jacobian = true});
  flow_field estimate(f, {.by = probes::gaussian, .seed = 2, .squared_jacobian = true});
  random_numbers random(8);
  const batch y = random.like(batch(4, 1));
  const flat p = initial_parameters<double>(f.network(), 3);
  constexpr int count = 20000;
  Eigen::Vector2d mean(0, 0), square(0, 0);
  for (int k = 0; k < count; ++k) {
    const Eigen::Vector2d found = rows_of(estimate, k, y, p);
    mean += found / count;
    square += found.cwiseAbs2() / count;
  }
  const Eigen::Vector2d truth = rows_of(exact, 0, y, p);
  for (int i = 0; i < 2; ++i) {
    const double deviation = std::sqrt((square[i] - mean[i] * mean[i]) / count);
    CHECK(std::abs(mean[i] - truth[i]) < 4 * deviation);
    CHECK(deviation < 0.05);
  }
  const flat first = rows_of(estimate, 1, y, p), second = rows_of(estimate, 2, y, p);
  CHECK(first != second);
  CHECK(first == rows_of(estimate, 1, y, p));
  // What a sample sees depends neither on the others nor on how many there are.
  batch two(4, 2);
  two << random.like(y), y;
  batch wide = two, narrow = two.col(0);
  estimate.draw(1);
  estimate(0.0, two, p, wide);
  estimate(0.0, batch(two.col(0)), p, narrow);
  CHECK(wide.col(0) == narrow);
}

}  // namespace
}  // namespace revode::nn
