// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include <revode/nn/flow_field.hpp>

// A density by a flow from the standard normal distribution N(0, I) at one end of its interval to what is
// observed at the other. A sample x that starts with log-density row 0 and ends at z with row r has
//   log p(x) = log N(z) − r,
// whichever way time runs; a z that starts with row log N(z) ends as a sample, beside its own log p.

namespace revode::nn {

/// errors  std::invalid_argument: a flow whose first row is not the log-density
template <class Flow>
void expect_log_density(const Flow& flow) {
  if (!flow.options().log_density)
    throw std::invalid_argument(
        "a flow without log_density (there is no density without its trace) ask for this row?");
}

/// log N(z; 0, I) = −(|z|² + d ln 2π)/2
template <class T>
T log_normal(const T* z, index d) {
  T square(0);
  for (index i = 0; i < d; ++i) square += z[i] * z[i];
  return T(-0.5) * (square + static_cast<T>(d) * std::log(2 * std::numbers::pi_v<T>));
}

/// The mean of −log p over the samples that ended as `end`; w ← its cotangents of `end`, 0 in the rows
/// behind the log-density: weights of regularisers are the user's to write there.
/// shapes  end, w: flow.states() × samples, in anything dense, w of end's size
/// errors  std::invalid_argument: no log-density row, sizes that are no whole number of samples, or
///         none, or differ. A number that is not finite is in the result
template <class Flow, class Y>
scalar_t<Y> negative_log_likelihood(const Flow& flow, const Y& end, Y& w) {
  using T = scalar_t<Y>;
  expect_log_density(flow);
  const auto size = static_cast<index>(end.size()), rows = flow.states();
  const index d = flow.field().states();
  if (size == 0 || size % rows != 0 || static_cast<index>(w.size()) != size)
    throw std::invalid_argument("ends of " + std::to_string(size) + " numbers and cotangents of " +
                                std::to_string(w.size()) + " (a sample of this flow has " +
                                std::to_string(rows) +
                                ", and there is at least one) give both as many samples?");
  const index samples = size / rows;
  const T share = 1 / static_cast<T>(samples);
  T sum(0);
  for (index j = 0; j < samples; ++j) {
    const T* z = end.data() + j * rows;
    T* bar = w.data() + j * rows;
    sum += (z[d] - log_normal(z, d)) * share;
    for (index i = 0; i < rows; ++i) bar[i] = i < d ? T(z[i] * share) : T(i == d ? share : T(0));
  }
  return sum;
}

/// Where samples are generated from: z of N(0, I), number i of which depends on seed and i alone, with
/// log N(z) in the row below and 0 in the others.
/// errors  std::invalid_argument: no log-density row, fewer than one sample
template <class T, class Flow>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> normal_start(const Flow& flow, index samples,
                                                              std::uint64_t seed) {
  expect_log_density(flow);
  if (samples < 1)
    throw std::invalid_argument("a start of " + std::to_string(samples) +
                                " samples (a batch has at least one) ask for one or more?");
  const index d = flow.field().states();
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> y(flow.states(), samples);
  y.setZero();
  for (index j = 0; j < samples; ++j) {
    for (index i = 0; i < d; ++i) y(i, j) = static_cast<T>(counter_normal(seed, 0, j * d + i));
    y(d, j) = log_normal(y.data() + j * flow.states(), d);
  }
  return y;
}

}  // namespace revode::nn
