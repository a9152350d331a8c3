// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen_recording.hpp>
#include <revode/interop/random123.hpp>
#include <revode/revode.hpp>

// The recurrent model of example 10, which bench/memory trains at many lengths.

namespace dropout_model {

using vector = Eigen::VectorXd;
using matrix = Eigen::MatrixXd;

template <template <class> class Leaf = revode::plain>
struct weights {
  Leaf<matrix> w;
  Leaf<vector> v, b, c;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.w, self.v, self.b, self.c);
  }
};

/// h ← tanh(W (h · mask) + v x + b), output c · h. The mask drops a tenth of the units, others in
/// each step of each epoch: it is a function of (epoch, step), so a replay draws the same again. The
/// step is part of the carry; there is no other state.
struct cell {
  using carry = std::tuple<vector, long>;
  std::uint32_t epoch;

  void operator()(const auto& now, const auto& x, const auto& p, auto& next, auto& out) const {
    const auto& [h, step] = now;
    vector mask(h.size());
    revode::dropout({.seed = 1, .lane = epoch}, step, 0.1, mask);
    auto& [h_next, step_next] = next;
    h_next = (p.w * h.cwiseProduct(mask) + x * p.v + p.b).array().tanh();
    out = p.c.dot(h_next);
    step_next = step + 1;
  }
};

/// A wave is shown; the output shall be its next value.
struct wave {
  std::vector<double> shown, next;
  explicit wave(int steps) {
    const auto at = [](int k) { return std::sin(0.3 * k) * std::cos(0.11 * k); };
    for (int k = 0; k < steps; ++k) shown.push_back(at(k)), next.push_back(at(k + 1));
  }
};

/// The mean square error over a wave, and its gradient with respect to the weights.
inline auto loss_and_gradient(const weights<>& p, std::uint32_t epoch, const wave& seen,
                              const revode::loop_options& kept) {
  const cell::carry start{vector::Zero(p.b.size()), 0};
  auto run = revode::scan(cell{epoch}, start, revode::frozen(seen.shown), p, 0.0, kept);
  const auto steps = static_cast<double>(seen.shown.size());
  double loss = 0;
  std::vector<double> error(seen.shown.size());
  for (std::size_t k = 0; k < error.size(); ++k) {
    const double off = run.outs()[k] - seen.next[k];
    loss += off * off / steps;
    error[k] = 2 * off / steps;
  }
  const revode::cotangent_t<cell::carry> nothing{vector::Zero(p.b.size()), {}};
  return std::pair(loss, run.pullback(nothing, error).params);
}

/// One step down the gradient, in place; returns the loss before it.
inline double train(weights<>& p, std::uint32_t epoch, const wave& seen,
                    const revode::loop_options& kept) {
  const auto [loss, gradient] = loss_and_gradient(p, epoch, seen, kept);
  revode::for_each_leaf([](auto& x, const auto& x_bar) { x -= 0.05 * x_bar; }, p, gradient);
  return loss;
}

}  // namespace dropout_model
