// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <revode/adjoint/forward.hpp>
#include <revode/adjoint/recursive_checkpoint.hpp>
#include <revode/nn/controlled_field.hpp>
#include <revode/solvers/tsit5.hpp>

#include "../refusal.hpp"
#include "flow_checks.hpp"

namespace revode::nn {
namespace {

const std::vector<double> irregular{0.0, 0.3, 0.4, 1.1, 1.5};
constexpr control all_kinds[] = {control::linear, control::cubic_hermite, control::rectilinear};
constexpr index channels = 2, knots = 5;

/// X'(s) of one channel that was observed as x.
double rate_of(const control_path& path, double s, const flat& x) {
  const auto at = path.at(s);
  double sum = 0;
  for (int k = 0; k < at.count; ++k) sum += at.c[k] * x[at.first + k];
  return sum;
}

TEST_CASE("controls: a path leads from each observation to the next, and knows none later") {
  random_numbers random(2);
  const flat x = random.like(flat(knots));
  for (const control kind : all_kinds) {
    CAPTURE(static_cast<int>(kind));
    const control_path path(kind, irregular);
    const bool twice = kind == control::rectilinear;
    for (index k = 0; k + 1 < knots; ++k) {
      const double from = twice ? 2.0 * double(k) : irregular[std::size_t(k)],
                   to = twice ? from + 2 : irregular[std::size_t(k) + 1];
      double moved = 0, clock = 0;
      constexpr int parts = 4;  // Simpson's rule is exact for each, X' a quadratic
      for (int i = 0; i < parts; ++i) {
        const double h = (to - from) / parts, a = from + i * h;
        for (const auto& [s, weight] :
             {std::pair(a + 1e-13 * h, h / 6), std::pair(a + h / 2, 4 * h / 6),
              std::pair(a + h - 1e-13 * h, h / 6)}) {
          moved += weight * rate_of(path, s, x);
          clock += weight * path.at(s).clock;
        }
      }
      CHECK(std::abs(moved - (x[k + 1] - x[k])) < 1e-12);
      CHECK(std::abs(clock - (irregular[std::size_t(k) + 1] - irregular[std::size_t(k)])) < 1e-12);
      flat later = x;
      for (index l = k + 2; l < knots; ++l) later[l] += 1;
      CHECK(rate_of(path, (from + to) / 2, later) == rate_of(path, (from + to) / 2, x));
    }
  }
  const control_path smooth(control::cubic_hermite, irregular);
  for (std::size_t k = 1; k + 1 < irregular.size();
       ++k) {  // continuous, and the slope of the way there
    const double slope = (x[index(k)] - x[index(k) - 1]) / (irregular[k] - irregular[k - 1]);
    CHECK(rate_of(smooth, irregular[k], x) == doctest::Approx(slope).epsilon(1e-12));
    CHECK(rate_of(smooth, std::nextafter(irregular[k], 0.0), x) ==
          doctest::Approx(slope).epsilon(1e-12));
  }
}

/// A controlled field with the number of its samples, as field_checks want it.
template <class Field>
struct with_samples {
  const Field& f;
  index samples;

