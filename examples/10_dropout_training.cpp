// SPDX-License-Identifier: Apache-2.0
// prints: epoch +0: loss [0-9.e+-]+
// prints: weights [0-9.]+ kB, an epoch at most [0-9.]+ kB beside them
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <vector>

#include <Eigen/Core>

#include <revode/interop/eigen_recording.hpp>
#include <revode/interop/random123.hpp>
#include <revode/revode.hpp>

#include "bytes.hpp"

using namespace revode;
using vector = Eigen::VectorXd;
using matrix = Eigen::MatrixXd;

template <template <class> class Leaf = plain>
struct weights {
  Leaf<matrix> w;
  Leaf<vector> v, b, c;
  template <class Self, class Visit>
  static void parts(Self& self, Visit&& visit) {
    visit(self.w, self.v, self.b, self.c);
  }
};

// h ← tanh(W (h · mask) + v x + b), output c · h. The mask drops a tenth of the units, others in
// each step of each epoch: it is a function of (epoch, step), so a replay draws the same again. The
// step is part of the carry; there is no other state.
struct cell {
  using carry = std::tuple<vector, long>;
  std::uint32_t epoch;

  void operator()(const auto& now, const auto& x, const auto& p, auto& next, auto& out) const {
    const auto& [h, step] = now;
    vector mask(h.size());
    dropout({.seed = 1, .lane = epoch}, step, 0.1, mask);
    auto& [h_next, step_next] = next;
    h_next = (p.w * h.cwiseProduct(mask) + x * p.v + p.b).array().tanh();
    out = p.c.dot(h_next);
    step_next = step + 1;
  }
};

int main() {
  const int units = 64, steps = 60;
  const double rate = 0.05;
  std::vector<double> wave, error(steps);  // a wave is shown; the output shall be its next value
  for (int k = 0; k <= steps; ++k) wave.push_back(std::sin(0.3 * k) * std::cos(0.11 * k));
  const std::vector<double> shown(wave.begin(), wave.end() - 1);
  weights<> p{0.5 / std::sqrt(units) * matrix::Random(units, units), vector::Random(units),
              vector::Zero(units), vector::Random(units) / units};
  const cell::carry start{vector::Zero(units), 0};
  const cotangent_t<cell::carry> nothing{vector::Zero(units), {}};
  const double* const home = p.w.data();
  std::ptrdiff_t peak = 0;
  double first = 0, loss = 0;

  const auto run_epoch = [&](std::uint32_t epoch, const loop_options& kept) {
    auto run = scan(cell{epoch}, start, frozen(shown), p, 0.0, kept);
    loss = 0;
    for (std::size_t k = 0; k < steps; ++k) {
      const double off = run.outs()[k] - wave[k + 1];
      loss += off * off / steps;
      error[k] = 2 * off / steps;
    }
    return run.pullback(nothing, error).params;
  };
  for (std::uint32_t epoch = 0; epoch <= 300; ++epoch) {
    peak = std::max(peak, peak_bytes_of([&] {
                      const auto g = run_epoch(epoch, {.slots = 8});
                      for_each_leaf([&](auto& x, const auto& x_bar) { x -= rate * x_bar; }, p,
                                    g);  // in place
                    }));
    if (epoch == 0) first = loss;
    if (epoch % 100 == 0) std::printf("epoch %3u: loss %.4f\n", epoch, loss);
  }
  std::printf("weights %.1f kB, an epoch at most %.1f kB beside them\n",
              static_cast<double>(leaf_bytes(p)) / 1e3, static_cast<double>(peak) / 1e3);
  assert(loss < 0.2 * first && p.w.data() == home);
  assert(!bytes_are_counted || peak < 2 * leaf_bytes(p));  // a gradient, and no second copy

  // The masks of a replay are those of the forward run: as many replays as you like, the same bits.
  const auto all = run_epoch(7, {.schedule = schedule_kind::store_all});
  for (const long slots : {1, 2, 5}) {
    const auto few = run_epoch(7, {.slots = slots});
    assert(few.w == all.w && few.v == all.v && few.b == all.b && few.c == all.c);
  }
  // And it is the derivative of that forward run.
  const double h = 1e-6;
  p.w(3, 5) += h;
  run_epoch(7, {});
  const double above = loss;
  p.w(3, 5) -= 2 * h;
  run_epoch(7, {});
  assert(std::abs((above - loss) / (2 * h) - all.w(3, 5)) < 1e-8);
}