  index states() const { return f.states(); }
  index parameters() const { return f.parameters(samples); }
  template <class... A>
  void operator()(A&&... a) const {
    f(a...);
  }
  template <class... A>
  void vjp(A&&... a) const {
    f.vjp(a...);
  }
  template <class... A>
  void jvp(A&&... a) const {
    f.jvp(a...);
  }
};

TEST_CASE("controlled fields: jvp is that of duals, vjp its transpose, by weights, data and time") {
  for (const control kind : all_kinds) {
    CAPTURE(static_cast<int>(kind));
    random_numbers random(5);
    const controlled_field f(mlp({3, 6, 3 * (channels + 1)}), control_path(kind, irregular),
                             channels);
    for (const index samples : {1, 4}) {
      check_field_first_order(with_samples<decltype(f)>{f, samples}, samples, random);
      check_field_second_order(with_samples<decltype(f)>{f, samples}, samples, random);
    }
    const flat observed = random.like(flat(2 * knots * channels));
    const controlled_field frozen(mlp({3, 6, 3 * (channels + 1)}), control_path(kind, irregular),
                                  channels, observed);
    check_field_first_order(with_samples<decltype(frozen)>{frozen, 2}, 2, random);
  }
}

TEST_CASE("controlled fields: solves' gradients by weights and data are exact, in equal bits") {
  random_numbers random(6);
  constexpr index samples = 3;
  const flat observed = random.like(flat(samples * knots * channels));
  for (const control kind : all_kinds) {
    CAPTURE(static_cast<int>(kind));
    const control_path path(kind, irregular);
    const mlp network({3, 6, 3 * (channels + 1)});
    const controlled_field f(network, path, channels), frozen(network, path, channels, observed);
    flat p(f.parameters(samples));
    p << initial_parameters<double>(network, 1), observed;
    const batch z0 = random.like(batch(3, samples)), w = random.like(z0);
    const options o = path.at_knots({.rtol = 1e-6, .atol = 1e-6}, path.begin(), path.end());
    const problem q{f, z0, path.begin(), path.end(), p};
    CHECK(dot_product_law(q, tsit5{}, o, recursive_checkpoint{.slots = 3}, 3).holds);
    CHECK(equal_gradients_law(q, tsit5{}, o, recursive_checkpoint{.slots = 2},
                              recursive_checkpoint{.slots = 100})
              .holds);
    auto all = solve(q, tsit5{}, o, recursive_checkpoint{});
    auto weights =
        solve(problem{frozen, z0, path.begin(), path.end(), flat(p.head(network.parameters()))},
              tsit5{}, o, recursive_checkpoint{});
    CHECK(all.y == weights.y);
    const auto of_all = all.pullback({.y = w}), of_weights = weights.pullback({.y = w});
    CHECK(of_all.p.head(network.parameters()) == of_weights.p);
    CHECK(of_all.p.tail(observed.size()).norm() > 0.01);
  }
}

TEST_CASE("controlled fields: a constant F integrates the path, whatever leads through its knots") {
  const mlp network({2, 4, 2 * (channels + 1)});
  random_numbers random(3);
  const flat observed = random.like(flat(knots * channels));
  flat p = flat::Zero(network.parameters());
  p.tail(6) = random.like(flat(6));  // the last bias: F of one row behind the other
  for (const control kind : all_kinds)
    for (const bool back : {false, true}) {
      CAPTURE(static_cast<int>(kind));
      const control_path path(kind, irregular);
      const controlled_field f(network, path, channels, observed);
      const double from = back ? path.end() : path.begin(), to = back ? path.begin() : path.end();
      const batch z = solve(problem{f, batch(batch::Zero(2, 1)), from, to, p}, tsit5{},
                            path.at_knots({.rtol = 1e-9, .atol = 1e-9}, from, to))
                          .y;
      const Eigen::Vector3d moved(1.5, observed[8] - observed[0], observed[9] - observed[1]);
      for (index i = 0; i < 2; ++i)
        CHECK(std::abs(z(i) - (back ? -1 : 1) * p.tail(6).segment(3 * i, 3).dot(moved)) < 1e-12);
    }
}

TEST_CASE("controlled fields: misuse is told with what to do") {
  CHECK(refusal([] { control_path(control::linear, {1.0}); }) ==
        "a path through 1 times (it leads from one to the next) give two or more?");
  CHECK(refusal([] {
          control_path(control::linear, {1.0, 2.0, 2.0});
        }) ==
        "time 2 of a path is 2.000000 (times are finite and ascend) order them, and leave out what "
        "comes twice?");
  const control_path path(control::linear, irregular);
  CHECK(refusal([&] { path.at_knots({.stops = {1.0}}, 0, 1); }) ==
        "options with stops or discontinuities of their own (the knots are such) add them behind "
        "this call?");
  CHECK(refusal([&] {
          controlled_field(mlp({2, 2}), path, 0);
        }) == "a path of 0 channels (it would be the time alone) give one or more?");
  CHECK(refusal([&] {
          controlled_field(mlp({2, 4}), path, 2);
        }) ==
        "network with 4 outputs (the field has 2 states, the path 2 channels and the time) give it "
        "6 outputs?");
  flat observed = flat::Zero(10);
  observed[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal([&] {
          controlled_field(mlp({2, 6}), path, 2, observed);
        }) ==
        "observation 3 not finite (a path leads through all of them) fill in what was not "
        "observed?");
  observed[3] = 0;
  const controlled_field f(mlp({2, 6}), path, 2, observed);
  const flat p = flat::Zero(18);
  const auto solved = [&](const batch& z, const flat& with) {
    return refusal([&] { solve(problem{f, z, 0.0, 1.5, with}, tsit5{}, {}); });
  };
  CHECK(solved(batch(2, 0), p) ==
        "batch of 0 numbers (a sample has 2, and there is at least one) give a whole number of "
        "samples?");
  CHECK(solved(batch::Zero(2, 2), p) ==
        "10 observations of 2 samples (each has 10: its channels at every time) give as many?");
  CHECK(solved(batch::Zero(2, 1), flat::Zero(5)) ==
        "5 parameters (the network and what is observed have 18) give as many?");
}

}  // namespace
}  // namespace revode::nn
